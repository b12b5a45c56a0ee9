#!/usr/bin/env bash
# Makes tutorials/NN_name/result.json and figures.json anew, after a change of what a lesson measures: results.sh [NN..]
#
# Each lesson (or those of the numbers given) runs in full with seeds 1, 2 and 3, which takes half an hour for all of them
# on two idle cores. result.json becomes an array of what the three runs wrote, one a line; figures.json is that of seed 1.
# measured_test.cpp then says which numbers of the chapter are no longer those of the runs.
set -eu
top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
[ $# != 0 ] || set -- "$top"/tutorials/[0-9][0-9]_*
for lesson; do
  lesson=${lesson##*/}
  for folder in "$top"/tutorials/"${lesson%%_*}"_*; do lesson=${folder##*/}; done
  for seed in 1 2 3; do
    "$top/heed" run "${lesson%%_*}" --no-ask --seed "$seed" --out "$box/$lesson/$seed" >"$box/log" ||
      { tail -n 20 "$box/log" >&2; echo "$lesson: seed $seed failed; nothing written" >&2; exit 1; }
    { [ "$seed" = 1 ] && echo '[' || echo ','; sed 's/^ *//' "$box/$lesson/$seed/result.json" | tr -d '\n'; } >>"$box/$lesson.json"
  done
  printf '\n]\n' >>"$box/$lesson.json"
  cp "$box/$lesson.json" "$folder/result.json"
  cp "$box/$lesson/1/figures.json" "$folder/figures.json"
  echo "$lesson: result.json, figures.json"
done
