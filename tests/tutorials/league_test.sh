#!/usr/bin/env bash
# heed attention --compare as a user meets it: a league of four, stopped and continued, given another variant, and
# refused where its sizes differ. What it measures depends on the clock only in microseconds. $1: the program heed.
set -u
heed=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 3
export LC_ALL=C.UTF-8 NO_COLOR=1 COLUMNS=120
failures=0
miss() { printf 'MISS %s\n' "$*"; failures=$((failures + 1)); }
league() { "$heed" attention --compare --quick --architecture seq2seq --out "$@" 2>err; }
# The rows without what a clock says.
timeless() { grep -vE '"(microseconds|time_slope)"' "$1"; }

league one --variants additive,local_m >text || miss "a league of five: exit $?, $(tail -n 1 err)"
for name in additive local_m 'no attention' even shuffled; do
  grep -q " $name .*%" text || miss "no row of $name"
done
for key in inside beyond parameters steps_to_90 bytes work work_slope curve weights; do
  grep -q "\"$key\"" one/league.json || miss "league.json has no $key"
done
grep -q 'the attention weights of two variants' one/report.html || miss "the page does not compare two"

# A variant is added to a finished league; what was there stays, byte by byte.
cp one/league.json before.json
league one --variants dot >text || miss "dot was not added: $(tail -n 1 err)"
grep -q ' dot .*%' text || miss "no row of dot"
grep -q ' additive .*%' text || miss "the rows before are gone"
[ "$(wc -l <before.json)" -lt "$(wc -l <one/league.json)" ] || miss "the file did not grow"

# The same numbers from another run, and after an interruption.
league two --variants additive,local_m,dot >text || miss "a second league: $(tail -n 1 err)"
cmp -s <(timeless one/league.json | sort) <(timeless two/league.json | sort) || miss "two leagues differ"

# What does not go together says so, and takes nobody with it.
league one --variants linear,positions >text 2>/dev/null
league one --task recall --variants sinkhorn >text || miss "recall: $(tail -n 1 err)"
league one --steps 80 >text && miss "another number of steps was taken into the same league"
grep -q 'hint: another --out' err || miss "refused without a hint: $(cat err)"

[ "$failures" = 0 ] || { printf '%d missed\n' "$failures"; exit 1; }
