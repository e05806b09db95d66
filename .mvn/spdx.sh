#!/bin/sh
# Every source file says under which licence it is, near its top.
#
#   spdx.sh check ROOT    names the files that do not, and fails
#   spdx.sh apply ROOT    gives them the line
#
# Java's classes are also spotless's to check; it leaves out package-info.java and module-info.java, and C, shell and
# Python are not its.
set -eu

line='SPDX-License-Identifier: Apache-2.0'
root=$2

sources() {
  find "$root" \( -name target -o -name .git -o -name __pycache__ \) -prune -o -type f -print |
    while IFS= read -r file; do
      case ${file##*/} in
        *.java | *.c | *.h | *.sh | *.py) printf '%s\n' "$file" ;;
        *.*) ;; # documents, data
        *)
          IFS= read -r first < "$file" || continue
          case $first in '#!'*) printf '%s\n' "$file" ;; esac
          ;;
      esac
    done
}

missing() {
  sources | tr '\n' '\0' | xargs -0 grep -L "$line" || true
}

case $1 in
  check)
    files=$(missing)
    [ -z "$files" ] || {
      printf '%s\n' "no SPDX line in:" "$files" "sh .mvn/spdx.sh apply . gives it to them" >&2
      exit 1
    }
    ;;
  apply)
    missing | while IFS= read -r file; do
      case $file in
        *.java | *.c | *.h) sed -i "1i // $line" "$file" ;;
        *) sed -i "1{/^#!/{a # $line
b};i # $line
}" "$file" ;;
      esac
    done
    ;;
  *)
    printf '%s\n' "spdx: unknown task $1: check or apply" >&2
    exit 1
    ;;
esac
