#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# generate.sh OUT: turns the tables in ../witness into headers.
#
#   OUT/witness_verbs.h          libibverbs' numbers (#define IBV_...) and memory layouts (struct ib_...), for the HCA
#   OUT/witness_verbs_check.h    the same as assertions over the real header, for a test that has it
#
# The tables were taken from the real header, and not from the shim's idea of it. Columns, by tab: see the tables.
set -eu
out=$1
tables=$(dirname "$0")/../witness

# fields COUNT TABLE: its rows, or a complaint
fields() {
  awk -F '\t' -v count="$1" -v table="$2" '
    /^#/ || NF == 0 { next }
    NF != count { printf "%s:%d: not %d columns: %s\n", table, NR, count, $0 > "/dev/stderr"; exit 1 }
    { print }' "$2"
}

definitions() {
  printf '#pragma once\n#include <pthread.h>\n#include <stddef.h>\n#include <stdint.h>\n'
  awk -F '\t' '{ printf "#define %s %s\n", $1, $2 }' "$out/numbers"
  awk -F '\t' '
    $2 != "" { members = members "  " $3 ";\n"; if ($4 != "-") asserts = asserts assertion($1, $3, $4); next }
    {
      ours = $3 " " ours_of($1)
      printf "%s {\n%s};\n", ours, members
      gsub(/@/, ours, asserts)
      printf "%s", asserts
      if ($4 != "-") printf "_Static_assert(sizeof(%s) == %s, \"%s\");\n", ours, $4, $1
      members = asserts = ""
    }
    function ours_of(type) { return "ib_" substr(type, 5) }
    function assertion(type, declaration, offset,  name) {
      name = declaration
      if (name ~ /\(\*/) { sub(/^[^(]*\(\*/, "", name); sub(/\).*/, "", name) }
      sub(/\[.*/, "", name)
      sub(/.*[ *]/, "", name)
      return "_Static_assert(offsetof(@, " name ") == " offset ", \"" type "." name "\");\n"
    }' "$out/layouts"
}

check() {
  awk -F '\t' '{ printf "_Static_assert(%s == %s, \"%s\");\n", $1, $2, $1 }' "$out/numbers"
  awk -F '\t' '
    { kind = $1 == "ibv_gid" ? "union" : "struct" }
    $4 == "-" { next }
    $2 != "" { printf "_Static_assert(offsetof(%s %s, %s) == %s, \"%s.%s\");\n", kind, $1, $2, $4, $1, $2; next }
    { printf "_Static_assert(sizeof(%s %s) == %s, \"%s\");\n", kind, $1, $4, $1 }' "$out/layouts"
}

# write NAME: its standard input, unless that is what is there
write() {
  cat > "$out/$1.part"
  if cmp -s "$out/$1.part" "$out/$1"; then rm "$out/$1.part"; else mv "$out/$1.part" "$out/$1"; fi
}

fields 4 "$tables/verbs.tsv" > "$out/numbers"
fields 4 "$tables/verbs_layout.tsv" > "$out/layouts"
definitions > "$out/definitions"
check > "$out/check"
write witness_verbs.h < "$out/definitions"
write witness_verbs_check.h < "$out/check"
