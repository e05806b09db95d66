#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a module's C: libraries for its jar, and test programs. Needs a POSIX shell and gcc, no make.
#
#   native.sh libraries|tests ROOT MODULE TARGET JAVA_HOME
#
#   src/main/c/<lib>/*.c    -> TARGET/classes/META-INF/native/linux-<arch>/lib<lib>.so
#   src/main/c/include      headers the module's libraries share
#   src/main/c/shared       sources several of them share; the file "sources" in a library's folder names those
#                           it takes, relative to src/main/c
#   src/main/c/generate.sh  (optional) runs first, writes headers to the folder in its first argument
#   src/test/c/<name>/*.c   -> TARGET/native/tests/<name>, run under the sanitizers; the file "sources"
#                              beside them lists further sources, likewise; the file "needs" lists headers
#                              (as in #include) without which the test is left out, aloud
#
# With TOMBOLO_WITNESS_DIR (see .ci/witnesses) the tests find the vendors' real headers, and "needs" are musts.
#
# Whatever is up to date (same sources, headers, flags and compiler, by checksum) is not built again; and a test that has
# passed is not run again before it, or a library of the module, has changed.
set -eu

task=$1
root=$2
module=$3
target=$4
jdk=$5
main=$module/src/main/c
cc=${CC:-gcc}

warnings='-Wall -Wextra -Werror'
common="-std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -ffp-contract=off -pthread $warnings"
release="$common -O2 -g0 -D_FORTIFY_SOURCE=2 -fstack-protector-strong"
link='-shared -Wl,-z,relro,-z,now -Wl,--no-undefined -Wl,--build-id=none -pthread'
libraries='-ldl'
sanitize='-fsanitize=address,undefined -fno-sanitize-recover=all'
checked="$common -O1 -g -fno-omit-frame-pointer"

say() {
  printf '%s\n' "native: $*"
}

fail() {
  printf '%s\n' "native: $*" >&2
  exit 1
}

# The tests' temporary folder, which the JVM does not make itself.
mkdir -p "$target/tmp"

case $task in
  libraries) [ -d "$main" ] || exit 0 ;;
  tests) [ -d "$module/src/test/c" ] || exit 0 ;;
  *) fail "unknown task $task: libraries or tests" ;;
esac

command -v "$cc" > /dev/null 2>&1 ||
  fail "no C compiler '$cc', and $module has native code: install gcc and libc6-dev (apt-get install gcc libc6-dev), or set CC"
[ -f "$jdk/include/jni.h" ] ||
  fail "no include/jni.h in $jdk: install a full JDK (apt-get install openjdk-17-jdk-headless), not only a runtime"

arch=$(uname -m)
out=$target/classes/META-INF/native/linux-$arch
work=$target/native
mkdir -p "$work/generated" "$work/include"
if [ "$task" = libraries ] && [ -x "$main/generate.sh" ]; then
  "$main/generate.sh" "$work/generated" || fail "$main/generate.sh failed"
fi

includes="-I$main/include -I$work/include -I$work/generated -I$root/runtime/base/src/main/c/include -I$jdk/include -I$jdk/include/linux"
prefix="-ffile-prefix-map=$work=native -ffile-prefix-map=$root=. -ffile-prefix-map=$jdk=jdk"
case "$root$target$jdk" in
  *[[:space:]]*) fail "a path with a blank in it does not work here: $root, $target, $jdk" ;;
esac

# What every object depends on: compiler, flags, and each header that may be included.
digest_common() {
  "$cc" --version | head -n 1
  printf '%s\n' "$release" "$checked" "$link" "$libraries" "$includes" "$prefix"
  cat "$0"
  find "$main" "$root/adaptors/src/main/c/shared" "$module/src/test/c" "$work/include" "$work/generated" \
    "$root/runtime/base/src/main/c/include" "$module/src/main/resources" \
    \( -name '*.[hi]*' -o -name '*.cu' \) -type f 2> /dev/null |
    LC_ALL=C sort | xargs -r sha256sum
}
base=$(digest_common | sha256sum)

# The vendors' headers, for tests only; as system headers, because their warnings are not ours to mend.
witnesses=
if [ "$task" = tests ] && [ -n "${TOMBOLO_WITNESS_DIR:-}" ]; then
  for vendor in nccl cuda oneccl hip ze mpi; do
    witnesses="$witnesses -isystem $TOMBOLO_WITNESS_DIR/$vendor"
  done
fi

# digest EXTRA FILE...: a checksum over the common part, EXTRA and the named files
digest() {
  extra=$1
  shift
  {
    printf '%s\n' "$base" "$extra"
    sha256sum "$@"
  } | sha256sum
}

# compile OBJECT_DIR FLAGS SOURCE...: objects, as many at once as there are processors; what several libraries or
# tests of the module share is compiled once
compile() {
  objects=$1
  flags=$2
  shift 2
  rm -rf "$objects"
  mkdir -p "$objects" "$work/objects/by-sum"
  for source in "$@"; do
    object=$(printf '%s' "${source#"$root"/}" | tr '/' '_')
    compiled=$work/objects/by-sum/$(digest "$flags" "$source" | cut -c 1-32).o
    printf '%s %s\n' "$compiled" "$objects/${object%.c}.o" >> "$objects/links"
    [ -f "$compiled" ] || printf '%s %s\n' "$compiled" "$source"
  done > "$objects/list"
  # shellcheck disable=SC2016 # the inner shell expands these
  xargs -r -P "$(getconf _NPROCESSORS_ONLN)" -n 2 sh -c '$1 $2 -c -o "$3.part" "$4" && mv "$3.part" "$3"' sh \
    "$cc" "$flags $includes $prefix" < "$objects/list" ||
    fail "compiling failed in $module (messages above)"
  xargs -n 2 ln -f < "$objects/links"
}

