#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# generate.sh OUT: turns every table in ../witness into a header OUT/witness_<table>.h of #defines.
#
# The emulated libraries take the vendors' numbers from these tables, which were entered from the vendors' headers,
# and not from the Java rows that are tested against them. Columns, by tab: name, value, source, version.
#
# Also OUT/kernel_source.h: the kernels' sources as text, by which the emulated compilers know them; in the order of
# enum emu_source.
set -eu
out=$1

# Puts FILE.part in FILE's place, unless they are equal.
renew() {
  if cmp -s "$1.part" "$1"; then
    rm "$1.part"
  else
    mv "$1.part" "$1"
  fi
}

for table in "$(dirname "$0")"/../witness/*.tsv; do
  name=$(basename "$table" .tsv)
  awk -F '\t' -v table="$name" '
    /^#/ || NF == 0 { next }
    NF != 4 || $1 == "" || $2 == "" {
      printf "%s.tsv:%d: not four columns: %s\n", table, NR, $0 > "/dev/stderr"
      exit 1
    }
    { printf "#define %s %s\n", $1, $2 }' "$table" > "$out/witness_$name.h.part"
  renew "$out/witness_$name.h"
done

{
  printf 'static const char* const kernel_source[] = {\n'
  for source in reduce crc32c; do
    sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/    "&\\n"/' \
      "$(dirname "$0")/../../../../src/main/resources/io/tombolo/adaptors/device/$source.cu"
    printf '    ,\n'
  done
  printf '};\n'
} > "$out/kernel_source.h.part"
renew "$out/kernel_source.h"
