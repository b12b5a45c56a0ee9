#!/bin/bash
# Plants every fault of faults.txt in a copy of the sources and asks whether the properties of the catalogue report it:
#
#   tests/nn/attention/faults.sh [FOLDER] [PROPERTY]        FOLDER: build/faults; PROPERTY: only its faults
#
# One build has all faults; the environment variable HEED_FAULT says which of them is planted, so that the faults take
# minutes and not hours. A property that lets its fault pass is a broken check: the script lists it and ends with 1.
set -eu
tree=$(cd "$(dirname "$0")/../../.." && pwd)
folder=${1:-$tree/build/faults} wanted=${2:-}
mkdir -p "$folder/new"
git -C "$tree" ls-files -z | tar -C "$tree" --null -cf - -T - | tar -C "$folder/new" -xf -

declare -A text
properties=()
read_fault() { IFS= read -r file && IFS= read -r right && IFS= read -r wrong; }
while IFS= read -r line; do
  case $line in '' | '#'*) continue ;; esac
  read_fault
  if [ -z "${text[$file]:-}" ]; then
    head="bool heed_fault(int number);"
    case $file in nn/*) head='#include "autograd/ops.h"'$'\n'$head ;; esac  # what a fault calls may not be included
    text[$file]=$head$'\n'$(<"$folder/new/$file")$'\n'
  fi
  before=${text[$file]} code=${right#< }
  without=${before/"$code"/}
  if [ ${#before} -ne $((${#without} + ${#code})) ]; then
    echo "faults: $file no longer has the code: $code" >&2
    exit 2
  fi
  planted=${wrong#> }
  text[$file]=${before/"$code"/"${planted//FAULT/heed_fault(${#properties[@]})}"}
  properties+=("$line")
done <"$tree/tests/nn/attention/faults.txt"

for file in "${!text[@]}"; do printf '%s' "${text[$file]}" >"$folder/new/$file"; done
cat >>"$folder/new/tests/main.cpp" <<'END'
#include <cstdlib>
bool heed_fault(int number) {
  static const int planted = std::getenv("HEED_FAULT") ? std::atoi(std::getenv("HEED_FAULT")) : -1;
  return number == planted;
}
END
mkdir -p "$folder/tree"
(cd "$folder/new" && find . -type f -print0) | while IFS= read -r -d '' file; do  # only what changed, for a fast rebuild
  cmp -s "$folder/new/$file" "$folder/tree/$file" || install -D "$folder/new/$file" "$folder/tree/$file"
done
(cd "$folder/tree" && find . -type f -print0) | while IFS= read -r -d '' file; do
  [ -e "$folder/new/$file" ] || rm "$folder/tree/$file"
done
rm -rf "$folder/new"

launcher=$(command -v ccache || true)
export CCACHE_BASEDIR=$folder/tree CCACHE_NOHASHDIR=1
cmake -S "$folder/tree" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEED_BUILD_PROGRAMS=OFF \
  ${launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher} >"$folder/cmake.log"
cmake --build "$folder/build" --target test_nn -- -k 0 >"$folder/build.log" || { grep -m 20 -A 3 "error:" "$folder/build.log" || true; exit 2; }

cd "$folder/tree"
passed=0 caught=0
check() { # FAULT PROPERTY: 0 if the property holds
  local name='catalogue: every entry holds every property*'
  if [ "$2" = gradient ]; then name='catalogue: the gradient of every entry'; fi
  HEED_FAULT=$1 HEED_PROPERTY=$2 "$folder/build/bin/test_nn" --test-case="$name" --minimal >"$folder/last.log" 2>&1
}
declare -A holds
for fault in "${!properties[@]}"; do
  for property in ${properties[$fault]}; do
    if [ -n "$wanted" ] && [ "$property" != "$wanted" ]; then continue; fi
    if [ -z "${holds[$property]:-}" ]; then
      holds[$property]=yes
      check -1 "$property" || echo "fails without a fault: $property"
    fi
    status=0
    check "$fault" "$property" || status=$?
    if [ $status -eq 1 ]; then
      caught=$((caught + 1))
    else
      passed=$((passed + 1))
      echo "not caught (exit $status): $property, fault $fault"
    fi
  done
done
echo "faults: $caught caught, $passed not caught"
[ $passed -eq 0 ]