fresh() {
  [ -f "$1" ] && [ -f "$2" ] && [ "$(cat "$2")" = "$3" ]
}

# sources_of FOLDER: its own C files and those its file "sources" names, one per line
sources_of() {
  ls "$1"/*.c 2> /dev/null || true
  [ -f "$1/sources" ] || return 0
  while read -r source; do
    case $source in '' | '#'*) continue ;; esac
    [ -f "$main/$source" ] || fail "$1/sources names $source, which is not in $main"
    printf '%s\n' "$main/$source"
  done < "$1/sources"
}

build_library() {
  folder=$1
  name=$(basename "$folder")
  library=$out/lib$name.so
  list=$(sources_of "$folder")
  [ -n "$list" ] || return 0
  # shellcheck disable=SC2086 # no path has a blank, see above
  set -- $list
  sum=$(digest library "$@")
  if fresh "$library" "$work/$name.sum" "$sum"; then
    return 0
  fi
  rm -f "$work/$name.sum"
  compile "$work/objects/$name" "$release" "$@"
  mkdir -p "$out"
  # shellcheck disable=SC2086 # lists of flags
  "$cc" $link -Wl,-soname,"lib$name.so" -o "$library.part" "$work/objects/$name"/*.o $libraries ||
    fail "linking $library failed (messages above)"
  chmod 644 "$library.part"
  mv "$library.part" "$library"
  printf '%s\n' "$sum" > "$work/$name.sum"
  say "built lib$name.so ($# sources)"
}

sanitizer_flags() {
  printf 'int main(void) { return 0; }\n' > "$work/probe.c"
  # shellcheck disable=SC2086 # lists of flags
  if "$cc" $sanitize -o "$work/probe" "$work/probe.c" 2> "$work/probe.log" && "$work/probe" 2>> "$work/probe.log"; then
    printf '%s' "$sanitize"
  fi
}

# have_needs FOLDER: can the headers its file "needs" names be included?
have_needs() {
  [ -f "$1/needs" ] || return 0
  while read -r header; do
    case $header in '' | '#'*) continue ;; esac
    # shellcheck disable=SC2086 # lists of flags
    printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$header" |
      "$cc" $includes $witnesses -E -x c - > /dev/null 2>&1 && continue
    [ -z "${TOMBOLO_WITNESS_DIR:-}" ] ||
      fail "the test $(basename "$1") needs <$header>, which is neither in $TOMBOLO_WITNESS_DIR nor on the system"
    say "test $(basename "$1") left out: no <$header> here (.ci/witnesses fetches it)"
    return 1
  done < "$1/needs"
}

run_test() {
  folder=$1
  name=$(basename "$folder")
  program=$work/tests/$name
  have_needs "$folder" || return 0
  list=$(sources_of "$folder")
  [ -n "$list" ] || return 0
  # shellcheck disable=SC2086 # no path has a blank, see above
  set -- $list
  sum=$(digest "test $sanitizers $witnesses" "$@")
  if ! fresh "$program" "$work/tests/$name.sum" "$sum"; then
    mkdir -p "$work/tests"
    rm -f "$work/tests/$name.sum"
    compile "$work/objects/test-$name" "$checked $sanitizers $witnesses" "$@"
    # shellcheck disable=SC2086 # lists of flags
    "$cc" $sanitizers -o "$program" "$work/objects/test-$name"/*.o -pthread $libraries -lm ||
      fail "linking the test $name failed (messages above)"
    printf '%s\n' "$sum" > "$work/tests/$name.sum"
  fi
  passed=$(
    sha256sum "$program" "$out"/lib*.so
    env | grep '^TOMBOLO_' | LC_ALL=C sort
  ) || fail "cannot read $program or the libraries in $out"
  if fresh "$program" "$work/tests/$name.passed" "$passed"; then
    say "test $name: passed before, and nothing has changed"
    return 0
  fi
  say "test $name"
  rm -f "$work/tests/$name.passed"
  (cd "$module" && TOMBOLO_ROOT=$root TOMBOLO_NATIVE=$out "$program") || fail "the test $name failed with status $?"
  printf '%s\n' "$passed" > "$work/tests/$name.passed"
}

if [ "$task" = libraries ]; then
  for library in "$out"/lib*.so; do # what a folder that is gone has left
    name=$(basename "$library" .so)
    [ -d "$main/${name#lib}" ] || rm -f "$library"
  done
  for folder in "$main"/*/; do
    folder=${folder%/}
    case $(basename "$folder") in
      include | shared) ;;
      *) build_library "$folder" ;;
    esac
  done
else
  sanitizers=$(sanitizer_flags)
  [ -n "$sanitizers" ] ||
    say "this gcc has no sanitizer runtime (install libasan and libubsan): the C tests run without: $(head -n 1 "$work/probe.log")"
  for folder in "$module"/src/test/c/*/; do
    run_test "${folder%/}"
  done
fi
