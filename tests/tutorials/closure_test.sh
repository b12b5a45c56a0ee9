#!/usr/bin/env bash
# tutorials/closure.awk on a small tree: which sources a program needs. Prints one line a check, and exits with 1 if any
# failed. On the whole tree the linker is the test: a program that lacks an object does not link.
set -u
script=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)/tutorials/closure.awk
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
cd "$box" || exit 3
failed=0
: >files
: >units

# file PATH INCLUDE...: a file of the tree
file() {
  local path=$1 header
  shift
  mkdir -p "$(dirname "$path")"
  for header; do printf '#include "%s"\n' "$header"; done >"$path"
  echo "$path" >>files
}

# expect WHAT MAIN SOURCE...: a program whose own source is MAIN needs these
expect() {
  local what=$1 found ok=ok
  shift
  echo "it $1" >programs
  awk -f "$script" files programs answer units || ok=FAILED
  found=$(sed -n 's/^set(closure_it \(.*\))$/\1/p' answer | tr ' ' '\n' | sort)
  [ "$found" = "$(printf '%s\n' "$@" | sort)" ] || ok=FAILED failed=1
  echo "$what: $ok"
  [ "$ok" = ok ] || { echo "found:"; echo "$found"; }
}

file tensor/a.h
file tensor/a.cpp tensor/a.h tensor/b.h
file tensor/b.h
file tensor/b.cpp tensor/b.h
file tensor/unused.h
file tensor/unused.cpp tensor/unused.h
file nn/first.h
file nn/first.cpp nn/first.h
file nn/second.h tensor/b.h
file nn/second.cpp nn/second.h
file nn/lstm.h
file nn/lstm.cpp nn/lstm.h
file nn/lstm_gates.cpp nn/lstm.h nn/first.h
file nn/kinds/base.h
file nn/kinds/make.cpp nn/kinds/base.h
file tutorials/report/page.h
file tutorials/report/page.cpp.in tutorials/report/page.h
for name in a first second lstm kinds/base report; do
  case $name in
    a) header=tensor/a.h ;;
    report) header=tutorials/report/page.h ;;
    *) header=nn/$name.h ;;
  esac
  file "tutorials/01_one/${name#*/}_main.cpp" "$header"
done

main=tutorials/01_one
expect "a header's source, and what that includes" $main/a_main.cpp tensor/a.cpp tensor/b.cpp
expect "a source without anything else" $main/first_main.cpp nn/first.cpp
expect "what a header includes" $main/second_main.cpp nn/second.cpp tensor/b.cpp
expect "a source named after another's header" $main/lstm_main.cpp nn/lstm.cpp nn/lstm_gates.cpp nn/first.cpp
expect "a source without a header of its own" $main/base_main.cpp nn/kinds/make.cpp
expect "a source that CMake writes" $main/report_main.cpp tutorials/report/page.cpp
echo "nn/first.cpp nn/second.cpp" >units
expect "what is compiled together" $main/first_main.cpp nn/first.cpp nn/second.cpp tensor/b.cpp
exit "$failed"
