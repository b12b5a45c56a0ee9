#!/usr/bin/env bash
# heed translate --mine and heed generate --mine from outside: with the solutions of the exercises every part agrees with
# the library and the model trains, each part alone and none, too; a file whose gap is open is refused with the name of
# its exercise; the saved model gives the same translations in heed translate. The arguments are the programs: with the
# solutions, with the gaps, and heed.
solutions=$1 gaps=$2 heed=$3
# The parts of the recurrent translator r, the transformer t, the GPT g.
rows=$(cat "${BASH_SOURCE[0]%/*}/../../tutorials/app/mine/parts.inc")
parts_of() { sed -n "s/^{\"\([a-z_]*\)\",.*\"[a-z]*$1[a-z]*\"},$/\1/p" <<<"$rows"; }
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"

# The checks: one line for each part, and one for the whole model. checks MODEL PARTS GRADIENTS COMMAND..
checks() {
  "$solutions" "${@:4}" --check >out.txt 2>err.txt || miss "the solutions, $1: exit $?"
  [ "$(grep -c 'yours: .*agree with the library' out.txt)" = "$2" ] || miss "the solutions, $1: $(cat out.txt)"
  [ "$(grep -c 'yours: values and gradients agree' out.txt)" = "$3" ] || miss "$1: gradients are not checked: $(cat out.txt)"
  grep -q "^mine: the .* put together from these parts: log p and all gradients agree" out.txt || miss "$1: $(cat out.txt)"
  ! grep -q "the library's;" out.txt || miss "$1: not all is the learner's: $(cat out.txt)"
  "$gaps" "${@:4}" --check >out.txt 2>err.txt
  [ $? = 1 ] || miss "the gaps, $1: not exit 1"
  [ "$(grep -c 'not yet: ' out.txt)" = "$2" ] || miss "the gaps, $1: $(cat out.txt)"
  grep -q "^mine: 0 of $2 parts agree" out.txt || miss "the gaps, $1: no count"
  "$gaps" "${@:4}" --mine none --check >out.txt 2>err.txt || miss "nothing solved, $1: exit $?"
  [ "$(grep -c "the library's; ./heed exercise [0-9][0-9] [0-9]$" out.txt)" = "$2" ] || miss "nothing solved, $1: $(cat out.txt)"
  [ "$(wc -l <out.txt)" = $(($2 + 1)) ] || miss "nothing solved, $1: $(cat out.txt)"
}
checks recurrent 12 6
checks transformer 17 9 --paper transformer
checks gpt 11 6 generate

few=(--limit 1000 --epochs 1 --hidden 8 --embedding 8 --sentences 2 --batch-size 64 --threads 1)
for part in $(parts_of r); do
  "$gaps" --mine "$part" --out gaps >out.txt 2>err.txt </dev/null
  [ $? = 1 ] || miss "the gap of $part: not exit 1"
  exercise=$("$solutions" --help | sed -n "s|^  $part  *[0-9.]*  *\(\./heed exercise .*\)|\1|p")
  grep -q "^mine: $part .*not yet: .*; $exercise says what is wrong" out.txt || miss "the gap of $part: $(cat out.txt)"
  [ ! -d gaps ] || miss "the gap of $part: something was trained"
  "$solutions" --mine "$part" "${few[@]}" --out "$part" >out.txt 2>err.txt </dev/null || miss "$part alone: exit $?"
  grep -q '; 1 of its 12 parts are yours' out.txt || miss "$part alone: $(cat out.txt)"
  [ -s "$part/model.safetensors" ] || miss "$part alone: no model"
done

# The parts that a transformer has and the recurrent translator has not; and those of the GPT.
small=(--paper transformer --heads 2 --layers 1)
write=(generate --steps 2 --batch-size 2 --width 8 --heads 2 --layers 1 --sentences 1 --threads 1)
for part in $(parts_of t); do
  "$gaps" "${small[@]}" --mine "$part" --out gaps >out.txt 2>err.txt </dev/null
  [ $? = 1 ] || miss "the gap of $part: not exit 1"
  grep -q "^mine: $part .*not yet: .*; ./heed exercise [0-9]* [0-9] says what is wrong" out.txt || miss "the gap of $part: $(cat out.txt)"
  [ ! -d gaps ] || miss "the gap of $part: something was trained"
  parts_of r | grep -qx "$part" && continue
  "$solutions" "${few[@]}" "${small[@]}" --mine "$part" --out "$part" >out.txt 2>err.txt </dev/null || miss "$part alone: exit $? $(cat err.txt)"
  grep -q '; 1 of its 17 parts are yours' out.txt || miss "$part alone: $(cat out.txt)"
done
for part in $(parts_of g); do
  "$gaps" "${write[@]}" --mine "$part" >out.txt 2>err.txt </dev/null
  [ $? = 1 ] || miss "the gap of $part: not exit 1"
  grep -q "^mine: $part .*not yet: .*; ./heed exercise [0-9]* [0-9] says what is wrong" out.txt || miss "the gap of $part: $(cat out.txt)"
  "$solutions" "${write[@]}" --mine "$part" >out.txt 2>err.txt </dev/null || miss "$part alone in the GPT: exit $? $(cat err.txt)"
  grep -q '; 1 of its 11 parts are yours' out.txt || miss "$part alone in the GPT: $(cat out.txt)"
done

# What is right beside a part that is not: the last line names it.
"$gaps" --mine gru --check | tail -n 1 | grep -q "Without the others: --mine none$" || miss "nothing right: $("$gaps" --mine gru --check)"

# Nothing solved: all is the library's, and it works.
"$gaps" --mine none "${few[@]}" "${small[@]}" --out none >out.txt 2>err.txt </dev/null || miss "nothing solved: exit $?"
grep -q '; 0 of its 17 parts are yours' out.txt || miss "nothing solved: $(cat out.txt)"
[ -s none/model.safetensors ] || miss "nothing solved: no model"
printf 'the dog\n' | "$gaps" "${write[@]}" --mine none >none.txt 2>err.txt || miss "nothing solved, GPT: exit $? $(cat err.txt)"
grep -q '; 0 of its 11 parts are yours' none.txt || miss "nothing solved, GPT: $(cat none.txt)"

# Everything the learner's own: the GPT trains, writes the same as that of the library, and goes on with a text.
printf 'the dog\n' | "$solutions" "${write[@]}" --mine all >all.txt 2>err.txt || miss "all parts of the GPT: exit $? $(cat err.txt)"
grep -q '; 11 of its 11 parts are yours' all.txt || miss "all parts of the GPT: $(cat all.txt)"
grep -q '^the dog' all.txt || miss "the GPT does not go on with a line: $(cat all.txt)"
[ "$(grep '^loss' all.txt)" = "$(grep '^loss' none.txt)" ] || miss "the GPT learns otherwise: $(grep '^loss' all.txt none.txt)"
"$solutions" "${write[@]}" --mine all 'a child' >out.txt 2>err.txt </dev/null || miss "a text for the GPT: exit $?"
tail -n 1 out.txt | grep -q '^a child' || miss "a text for the GPT: $(cat out.txt)"
"$solutions" "${write[@]}" --mine all 'Zürich' >out.txt 2>err.txt </dev/null
[ $? = 2 ] || miss "a letter that the grammar lacks: not exit 2"
grep -q 'got "Zürich"' err.txt || miss "a letter that the grammar lacks: $(cat err.txt)"
"$solutions" generate --width 6 --heads 4 >out.txt 2>err.txt </dev/null
[ $? = 2 ] || miss "heads that do not divide the width: not exit 2"

# The transformer of all parts learns too, and the library translates the same with its parameters.
printf 'i love reading\n\nwe speak\n' >lines.txt
"$solutions" --mine all --paper transformer --limit 1000 --longest 3 --epochs 40 --hidden 32 --heads 2 --layers 1 --batch-size 16 \
  --beam 1 --sentences 2 --threads 2 --out whole >out.txt 2>err.txt <lines.txt || miss "all parts of the transformer: exit $?"
grep -q '; 17 of its 17 parts are yours' out.txt || miss "all parts of the transformer: $(cat out.txt)"
tail -n 3 out.txt >mine.txt
"$heed" translate --model whole <lines.txt >library.txt 2>err2.txt || miss "the saved transformer: exit $? $(cat err2.txt)"
cmp -s mine.txt library.txt || miss "the saved transformer translates otherwise: $(cat mine.txt library.txt)"
grep -qxF "j'aime lire" mine.txt || miss "the transformer: a sentence of training is not translated: $(cat mine.txt)"

# All twelve of the recurrent one: it learns, and the library translates the same with its parameters.
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
"$solutions" --mine gru --paper transformer --check >out.txt 2>err.txt
[ $? = 2 ] || miss "a part that a transformer lacks: not exit 2"
"$heed" generate --mine softmax </dev/null >out.txt 2>err.txt
[ $? = 2 ] || miss "heed generate itself: not exit 2"
grep -q 'needs a program that is built with your files' err.txt || miss "heed generate itself: $(cat err.txt)"
printf '%d missed\n' "$failures"
[ "$failures" = 0 ]
