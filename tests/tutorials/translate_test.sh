#!/usr/bin/env bash
# heed translate from outside: a saved model is reused; as many lines come out as go in; a damaged one is one sentence,
# exit 2, and stays as it is; Ctrl-C saves. Other bad input: bad_input_test.sh. The arguments are the program, and how
# it was compiled.
heed=$1 compiled=${2:-}
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"

# refused "part of the sentence" ARGUMENTS...
refused() {
  local part=$1 code=0
  shift
  "$heed" translate "$@" </dev/null >out.txt 2>err.txt || code=$?
  [ "$code" = 2 ] || miss "$*: exit $code, not 2"
  [ "$(wc -l <err.txt)" = 1 ] || miss "$*: $(wc -l <err.txt) lines on standard error"
  [ ! -s out.txt ] || miss "$*: something on standard output"
  grep -qF -- "$part" err.txt || miss "$*: $(cat err.txt)"
}

{ head -c 2000000 /dev/zero | tr '\0' 'w' | sed 's/ww/w /g'; echo; } >million.txt
mkdir trunk

# A small real run, and what comes after it.
train=(translate --limit 600 --epochs 1 --hidden 16 --embedding 16 --out run)
printf 'I am a student\n\nthe kitten is tired\n' | "$heed" "${train[@]}" >out.txt 2>err.txt || miss "training: exit $?"
[ -s run/report.html ] || miss "training: no report"
[ -s run/model.safetensors ] || miss "training: no model"
grep -q 'exact' out.txt || miss "training: no figures"
grep -q 'cells are gold links' run/report.html || miss "the report says nothing of gold links"
awk 'BEGIN { for (i = 0; i < 60; ++i) printf "a b %d\tc d %d\n", i, i }' >own.tsv
"$heed" translate --pairs own.tsv --epochs 1 --hidden 8 --embedding 8 --min-frequency 1 --out own </dev/null >out2.txt 2>err2.txt ||
  miss "own pairs: $(tail -n 1 err2.txt)"
grep -qi 'no gold\|cells are gold links\|with the gold links' own/report.html && miss "the report speaks of gold links, which own pairs do not have"
# What it does comes before how well it does it: a translation before perplexity, BLEU and alignment error.
head -n 2 out.txt | grep -q '^translation ' || miss "training: it begins with: $(head -n 2 out.txt)"
first=$(grep -n '^translation ' out.txt | cut -d: -f1 | head -n 1)
for word in perplexity BLEU 'alignment error'; do
  [ "$(grep -n "$word" out.txt | cut -d: -f1 | head -n 1)" -gt "$first" ] || miss "training: $word before a translation"
  ! grep -q "$word" err.txt || miss "training: $word while it trains"
done
grep -q 'line 3: unknown "kitten"; nearest: "kitchen"' err.txt || miss "unknown word: $(cat err.txt)"
cp run/model.safetensors first.safetensors
# How sources are compiled, alone or together, at -O1 or -Og, must not change a bit of a trained model. Bits are those of
# a compiler and a processor. A change of the numbers that is meant to be one has a new sum here.
case "$compiled $(grep -m 1 -o avx512f /proc/cpuinfo 2>/dev/null)" in
  'GNU 12.'*' Release native=ON avx512f')
    sum=$(sha256sum <run/model.safetensors)
    [ "${sum%% *}" = 995db6dfeaea52fb6e167f5946601fbf76551e60c2b93caa830cd6aed35e8fda ] ||
      miss "training: the model has other bits than before; its sum is ${sum%% *}" ;;
esac
printf 'I am a student\n' | "$heed" "${train[@]}" >again.txt 2>err.txt || miss "reuse: exit $?"
grep -q 'using the model in run/model.safetensors' err.txt || miss "reuse: $(cat err.txt)"
cmp -s first.safetensors run/model.safetensors || miss "reuse: the model was written again"
printf 'one\n\nthree\n' | "$heed" translate --model run >lines.txt 2>err.txt || miss "--model: exit $?"
[ "$(wc -l <lines.txt)" = 3 ] || miss "--model: not as many lines as came in"
[ ! -s err.txt ] || miss "--model: $(cat err.txt)"
"$heed" translate --model run <million.txt >out.txt 2>err.txt
[ $? = 2 ] || miss "a line of a million words: not exit 2"
grep -q 'a line may have at most 100000 bytes; got [0-9]* in line 1' err.txt || miss "a line of a million words: $(cat err.txt)"
{ echo I am a student; head -c 3000 million.txt; echo; } | "$heed" translate --model run >out.txt 2>err.txt
[ $? = 2 ] || miss "a line of too many words: not exit 2"
grep -q 'at most 1000 words; got [0-9]* in line 2' err.txt || miss "a line of too many words: $(cat err.txt)"
[ "$(wc -l <out.txt)" = 1 ] || miss "a line of too many words: the line before was not answered"

