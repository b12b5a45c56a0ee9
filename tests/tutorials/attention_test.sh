#!/usr/bin/env bash
# heed attention as a user meets it: overview, list, one entry, JSON. What it refuses: bad_input_test.sh. $1: the program heed.
set -u
heed=$1
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
export LC_ALL=C.UTF-8 NO_COLOR=1 COLUMNS=120
failed=0
expect() {  # PATTERN ARGUMENTS...: exit code 0, and a line in what was printed
  local pattern=$1 got; shift
  "$heed" attention "$@" >"$box/text" 2>&1
  got=$?
  if [ $got != 0 ] || ! grep -q -- "$pattern" "$box/text"; then
    echo "heed attention $*: expected exit 0 and \"$pattern\"; got exit $got and:"
    head -n 20 "$box/text"
    failed=1
  fi
}
fail() { echo "$*"; failed=1; }

expect ' properties of theirs tested$'
[ "$("$heed" attention | grep -c '^  normalisers ')" = 1 ] || fail "a family stands in two places"
for id in A1 A2 A3 A4 A5 A6 A7 A8 A10 A11 A12 A13 A14 A14b A15 A16 A16b A17 B1 B3 B4 B5 B6 B7 B8 B9 B11 B12 B13 \
  B14 B15 B15b B16 C1 C2 C3 C4 C5 C11 C13 D1 D2 D9 D11 E1 E2 E3 E4 E5 E6 E7 E8 F1 F2 \
  I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I11; do expect "^  $id " --list; done
expect 'e = v . tanh(W q + U k + b)' --list
expect 'Bahdanau, Cho and Bengio, ICLR 2015' --list
expect '^C1 global .*C2 local_m' --list
# The last query of the causal mask sees everything, the first itself: the corners of its picture.
expect '^  Which query may attend' causal
expect '^██· · · · · · · $' C11
expect '^████████████████$' C11
expect 'The weights change if the keys change. Not here: it does not read the keys' location
expect '^    No score exceeds the sum of the absolute output weights, since a tanh comes before them\.$' A5
expect 'heed train --encoder-mixers fnet' fnet
"$heed" attention A5 >"$box/id"
"$heed" attention additive | cmp -s - "$box/id" || fail "A5 and additive differ"

expect '' --list --json "$box/all.json"
for key in id also name kind family formula paper year tier properties exempt; do
  grep -q "\"$key\": " "$box/all.json" || fail "JSON without $key"
done
[ "$(grep -c '^    "id": ' "$box/all.json")" = "$("$heed" attention --list | grep -cE '^  [A-Z][0-9]+[a-z]? ')" ] ||
  fail "JSON and list differ in their number of entries"
expect '' softmax --json "$box/one.json"
[ "$(grep -c '"id": ' "$box/one.json")" = 1 ] || fail "JSON of one entry holds more"

# The drawing that shows an entry.
expect '' causal --drawing "$box/masks.svg"
grep -q '<title id="drawing-masks-title">' "$box/masks.svg" || fail "the drawing of the causal scope is not that of the masks"
exit $failed
