#!/bin/sh
# generate.sh OUT: turns every table in ../witness into a header OUT/witness_<table>.h of #defines.
#
# The emulated libraries take the vendors' numbers from these tables, which were entered from the vendors' headers,
# and not from the Java rows that are tested against them. Columns, by tab: name, value, source, version.
set -eu
out=$1
for table in "$(dirname "$0")"/../witness/*.tsv; do
  name=$(basename "$table" .tsv)
  awk -F '\t' -v table="$name" '
    /^#/ || NF == 0 { next }
    NF != 4 || $1 == "" || $2 == "" {
      printf "%s.tsv:%d: not four columns: %s\n", table, NR, $0 > "/dev/stderr"
      exit 1
    }
    { printf "#define %s %s\n", $1, $2 }' "$table" > "$out/witness_$name.h.part"
  if cmp -s "$out/witness_$name.h.part" "$out/witness_$name.h"; then
    rm "$out/witness_$name.h.part"
  else
    mv "$out/witness_$name.h.part" "$out/witness_$name.h"
  fi
done
