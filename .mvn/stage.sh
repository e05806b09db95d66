#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts the run-time class path of the command line into one folder, and the C interface beside it.
#
#   stage.sh begin TARGET            notes when this build began
#   stage.sh stage TARGET DIST JAR NATIVE CLASSPATH
#                                    DIST/lib: JAR, the jars of CLASSPATH, and libtombolo.so, nothing else;
#                                    DIST/include: the C headers;
#                                    DIST/stamp: as old as the beginning of this build
#
# The new folder takes the old one's place whole, so that a program running from the old one keeps its files.
set -eu

fail() {
  printf '%s\n' "stage: $*" >&2
  exit 1
}

case $1 in
  begin)
    mkdir -p "$2"
    : > "$2/begin"
    ;;
  stage)
    begin=$2/begin
    dist=$3
    jar=$4
    native=$5
    new=$dist.new.$$
    [ -f "$begin" ] || {
      # Only some modules are built (mvn -pl): nobody knows how old the others are.
      printf '%s\n' "stage: not a build of all modules, $dist stays as it is"
      exit 0
    }
    [ -f "$jar" ] || fail "no $jar: the package phase makes it before this"
    trap 'rm -rf "$new" "$dist.old.$$"' EXIT
    mkdir -p "$new/lib" "$new/include"
    cp -p "$jar" "$native"/linux-*/libtombolo.so "$new/lib/"
    cp -p "${0%/*}"/../runtime/capi/src/main/c/include/*.h "$new/include/"
    IFS=:
    for entry in $6; do
      case $entry in
        *.jar) cp -p "$entry" "$new/lib/" ;;
        */classes) ;; # this module's own, which is in the jar
        *) fail "$entry on the class path is no jar" ;;
      esac
    done
    cp -p "$begin" "$new/stamp"
    if [ -e "$dist" ]; then
      mv "$dist" "$dist.old.$$"
    fi
    mv "$new" "$dist"
    ;;
  *) fail "unknown task $1: begin or stage" ;;
esac
