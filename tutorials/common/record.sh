#!/usr/bin/env bash
# shellcheck disable=SC2016,SC2317  # mistake is called by xargs, through a shell of its own
# Records the outcomes of the common mistakes of exercises: what their checks measure with each edit of the solution.
#
#   bash tutorials/common/record.sh 04_softmax_and_masks/1_softmax ..   or a part of the name; all: every exercise
#   bash tutorials/common/record.sh --check                             only checks that the recorded files are up to date
#
# Each edit of exercises/K_name.mistakes is made (edit.awk), compiled as the solution is, run twice, and what it measures
# is written to exercises/K_name.outcomes (outcome.h). Needs build/release with Ninja; HEED_BUILD names another build.
set -u
cd "${BASH_SOURCE[0]%/*}/../.." || exit 2
build=${HEED_BUILD:-build/release} common=tutorials/common failed=0

checksum_of() { cat "$1.h" "$1.cpp" "$1_check.cpp" "$1.mistakes" | cksum | cut -d ' ' -f 1; }  # checksum_of FOLDER/K_name
complain() { printf 'record: %s\n' "$*" >&2; failed=1; }

# compiled EXERCISE: the commands that compile the solution and link it, with "SOURCE", "OBJECT" and "PROGRAM" in them.
compiled() {
  local target="bin/exercises/solution.$1" object
  object="CMakeFiles/solution.$1.dir/tutorials/${1%.*}/exercises/${1#*.}.cpp.o"
  ninja -C "$build" -t commands "$target" | grep -F "solution.$1" | sed -e 's/ -MD -MT [^ ]* -MF [^ ]*//' -e "s|$object|OBJECT|g" \
    -e "s|-c [^ ]*|-c SOURCE -Wno-unused -Wno-unused-parameter|" -e "s|$target|PROGRAM|g" | grep OBJECT
}

# mistake NUMBER FOLDER/K_name DIRECTORY: the outcome of one edit, in NUMBER of this directory of the build.
mistake() {
  local at=$build/$3/$1 file=$3/$1 command
  awk -f "$common/edit.awk" -v number="$1" "$2.mistakes" "$2.cpp" >"$at.cpp" || return
  while read -r command; do
    command=${command//SOURCE/$file.cpp} command=${command//OBJECT/$file.o} command=${command//PROGRAM/$file.run}
    (cd "$build" && eval "$command") >"$at.log" 2>&1 ||
      { printf '%s, mistake %d does not compile:\n' "$2" "$1"; grep -m 3 -A 3 error "$at.log"; return 1; }
  done <"$build/$3/commands"
  for run in "" .again; do
    timeout 60 "$at.run" --record "$at$run" >"$at.log" 2>&1 || { printf '%s, mistake %d: ' "$2" "$1"; tail -n 1 "$at.log"; return 1; }
  done
  rm -f "$at.o" "$at.run"
  cmp -s "$at" "$at.again" || { printf '%s, mistake %d: two runs measure different numbers\n' "$2" "$1"; return 1; }
}

# record FOLDER/K_name
record() {
  local name dir count n
  name=${1#tutorials/} name=${name/\/exercises\//.}
  ninja -C "$build" "solution.$name" >/dev/null || { complain "$name does not build"; return; }
  dir=record/$name  # always the same, so that a compiler cache knows the edits again
  rm -rf "${build:?}/$dir" && mkdir -p "$build/$dir"
  count=$(grep -c '^\* ' "$1.mistakes")
  compiled "$name" >"$build/$dir/commands"
  "$build/bin/exercises/solution.$name" --record "$build/$dir/0" >/dev/null || complain "$name: the solution fails"
  export -f mistake
  seq "$count" | build=$build common=$common xargs -P "$(nproc)" -I @ bash -c 'mistake @ "$1" "$2"' _ "$1" "$dir" ||
    { complain "$name is not recorded"; return; }
  {
    printf 'made from %s\n* the solution\n' "$(checksum_of "$1")"
    cat "$build/$dir/0"
    for ((n = 1; n <= count; ++n)); do
      grep '^\* ' "$1.mistakes" | sed -n "${n}p"
      awk 'FNR == NR { of[FNR] = $0; last = FNR; next } $0 != of[FNR] { print } END { if (FNR != last) print "end " FNR }' "$build/$dir/0" "$build/$dir/$n"
    done
  } >"$1.outcomes"
  rm -rf "${build:?}/$dir"
  printf '%s: %d mistakes\n' "$name" "$count"
}

[ $# -gt 0 ] || { sed -n '3,10s/^# *//p' "${BASH_SOURCE[0]}"; exit 2; }
found=""
for file in tutorials/[0-9][0-9]_*/exercises/*.mistakes; do
  file=${file%.mistakes}
  if [ "$1" = --check ]; then
    [ "$(head -n 1 "$file.outcomes" 2>/dev/null)" = "made from $(checksum_of "$file")" ] || complain "$file has changed; bash $common/record.sh ${file##*/}"
    continue
  fi
  for part; do
    case ${file/exercises\//} in *"$part"*) found+=" $part " && record "$file" ;; *) [ "$part" != all ] || record "$file" ;; esac
  done
done
for part; do [[ $part = all || $part = --check || $found = *" $part "* ]] || complain "no exercise has \"$part\" in its name"; done
exit "$failed"
