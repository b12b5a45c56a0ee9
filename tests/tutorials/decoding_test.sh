#!/usr/bin/env bash
# heed translate --model with the options of the search: n best with scores, prefixes, lengths, repeats, groups, and an
# ensemble of two models, on a language of letters that takes seconds. $1: the program heed.
heed=$1
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"
refused() {  # SENTENCE ARGUMENTS...
  local sentence=$1 code; shift
  "$heed" translate "$@" <in.txt >out.txt 2>err.txt
  code=$?
  [ "$code" = 2 ] || miss "$*: exit $code, not 2"
  grep -qF -- "$sentence" err.txt || miss "$*: expected \"$sentence\"; got $(cat err.txt)"
}
translate() { "$heed" translate "$@" <in.txt >out.txt 2>err.txt || miss "$*: exit $? $(cat err.txt)"; }

awk 'BEGIN { srand(3); for (i = 0; i < 400; ++i) { a = b = ""
  for (k = 2 + int(rand() * 4); k > 0; --k) { w = substr("abcdef", 1 + int(rand() * 6), 1)
    a = a (a == "" ? "" : " ") w; b = b (b == "" ? "" : " ") toupper(w) } print a "\t" b } }' >pairs.tsv
for seed in 1 2; do
  "$heed" train --pairs pairs.tsv --out m$seed --embedding 12 --hidden 16 --max-epochs 3 --min-frequency 1 --seed $seed \
    --bleu false --threads 1 >/dev/null 2>err.txt || miss "train $seed: $(cat err.txt)"
done
printf 'a b c\nd e f a\n' >in.txt

translate --model m1 --beam 4 --n-best 3
[ "$(grep -c . out.txt)" = 6 ] || miss "n best: $(grep -c . out.txt) lines, not 6"
[ "$(wc -l <out.txt)" = 8 ] || miss "n best: no empty line after each sentence"
awk -F'\t' 'NF && NF != 3 { exit 1 }' out.txt || miss "n best: not three columns"
awk -F'\t' 'NR <= 3 { if (NR > 1 && $1 > before) exit 1; before = $1 }' out.txt || miss "n best: not the best first"
best=$(head -n 1 out.txt | cut -f 3)
translate --model m1 --beam 4
[ "$(head -n 1 out.txt)" = "$best" ] || miss "the first of n best is not the best"

translate --model m1 --prefix 'F E'
[ "$(grep -c '^F E' out.txt)" = 2 ] || miss "prefix: $(cat out.txt)"
translate --model m1 --min-length 9
awk 'NF < 9 { exit 1 }' out.txt || miss "min length: $(cat out.txt)"
translate --model m1 --beam 3 --min-length 6 --no-repeat-ngram 1
awk '{ split("", seen); for (i = 1; i <= NF; ++i) if (seen[$i]++) exit 1 }' out.txt || miss "a word twice: $(cat out.txt)"
translate --model m1 --beam 6 --beam-groups 3 --diversity 5 --n-best 6
[ "$(head -n 6 out.txt | cut -f 3 | cut -d ' ' -f 1 | sort -u | grep -c .)" -ge 2 ] || miss "groups: $(cat out.txt)"
translate --model m1 --model m1
cp out.txt twice.txt
translate --model m1
cmp -s out.txt twice.txt || miss "a model twice translates otherwise than alone"
translate --model m1 --model m2 --beam 2
[ "$(wc -l <out.txt)" = 2 ] || miss "an ensemble: $(cat out.txt)"

refused '--n-best: needs a beam of at least as many hypotheses; got 3 with --beam 2' --model m1 --beam 2 --n-best 3
refused '--beam-groups: must divide the beam; got 2 groups for --beam 3' --model m1 --beam 3 --beam-groups 2
refused '--prefix: must be UTF-8; got byte 0xFF at offset 1' --model m1 --prefix $'F\xff'
refused '--prefix: must be made of words that the model can write; got "z"' --model m1 --prefix z
awk 'BEGIN { for (i = 0; i < 60; ++i) print "x" i " y\ty" i }' >other.tsv
"$heed" train --pairs other.tsv --out m3 --embedding 12 --hidden 16 --max-epochs 1 --min-frequency 1 --bleu false \
  --threads 1 >/dev/null 2>err.txt || miss "train 3: $(cat err.txt)"
refused 'the models of an ensemble must have the same vocabularies' --model m1 --model m3

# A line that the first model could take and the second cannot: the lines before it are answered.
"$heed" train --pairs pairs.tsv --out m4 --embedding 12 --hidden 16 --max-epochs 1 --min-frequency 1 --bleu false \
  --threads 1 --positions xpos:decay=1 --score location:max_source=60 >/dev/null 2>err.txt || miss "train 4: $(cat err.txt)"
for models in '--model m4' '--model m1 --model m4'; do
  { printf 'a b c\nd e f a\n'; printf 'a %.0s' {1..55}; printf '\nb\n'; } >in.txt
  # shellcheck disable=SC2086 # words
  refused 'at most 48 tokens, with </s> as many as the model has positions; got 55 in line 3' $models
  [ "$(wc -l <out.txt)" = 2 ] || miss "$models: $(wc -l <out.txt) lines answered before a line out of reach, not 2"
  [ "$(wc -l <err.txt)" = 1 ] || miss "$models: $(cat err.txt)"
  { printf 'a %.0s' {1..48}; printf '\nb\n'; } >in.txt
  # shellcheck disable=SC2086 # words
  translate $models --min-length 48
  awk 'NF != 48 { exit 1 }' out.txt || miss "$models: the output does not end at the reach: $(cat out.txt)"
done

[ "$failures" = 0 ] || { printf '%d missed\n' "$failures"; exit 1; }
