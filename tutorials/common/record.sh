#!/usr/bin/env bash
# shellcheck disable=SC2016,SC2317  # mistake is called by xargs, through a shell of its own
# Records the outcomes of the common mistakes of exercises: what their checks measure with each edit of the solution.
#
#   bash tutorials/common/record.sh 04_softmax_and_masks/1_softmax ..   or a part of the name; all: every exercise
#   bash tutorials/common/record.sh --check                             only checks that the recorded files are up to date
#   bash tutorials/common/record.sh --pairs NAME ..                     only the pairs again, of exercises that are up to date
#
# Each edit of exercises/K_name.mistakes is made (edit.awk), compiled as the solution is, run twice, and what it measures
# is written to exercises/K_name.outcomes (outcome.h). So are some pairs of mistakes that can be made together: a test
# asserts that at least one of the two is named. Needs build/release with Ninja; HEED_BUILD names another build.
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

# mistake NUMBER FOLDER/K_name DIRECTORY: the outcome of one edit, in NUMBER of this directory of the build; 3+7 is the
# pair of these two edits, whose source is there already.
mistake() {
  local at=$build/$3/$1 file=$3/$1 command
  case $1 in *+*) ;; *) awk -f "$common/edit.awk" -v number="$1" "$2.mistakes" "$2.cpp" >"$at.cpp" || return ;; esac
  while read -r command; do
    command=${command//SOURCE/$file.cpp} command=${command//OBJECT/$file.o} command=${command//PROGRAM/$file.run}
    (cd "$build" && eval "$command") >"$at.log" 2>&1 ||
      { printf '%s, mistake %s does not compile:\n' "$2" "$1"; grep -m 3 -A 3 error "$at.log"; return 1; }
  done <"$build/$3/commands"
  for run in "" .again; do
    timeout 60 "$at.run" --record "$at$run" >"$at.log" 2>&1 || { printf '%s, mistake %s: ' "$2" "$1"; tail -n 1 "$at.log"; return 1; }
  done
  rm -f "$at.o" "$at.run"
  cmp -s "$at" "$at.again" || { printf '%s, mistake %s: two runs measure different numbers\n' "$2" "$1"; return 1; }
}

# possible_pairs FOLDER/K_name DIRECTORY COUNT: the sources of all pairs of edits that can be made one after the other, in
# either order (a gap can only be left open before anything else), and give something else than one of them. Prints
# them: 3+7 ..
possible_pairs() {
  local n m at=$build/$2 first second
  for ((n = 1; n <= $3; ++n)); do awk -f "$common/edit.awk" -v number="$n" "$1.mistakes" "$1.cpp" >"$at/$n.cpp"; done
  for ((n = 1; n <= $3; ++n)); do
    for ((m = n + 1; m <= $3; ++m)); do
      for first in "$n" "$m"; do
        second=$((n + m - first))
        awk -v number="$second" '/^[*] /{ ++n } n == number && /^open/ { found = 1 } END { exit !found }' "$1.mistakes" && continue
        awk -f "$common/edit.awk" -v number="$second" "$1.mistakes" "$at/$first.cpp" >"$at/$n+$m.cpp" 2>/dev/null || continue
        cmp -s "$at/$n+$m.cpp" "$at/$n.cpp" || cmp -s "$at/$n+$m.cpp" "$at/$m.cpp" || { echo "$n+$m"; break; }
      done
    done
  done
}

# pairs FOLDER/K_name DIRECTORY COUNT: the outcomes of at most $wanted pairs, spread over those that are possible. A pair
# that does not compile, or that measures something else each time, is left out.
wanted=3
pairs() {
  local pair
  possible_pairs "$@" | awk -v wanted=$wanted '{ all[NR] = $1 } END { for (i = 0; i < wanted && i < NR; ++i) print all[1 + int((i + 0.5) * NR / (NR < wanted ? NR : wanted))] }' |
    build=$build common=$common xargs -P "$(nproc)" -I @ bash -c 'mistake @ "$1" "$2" >/dev/null 2>&1 || rm -f "$build/$2/@"' _ "$1" "$2"
  for pair in $(cd "$build/$2" && printf '%s\n' [0-9]*+[0-9]* | grep -xE '[0-9]+[+][0-9]+' | sort -t + -k 1,1n -k 2,2n); do
    printf '& %s %s\n' "${pair%+*}" "${pair#*+}"
    differing "$build/$2/0" "$build/$2/$pair"
  done
}

# differing SOLUTION OUTCOME: the lines that are not the solution's.
differing() { awk 'FNR == NR { of[FNR] = $0; last = FNR; next } $0 != of[FNR] { print } END { if (FNR != last) print "end " FNR }' "$1" "$2"; }

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
  if [ "$only_pairs" ]; then
    up_to_date "$1"
    sed '/^& /,$d' "$1.outcomes" >"$build/$dir/outcomes"
    pairs "$1" "$dir" "$count" >>"$build/$dir/outcomes"
    mv "$build/$dir/outcomes" "$1.outcomes"
    rm -rf "${build:?}/$dir"
    printf '%s: %d pairs\n' "$name" "$(grep -c '^& ' "$1.outcomes")"
    return
  fi
  seq "$count" | build=$build common=$common xargs -P "$(nproc)" -I @ bash -c 'mistake @ "$1" "$2"' _ "$1" "$dir" ||
    { complain "$name is not recorded"; return; }
  {
    printf 'made from %s\n* the solution\n' "$(checksum_of "$1")"
    cat "$build/$dir/0"
    for ((n = 1; n <= count; ++n)); do
      grep '^\* ' "$1.mistakes" | sed -n "${n}p"
      differing "$build/$dir/0" "$build/$dir/$n"
    done
    pairs "$1" "$dir" "$count"
  } >"$1.outcomes"
  rm -rf "${build:?}/$dir"
  printf '%s: %d mistakes\n' "$name" "$count"
}

# up_to_date FOLDER/K_name
up_to_date() {
  [ "$(head -n 1 "$1.outcomes" 2>/dev/null)" = "made from $(checksum_of "$1")" ] ||
    complain "$1 has changed; bash $common/record.sh ${1##*/}"
}

only_pairs=""
[ "${1-}" != --pairs ] || { only_pairs=1; shift; }
[ $# -gt 0 ] || { sed -n '4,12s/^# *//p' "${BASH_SOURCE[0]}"; exit 2; }
found=""
for file in tutorials/[0-9][0-9]_*/exercises/*.mistakes; do
  file=${file%.mistakes}
  if [ "$1" = --check ]; then
    up_to_date "$file"
    continue
  fi
  for part; do
    case ${file/exercises\//} in *"$part"*) found+=" $part " && record "$file" ;; *) [ "$part" != all ] || record "$file" ;; esac
  done
done
for part; do [[ $part = all || $part = --check || $found = *" $part "* ]] || complain "no exercise has \"$part\" in its name"; done
exit "$failed"
