#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes an archive of the classes that the command line and its ranks load, for one JDK to share between processes: what
# starts with it need not parse, link and verify them again.
#
#   class-data.sh JAVA CLASSPATH HOME ARCHIVE
#
# Which classes those are is seen in small jobs: of two emulated clusters, of ranks that share the host's memory and wait in
# their calls, and, where oneCCL is installed, of ranks of two vendors that share it. Leaves ARCHIVE as it was if it fails.
set -euo pipefail

java=$1 classpath=$2 home=$3 archive=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$archive.new.$$"' EXIT

flags=(-XX:+UseSerialGC -XX:-UsePerfData -Xlog:disable)

# Each process of a job leaves a list of its own.
train() {
  env -u RANK -u WORLD_SIZE -u TOMBOLO_JAVA_OPTS JAVA_TOOL_OPTIONS="-XX:DumpLoadedClassList=$scratch/%p.classes" \
    timeout 60 "$java" "${flags[@]}" "-Dtombolo.home=$home" -cp "$classpath" io.tombolo.cli.Main \
    bench "$@" -b 8 -e 64K -f 8192 -n 5 -w 5
}

emulated=emu-nvidia:1,emu-amd:1
train all_reduce --clusters "$emulated"
train send_receive --clusters "$emulated"
train all_gather --clusters "$emulated"
train all_reduce --clusters host:2 --blocking
train all_reduce --clusters host:1,intel:1 --blocking || echo "not seen: how ranks of two vendors share the host's memory" >&2
# Newer JDKs number the classes, in each list anew; who has a source was made by a loader that shares nothing.
awk '/ source: / { next } { sub(/ id: [0-9]+$/, "") } !seen[$0]++' "$scratch"/*.classes > "$scratch/classes"
"$java" "${flags[@]}" -Xshare:dump "-XX:SharedClassListFile=$scratch/classes" "-XX:SharedArchiveFile=$archive.new.$$" \
  -cp "$classpath"
mv "$archive.new.$$" "$archive"
