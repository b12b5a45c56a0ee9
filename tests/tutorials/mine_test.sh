#!/usr/bin/env bash
# heed translate --mine from outside: with the solutions of the twelve exercises every part agrees with the library and
# the translator trains, each part alone too; a file whose gap is open is refused with the name of its exercise; the
# saved model gives the same translations in heed translate. The arguments are the programs: with the solutions, with
# the gaps, and heed.
solutions=$1 gaps=$2 heed=$3
parts=$(grep -v '^#' "${BASH_SOURCE[0]%/*}/../../tutorials/app/mine/parts.txt" | cut -d ' ' -f 1)
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"

# The checks: one line for each part, and one for the whole translator.
"$solutions" --check >out.txt 2>err.txt || miss "the solutions: exit $?"
[ "$(grep -c 'agree with the library' out.txt)" = 13 ] || miss "the solutions: $(cat out.txt)"
[ "$(grep -c 'values and gradients agree' out.txt)" = 6 ] || miss "gradients are not checked: $(cat out.txt)"
"$gaps" --check >out.txt 2>err.txt
[ $? = 1 ] || miss "the gaps: not exit 1"
[ "$(grep -c 'not yet: ' out.txt)" = 12 ] || miss "the gaps: $(cat out.txt)"
grep -q '^mine: 0 of 12 parts agree' out.txt || miss "the gaps: no count"

few=(--limit 1000 --epochs 1 --hidden 8 --embedding 8 --sentences 2 --batch-size 64 --threads 1)
for part in $parts; do
  "$gaps" --mine "$part" --out gaps >out.txt 2>err.txt </dev/null
  [ $? = 1 ] || miss "the gap of $part: not exit 1"
  exercise=$("$solutions" --help | sed -n "s|^  $part  *[0-9.]*  *\(\./heed exercise .*\)|\1|p")
  grep -q "^mine: $part .*not yet: .*; $exercise says what is wrong" out.txt || miss "the gap of $part: $(cat out.txt)"
  [ ! -d gaps ] || miss "the gap of $part: something was trained"
  "$solutions" --mine "$part" "${few[@]}" --out "$part" >out.txt 2>err.txt </dev/null || miss "$part alone: exit $?"
  grep -q '; 1 of its 12 parts are yours' out.txt || miss "$part alone: $(cat out.txt)"
  [ -s "$part/model.safetensors" ] || miss "$part alone: no model"
done

# All twelve: it learns, and the library translates the same with its parameters.
printf 'i love reading\n\nwe speak\n' >lines.txt
"$solutions" --mine all --limit 1000 --longest 3 --epochs 60 --hidden 32 --embedding 24 --batch-size 16 --beam 1 --sentences 2 \
  --threads 2 --out all >out.txt 2>err.txt <lines.txt || miss "all parts: exit $?"
grep -q '; 12 of its 12 parts are yours' out.txt || miss "all parts: $(cat out.txt)"
tail -n 3 out.txt >mine.txt
"$heed" translate --model all <lines.txt >library.txt 2>err2.txt || miss "the saved model: exit $?"
cmp -s mine.txt library.txt || miss "the saved model translates otherwise: $(cat mine.txt library.txt)"
grep -qxF "j'aime lire" mine.txt || miss "all parts: a sentence of training is not translated: $(cat mine.txt)"

"$solutions" --mine softmax,soft >out.txt 2>err.txt
[ $? = 2 ] || miss "an unknown part: not exit 2"
grep -q 'got "soft"' err.txt || miss "an unknown part: $(cat err.txt)"
"$heed" translate --mine softmax </dev/null >out.txt 2>err.txt
[ $? = 2 ] || miss "heed itself: not exit 2"
grep -q 'needs a program that is built with your files' err.txt || miss "heed itself: $(cat err.txt)"
printf '%d missed\n' "$failures"
[ "$failures" = 0 ]