# Lines that are there at once are translated together, sorted by length; the answers are those of each line alone, in
# the order of the lines.
sentences=('I am a student' 'she is' '' 'the cat is tired and the dog is in the garden' 'you are happy' 'we' 'the the the'
  'they are students and she is a student and you are a student')
for options in '' '--beam 3' '--beam 2 --n-best 2' '--replace-unk'; do
  # shellcheck disable=SC2086 # words
  for line in "${sentences[@]}"; do
    printf '%s\n' "$line" | "$heed" translate --model run $options
  done >alone.txt 2>err.txt
  # shellcheck disable=SC2086 # words
  for _ in $(seq 200); do printf '%s\n' "${sentences[@]}"; done | "$heed" translate --model run $options >many.txt 2>err.txt ||
    miss "many lines $options: exit $?"
  for _ in $(seq 200); do cat alone.txt; done | cmp -s - many.txt || miss "many lines $options: not those of each line alone"
done

# A line is answered before the next one is written.
mkfifo questions
"$heed" translate --model run <questions >answers.txt 2>err.txt &
job=$!
exec 3>questions
for n in 1 2 3; do
  printf 'I am a student\nwe\n' >&3
  for _ in $(seq 100); do [ "$(wc -l <answers.txt)" = $((2 * n)) ] && break; sleep 0.1; done
  [ "$(wc -l <answers.txt)" = $((2 * n)) ] || miss "a pipe that stays open: $(wc -l <answers.txt) answers to $((2 * n)) lines"
done
# A line of which only the beginning is there holds up no line before it, however the bytes fall into blocks: 273 lines
# are 4,095 bytes.
before=$(wc -l <answers.txt)
{ yes 'I am a student' | head -n 273; printf 'we are'; } >half.txt
cat half.txt >&3
for _ in $(seq 100); do [ "$(wc -l <answers.txt)" = $((before + 273)) ] && break; sleep 0.1; done
[ "$(wc -l <answers.txt)" = $((before + 273)) ] ||
  miss "half a line in a pipe: $(($(wc -l <answers.txt) - before)) answers to 273 lines"
echo >&3
exec 3>&-
wait "$job" || miss "a pipe that stays open: exit $?"
[ "$(wc -l <answers.txt)" = $((before + 274)) ] || miss "the other half of a line: $(wc -l <answers.txt) answers"

head -c 20000 run/model.safetensors >trunk/model.safetensors
refused 'load: "trunk/model.safetensors"' --model trunk
cp trunk/model.safetensors before.safetensors
refused '--retrain replaces it' --limit 600 --epochs 1 --hidden 16 --embedding 16 --out trunk
cmp -s before.safetensors trunk/model.safetensors || miss "a refused checkpoint was touched"

# Ctrl-C while training: the best so far is saved, exit 130, and the model can be used.
"$heed" translate --epochs 500 --hidden 16 --embedding 16 --limit 600 --out stopped </dev/null >out.txt 2>err.txt &
job=$!
for _ in $(seq 100); do [ -s stopped/model.safetensors ] && break; sleep 0.2; done
kill -INT "$job"
wait "$job"
[ $? = 130 ] || miss "Ctrl-C: not exit 130"
grep -q 'the best model so far is in stopped/model.safetensors' err.txt || miss "Ctrl-C: $(tail -n 1 err.txt)"
echo 'I am a student' | "$heed" translate --model stopped >out.txt 2>err.txt || miss "after Ctrl-C: exit $?"

printf '%d missed\n' "$failures"
[ "$failures" = 0 ]
