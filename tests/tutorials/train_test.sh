#!/usr/bin/env bash
# heed train and heed translate --model from outside, on a language of letters that takes seconds: a run that is killed
# twenty times, stopped by Ctrl-C, or that met a full disk, goes on and ends with the bits of one that ran through; two
# trainers on one folder are refused; translations have as many lines as the input, whatever the batch.
# What options and files are refused before anything is written: bad_input_test.sh. The argument is the program.
heed=$1
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"
RANDOM=7

now() { echo $(($(date +%s%N) / 1000000)); }
# The records without what a clock says.
timeless() { sed -E 's/"(seconds|tokens_per_second)":[^,}]*//g' "$1"; }
# same A B: two runs have ended in the same bits
same() {
  local f
  cmp -s "$1/model.safetensors" "$2/model.safetensors" || miss "$2: another model.safetensors than $1"
  cmp -s "$1/samples.jsonl" "$2/samples.jsonl" || miss "$2: other samples than $1"
  cmp -s <(timeless "$1/metrics.jsonl") <(timeless "$2/metrics.jsonl") || miss "$2: other metrics than $1"
  for f in "$2"/.heed-*; do [ ! -e "$f" ] || miss "$2: $f is left"; done
}
sentences 600 1 train
sentences 40 2 valid
files=(--src train.s --tgt train.t --valid-src valid.s --valid-tgt valid.t)
small=(--threads 1 --hidden 16 --embedding 16 --learning-rate 0.01 --dropout 0.2 --schedule inverse_sqrt --warmup 20)
run=(train "${files[@]}" "${small[@]}" --bpe 12 --batch-tokens 60 --accumulate 2 --log-every 7)

# --- a run that is killed twenty times
averages=(--average 3 --measure bleu --max-epochs 150)
begin=$(now)
"$heed" "${run[@]}" "${averages[@]}" --out straight >out.txt 2>err.txt || miss "straight: exit $? $(tail -n 1 err.txt)"
took=$(($(now) - begin))
grep -q '^validation perplexity' out.txt || miss "straight: no perplexity on standard output"
grep -q '^validation BLEU' out.txt || miss "straight: no BLEU on standard output"
[ -s straight/report.html ] || miss "straight: no report"
[ "$(grep -c '"kind":"epoch"' straight/metrics.jsonl)" = 150 ] || miss "straight: not 150 epochs in metrics.jsonl"
"$heed" "${run[@]}" --score general --evaluator paged --max-epochs 1 --out paged >/dev/null 2>err.txt
[ -s paged/report.html ] || miss "no weights to show: $(tail -n 1 err.txt)"
kills=0
"$heed" "${run[@]}" "${averages[@]}" --out killed --save-minutes 0.0003 >/dev/null 2>&1 &
job=$!
while [ "$kills" -lt 20 ]; do  # in a third of the time that the straight run took, which may have been on a busy machine
  sleep "$(awk -v t="$took" -v r="$RANDOM" 'BEGIN { print (20 + r / 32767 * t / 30) / 1000 }')"
  kill -KILL "$job" 2>/dev/null || break
  wait "$job" 2>/dev/null
  kills=$((kills + 1))
  # Killed before the folder had its configuration, it begins anew.
  [ -s killed/config.json ] && again=(--resume --threads 1) || again=("${files[@]}" "${small[@]}" --bpe 12 --batch-tokens 60
    --accumulate 2 --log-every 7 "${averages[@]}")
  "$heed" train --out killed --save-minutes 0.0003 "${again[@]}" >out.txt 2>err.txt &
  job=$!
done
wait "$job" || miss "killed: exit $? $(tail -n 1 err.txt)"
[ "$kills" = 20 ] || miss "killed: only $kills times, then it had finished"
same straight killed

# --- the same with a moving average, stopped by Ctrl-C and by time, and then by a disk that is full
moving=(--ema 0.9)
"$heed" "${run[@]}" "${moving[@]}" --max-epochs 12 --out whole >/dev/null 2>err.txt || miss "whole: $(tail -n 1 err.txt)"
"$heed" "${run[@]}" "${moving[@]}" --max-epochs 5 --out parts >out.txt 2>err.txt || miss "parts: $(tail -n 1 err.txt)"
"$heed" train --out parts --resume --threads 1 --max-minutes 0.000001 --max-epochs 12 >out.txt 2>err.txt || miss "time: $?"
grep -q '^epochs *5$' out.txt || miss "time: $(cat out.txt)"
cp -r parts full
(ulimit -f 40; exec "$heed" train --out full --resume --threads 1 --max-epochs 12 --max-minutes 0) >out.txt 2>err.txt
code=$?
[ "$code" = 2 ] || miss "full disk: exit $code"
tail -n 1 err.txt | grep -q '^write: cannot write "full/.*": File too large$' || miss "full disk: $(tail -n 1 err.txt)"
for file in last.safetensors model.safetensors; do
  cmp -s parts/$file full/$file || miss "full disk: $file has changed"
done
"$heed" train --out full --resume --threads 1 >out.txt 2>err.txt || miss "full, again: $(tail -n 1 err.txt)"
same whole full
"$heed" "${run[@]}" "${moving[@]}" --max-epochs 100000 --out stopped >out.txt 2>err.txt &
job=$!
for _ in $(seq 100); do [ -s stopped/model.safetensors ] && break; sleep 0.1; done
"$heed" train --out stopped --resume >out2.txt 2>err2.txt
[ $? = 2 ] || miss "two trainers: not exit 2"
[ "$(cat err2.txt)" = 'train: a folder takes one writer at a time; got "stopped", where another is at work; hint: --out names another folder' ] ||
  miss "two trainers: $(cat err2.txt)"
kill -INT "$job"
wait "$job"
[ $? = 130 ] || miss "Ctrl-C: not exit 130"
tail -n 1 err.txt | grep -q '^interrupted: saved at step [0-9]*; heed train --out stopped --resume goes on$' ||
  miss "Ctrl-C: $(tail -n 1 err.txt)"

# --- words that are all too rare
"$heed" "${run[@]}" --min-frequency 9999 --max-epochs 1 --out rare >out.txt 2>err.txt || miss "rare: $(tail -n 1 err.txt)"
[ "$(grep -c '^no word of the \(source\|target\) occurs 9999 times, .* --min-frequency' err.txt)" = 2 ] || miss "rare: $(cat err.txt)"

# --- help: 80 columns, and only what a run of heed train can be
COLUMNS=80 "$heed" train --help >help.txt || miss "help: exit $?"
[ "$(awk 'length > 80' help.txt | wc -l)" = 0 ] || miss "help: lines of more than 80 columns"
grep -q -- '--output' help.txt || miss "help: no --output"
grep -q -- '--checkpoint' help.txt || miss "help: no --checkpoint"
grep -q 'synthesizer_random:max_source=  *number' help.txt || miss "help: no space after a long setting"
grep -q '(0.0 | 0.0,1.1)' help.txt && miss "help: the heads to prune look like a choice of two"
tr -s ' \n' ' ' <help.txt >flat.txt
grep -q 'softmax | pointer_generator | copynet; default softmax' flat.txt || miss "help: outputs"
grep -q 'softmax | sparsemax | entmax | .* | gumbel | argmax | relu | .*; default softmax' flat.txt || miss "help: normalisers"

# --- an id of the catalogue in the place of a name
"$heed" train "${files[@]}" "${small[@]}" --score A3 --max-epochs 1 --out byid >/dev/null 2>err.txt ||
  miss "score A3: $(tail -n 1 err.txt)"
grep -q '"score": "general"' byid/config.json || miss "score A3: $(grep score byid/config.json)"

# --- a transformer that copies: a word that no training sentence has comes out as itself, greedy and with a beam
names() {  # names N SEED NAME WORD: pairs of equal sentences, in which a fifth of the words are WORD and a number
  awk -v n="$1" -v seed="$2" -v s="$3.s" -v t="$3.t" -v word="$4" 'BEGIN {
    srand(seed)
    for (i = 0; i < n; ++i) {
      a = ""
      for (k = 0; k < 4; ++k) {
        w = substr("abcdefgh", 1 + int(rand() * 8), 1); if (rand() < .2) w = word int(rand() * 4000)
        a = a (a == "" ? "" : " ") w
      }
      print a > s; print a > t
    }
  }'
}
names 600 1 names known
names 40 2 others other
"$heed" train --src names.s --tgt names.t --valid-src others.s --valid-tgt others.t --paper transformer \
  --output pointer_generator --positions learned --width 32 --heads 4 --inner 64 --layers 1 --dropout 0.1 \
  --learning-rate 0.01 --warmup 30 --batch-size 16 --min-frequency 5 --max-epochs 8 --threads 1 --out copies \
  >out.txt 2>err.txt || miss "copies: exit $? $(tail -n 1 err.txt)"
grep -q '"output": "pointer_generator"' copies/config.json || miss "copies: the output is not in config.json"
for beam in 1 4; do
  "$heed" translate --model copies --beam "$beam" <others.s >copied.txt 2>err.txt || miss "copies: $(tail -n 1 err.txt)"
  [ "$(diff others.s copied.txt | grep -c '^<')" -le 2 ] || miss "copies, beam $beam: $(diff others.s copied.txt | head -n 4)"
done

# --- with byte-pair encoding --max-length and the limits of a line count pieces: a word of 5 kB is one word of 5,000
long=$(head -c 5000 /dev/zero | tr '\0' a)
{ cat train.s; echo "a $long"; } >word.s
{ cat train.t; echo "A A"; } >word.t
cp valid.t judged.t
sed "1s/.*/$long/" valid.s >judged.s
"$heed" train --src word.s --tgt word.t --valid-src judged.s --valid-tgt judged.t --threads 1 --preset multi30k-tiny \
  --bpe 12 --limit 0 --max-epochs 1 --out pieces >out.txt 2>err.txt || miss "pieces: exit $? $(tail -n 1 err.txt)"
grep -q '1 training pair longer than 100 pieces left out (--max-length)' err.txt || miss "pieces: $(cat err.txt)"
grep -q '1 validation pair longer than 200 pieces left out' err.txt || miss "pieces: $(cat err.txt)"
for command in translate embed; do
  echo "$long" | timeout 10 "$heed" "$command" --model pieces >out.txt 2>err.txt
  [ $? = 2 ] || miss "$command: a word of 5 kB: not exit 2"
  grep -q "$command: a line may have at most 1000 pieces of words; got 4999 in line 1" err.txt ||
    miss "$command: a word of 5 kB: $(cat err.txt)"
done

# --- config.json: a key that is missing means the default, one that nothing is called is refused
cp -r whole less
grep -vE '^    "(evaluator|memory|checkpoint|precision|samples)":' whole/config.json >less/config.json
[ "$(wc -l <less/config.json)" = $(($(wc -l <whole/config.json) - 5)) ] || miss 'less: not five keys'
cp -r whole new
for again in less new; do
  "$heed" train --out $again --resume --threads 1 --max-epochs 14 >out.txt 2>err.txt || miss "$again: $(tail -n 1 err.txt)"
done
same new less
cmp -s less/config.json new/config.json || miss 'less: the defaults are not written'

# --- stages of attention by name, by id, and layer by layer
by_name() {  # OUT ARGUMENTS...
  local out=$1
  shift
  "$heed" train "${files[@]}" --threads 1 --max-epochs 1 --limit 100 --out "$out" "$@" >out.txt 2>err.txt ||
    miss "$out: $(tail -n 1 err.txt)"
}
narrow=(--hidden 8 --embedding 8 --dropout 0)
by_name named "${narrow[@]}" --score general --scope dilated:4,gap=3 --normaliser gumbel:temperature=0.5
by_name called "${narrow[@]}" --attention 'general,dilated:4,gap=3' --attention Gumbel:temperature=0.5
cmp -s named/model.safetensors called/model.safetensors || miss '--attention: another model than by the options'
for line in '"score": "general"' '"scope": "dilated:window=4,gap=3"' '"normaliser": "gumbel:temperature=0.5"'; do
  grep -qF "$line" called/config.json || miss "--attention: no $line"
done
by_name copies_too "${narrow[@]}" --attention D8 --coverage-loss 0.5
printf 'a zz\n' | "$heed" translate --model copies_too >out.txt 2>err.txt || miss "copies_too: $(cat err.txt)"
by_name mixed_layers --paper transformer --width 16 --heads 2 --inner 16 --layers 2 --score cosine \
  --position t5 --mixers attention,window:2
printf 'a b c d\n' | "$heed" translate --model mixed_layers >out.txt 2>err.txt || miss "mixers: $(cat err.txt)"
"$heed" train --out mixed_layers --resume --threads 1 --mixers attention >out.txt 2>err.txt && miss '--mixers may change'
grep -q '^train: --resume goes on with --mixers "attention,window:2"; got "attention"$' err.txt || miss "mixers: $(cat err.txt)"

# --- checkpoints: the same bits, from the beginning or from the second epoch on
deep=(--paper transformer --width 16 --heads 2 --inner 16 --layers 3 --dropout 0.1 --accumulate 2
  --batch-size 16 --schedule constant)
by_name stored "${deep[@]}"
by_name again "${deep[@]}" --checkpoint 2
same stored again
grep -q '"checkpoint": 2' again/config.json || miss 'checkpoint: not in config.json'
"$heed" train --out stored --resume --threads 1 --max-epochs 2 --checkpoint 1 >out.txt 2>err.txt ||
  miss "stored: $(tail -n 1 err.txt)"
"$heed" train --out again --resume --threads 1 --max-epochs 2 >out.txt 2>err.txt || miss "again: $(tail -n 1 err.txt)"
same stored again

# --- a model that was removed is made again from the state of its run
mv again/model.safetensors removed
"$heed" train --out again --resume --threads 1 --max-epochs 2 >out.txt 2>err.txt || miss "removed: $(tail -n 1 err.txt)"
cmp -s again/model.safetensors removed || miss 'removed: another model'

# --- bf16: the same bits with one thread and with two, and when it goes on; files of f32 that every build can read
by_name rounded "${deep[@]}" --precision bf16
grep -q '"precision": "bf16"' rounded/config.json || miss 'precision: not in config.json'
grep -aq 'BF16' rounded/model.safetensors && miss 'precision: the model is not f32'
"$heed" train --out rounded --resume --threads 2 --max-epochs 2 >out.txt 2>err.txt || miss "rounded: $(tail -n 1 err.txt)"
"$heed" train "${files[@]}" --threads 1 --max-epochs 2 --limit 100 --out at_once "${deep[@]}" --precision bf16 \
  >out.txt 2>err.txt || miss "at_once: $(tail -n 1 err.txt)"
same at_once rounded
cmp -s rounded/model.safetensors stored/model.safetensors && miss 'precision: bf16 changes nothing'
printf 'a b\n' | "$heed" translate --model rounded >out.txt 2>err.txt || miss "rounded: $(cat err.txt)"
"$heed" train --out rounded --resume --precision f32 >out.txt 2>err.txt && miss '--precision may change'
grep -q '^train: --resume goes on with --precision "bf16"; got "f32"$' err.txt || miss "precision: $(cat err.txt)"

# --- what a run that goes on may not change
refused() {  # SENTENCE ARGUMENTS...
  local sentence=$1 code=0 state
  shift
  state=$(cat whole/* edited/* 2>/dev/null | cksum)
  "$heed" train "$@" >out.txt 2>err.txt || code=$?
  if [ "$code" != 2 ] || [ "$(cat err.txt)" != "$sentence" ] || [ -s out.txt ]; then
    miss "$*: exit $code $(cat err.txt)"
  fi
  [ "$(cat whole/* edited/* 2>/dev/null | cksum)" = "$state" ] || miss "$*: files changed"
}
cp -r whole misspelt
sed -i 's/^    "encoder.hidden":/    "encoder.hiden":/' misspelt/config.json
refused 'misspelt/config.json: key "encoder.hiden" is no option; nearest: encoder.hidden' --out misspelt --resume
refused 'train: a new run needs a folder without one; got "whole"; hint: --resume goes on with its run' \
  "${files[@]}" --out whole
refused 'train: --resume goes on with --dropout 0.2; got 0.3' --out whole --resume --dropout 0.3
refused 'train: --resume goes on with the preset rnn-attention; got --preset rnn-fixed' \
  --out whole --resume --preset rnn-fixed
refused 'train: --resume needs the data that the run in "whole" began with; got other sentences' \
  --out whole --resume --valid-src train.s --valid-tgt train.t
paste valid.s valid.t >other.tsv
refused 'train: --resume needs the data that the run in "whole" began with; got other sentences' \
  --out whole --resume --pairs other.tsv
refused 'train: the run has finished 12 epochs; got --max-epochs 3' --out whole --resume --max-epochs 3
"$heed" "${run[@]/inverse_sqrt/warmup_cosine}" --max-epochs 2 --out cosine >/dev/null 2>&1
refused 'train: --resume goes on with --max-epochs 2; got 3; hint: the schedule warmup_cosine is laid out for its epochs, noam, inverse_sqrt, plateau and constant are not' \
  --out cosine --resume --max-epochs 3

# --- a run whose state is lost: with a model it is refused, without one it begins anew and says so
cp -r whole stateless
rm stateless/last.safetensors
head -c 100 stateless/model.safetensors >cut.safetensors
for model in stateless/model.safetensors cut.safetensors; do
  [ $model = cut.safetensors ] && cp cut.safetensors stateless/model.safetensors
  before=$(cat stateless/* | cksum)
  refused 'train: --resume needs last.safetensors, the state of the run; got "stateless" with a model and without it; hint: a new run in another folder, --out' \
    --out stateless --resume
  [ "$(cat stateless/* | cksum)" = "$before" ] || miss "$model without a state: files changed"
done
rm stateless/model.safetensors
"$heed" train --out stateless --resume --threads 1 >out.txt 2>err.txt || miss "stateless: $(tail -n 1 err.txt)"
grep -q '^no saved state: beginning anew$' err.txt || miss "stateless: $(head -n 3 err.txt)"
same whole stateless

# --- options in an edited config.json that no shape of a parameter tells
"$heed" train "${files[@]}" --threads 1 --limit 100 --paper transformer --width 16 --heads 2 --layers 1 --inner 16 \
  --schedule constant --max-epochs 1 --out edited >out.txt 2>err.txt || miss "edited: $(tail -n 1 err.txt)"
cp edited/config.json config.json
edited() {  # SED SENTENCE
  sed "$1" config.json >edited/config.json
  refused "load: \"edited/last.safetensors#log\": a run must go on with the $2 in config.json" --out edited --resume --max-epochs 2
}
edited 's/"heads": 2/"heads": 4/' 'heads that it began with, 2; got 4'
edited '/"heads": 2/d' 'heads that it began with, 2; got 8'
edited 's/"learning_rate": 0.001/"learning_rate": 1.0/' 'learning_rate that it began with, 0.001; got 1.0'
# A value that no option may have is the file's, whatever refuses it: a range, a list of names, or the paper.
wrong() {  # KEY VALUE SENTENCE
  sed "s/^    \"$1\": [^,]*/    \"$1\": $2/" config.json >edited/config.json
  refused "edited/config.json: $3" --out edited --resume --max-epochs 2
}
wrong preset '"x"' "$("$heed" train --out none --preset x 2>&1)"
# shellcheck disable=SC2016  # the program prints these quotes
wrong paper '"x"' "$("$heed" train --out none --paper x 2>&1 | sed 's/^--paper: must be one of \(.*\); got "x"/paper: none has this name; got `x`; there are \1/')"
wrong ema -1 "$("$heed" train --out none --ema -1 2>&1)"
wrong dropout 1 "$("$heed" train --out none --dropout 1 2>&1)"
wrong score '"nosuch"' "$("$heed" train --out none --score nosuch 2>&1)"
wrong tokenize '""' '--tokenize: must be one of space, words; got ""'  # an empty name is none
wrong keep '""' '--keep: must be one of best, last; got ""'
cp config.json edited
"$heed" train --out edited --resume --threads 1 --max-epochs 2 >out.txt 2>err.txt || miss "as it was: $(tail -n 1 err.txt)"

# --- a first try: two epochs, where nothing else is said
"$heed" train "${files[@]}" --threads 1 --preset rnn-fixed --embedding 16 --hidden 16 --quick --out quick >out.txt 2>err.txt ||
  miss "--quick: $(tail -n 1 err.txt)"
grep -q '^epochs  *2$' out.txt || miss "--quick: $(head -n 1 out.txt)"
grep -q '"limit": 1000' quick/config.json || miss '--quick: reads all pairs'
"$heed" train "${files[@]}" --threads 1 --preset rnn-fixed --embedding 16 --hidden 16 --quick --max-epochs 1 --out quick1 >out.txt 2>&1
grep -q '^epochs  *1$' out.txt || miss '--quick --max-epochs 1: other epochs'

# --- translating
{ cat valid.s; echo; echo '  '; head -n 30 train.s; } >in.txt
"$heed" translate --model straight <in.txt >all.txt 2>err.txt || miss "translate: exit $?"
[ "$(wc -l <all.txt)" = "$(wc -l <in.txt)" ] || miss "translate: $(wc -l <all.txt) lines"
[ ! -s err.txt ] || miss "translate: $(cat err.txt)"
[ "$(sed -n '41,42p' all.txt)" = "$(printf '\n\n')" ] || miss "translate: an empty line is no empty line"
grep -q '@@' all.txt && miss "translate: BPE is not undone"
while IFS= read -r line; do printf '%s\n' "$line" | "$heed" translate --model straight; done <in.txt >single.txt
cmp -s all.txt single.txt || miss "translate: one by one gives other lines"
printf 'a b' | "$heed" translate --model straight --beam 4 --replace-unk >out.txt || miss "translate --beam: exit $?"
[ "$(wc -l <out.txt)" = 1 ] || miss "translate --beam: $(wc -l <out.txt) lines"
bleu=$("$heed" score --hyp <(head -n 40 all.txt) --ref valid.t --tokenize none | sed 's/.*"bleu":\([0-9.]*\).*/\1/')
said=$(sed -n 's/.*"bleu":\([0-9.]*\),"best":true.*/\1/p' straight/metrics.jsonl | tail -n 1)
awk -v a="$bleu" -v b="$said" 'BEGIN { exit !(a > 30 && a - b < 1e-6 && b - a < 1e-6) }' || miss "BLEU $bleu, not $said"
# The words' numbers must be those that the parameters were trained with: here two words have become one.
mkdir mixed
LC_ALL=C sed 's/\("heed.source_vocabulary":"\([^\\]*\\n\)\{4\}[^\\]*\)\\n/\1xx/' straight/model.safetensors >mixed/model.safetensors
printf 'a b\n' | "$heed" translate --model mixed >out.txt 2>err.txt
grep -q 'must have the checksum that was saved with them' err.txt || miss "a changed model: $(cat err.txt)"
LC_ALL=C sed -i 's/"heed.checksum/"xeed.checksum/' mixed/model.safetensors  # changed on purpose
printf 'a b\n' | "$heed" translate --model mixed >out.txt 2>err.txt
if [ $? != 2 ] || [ -s out.txt ]; then miss "another vocabulary: not exit 2"; fi
[ "$(cat err.txt)" = 'load: "mixed/model.safetensors": the parameters must fit the sizes and vocabularies that the file names' ] ||
  miss "another vocabulary: $(cat err.txt)"

# --- a transformer, and a sentence longer than its table of positions
"$heed" train "${files[@]}" --threads 1 --preset multi30k-small --bpe 12 --width 16 --heads 2 \
  --inner 16 --layers 1 --positions learned --max-positions 20 --max-epochs 2 --batch-tokens 200 --out learned \
  >out.txt 2>err.txt || miss "transformer: $(tail -n 1 err.txt)"
printf 'a b\nb\n%s\na\n' "$(yes a | head -n 20 | tr '\n' ' ')" | "$heed" translate --model learned >out.txt 2>err.txt
[ $? = 2 ] || miss "a long sentence: not exit 2"
[ "$(wc -l <out.txt)" = 2 ] || miss "a long sentence: $(wc -l <out.txt) lines before it, not 2"
[ "$(cat err.txt)" = 'translate: a sentence may have at most 19 tokens, with </s> as many as the model has positions; got 20 in line 3' ] ||
  miss "a long sentence: $(cat err.txt)"

# --- heed look opens it, with the translation of heed translate, and refuses what has no heads to show
text='a b c b'
"$heed" look --model learned --threads 1 --out look "$text" >out.txt 2>err.txt || miss "look: $(cat err.txt)"
translated=$(echo "$text" | "$heed" translate --model learned)
grep -qx " *translation:  ${translated:-(empty)}" out.txt || miss "look: not the translation $translated: $(cat out.txt)"
for panel in look_key look_lens look_cache; do grep -q "\"kind\":\"$panel\"" look/report.html || miss "look: no $panel"; done
"$heed" look --model learned --threads 1 --without cross:0.1 --json look.json "$text" B >out.txt 2>err.txt ||
  miss "look, a given translation: $(cat err.txt)"
grep -q 'without head cross:0.1:' out.txt || miss "look, a given translation: $(cat out.txt)"
grep -q '"change":' look.json || miss "look, a given translation: $(cat look.json)"
"$heed" look --model straight --out look "$text" >out.txt 2>err.txt || miss "look, a recurrent model: $(cat err.txt)"
translated=$(echo "$text" | "$heed" translate --model straight)
grep -qx " *translation:  ${translated:-(empty)}" out.txt || miss "look: not the translation $translated: $(cat out.txt)"
grep -q 'heads that matter most:  0.0' out.txt || miss "look, a recurrent model: $(cat out.txt)"
"$heed" train "${files[@]}" --threads 1 --paper cho --hidden 8 --embedding 8 --max-epochs 1 --out fixed >out.txt 2>err.txt
"$heed" look --model fixed "$text" >out.txt 2>err.txt
[ "$?$(cat out.txt)" = 2 ] || miss "look, a fixed vector: not exit 2"
[ "$(cat err.txt)" = 'look: the page shows attention; got a translator of the paper cho, which has none: one vector passes from its encoder to its decoder' ] ||
  miss "look, a fixed vector: $(cat err.txt)"

# --- the structures around attention, each by its option: the loss falls, and the saved model translates
number=0
structure() {  # OPTIONS...
  number=$((number + 1))
  local out=structure$number losses
  "$heed" train "${files[@]}" "$@" --threads 1 --hidden 18 --embedding 16 --learning-rate 0.01 --warmup 20 --dropout 0 \
    --batch-size 16 --min-frequency 1 --bleu false --max-epochs 5 --out "$out" >out.txt 2>err.txt ||
    miss "$*: $(tail -n 1 err.txt)"
  losses=$(sed -n 's/.*"kind":"epoch".*"train_loss":\([0-9.]*\).*/\1/p' "$out/metrics.jsonl")
  awk -v a="${losses%%$'\n'*}" -v b="${losses##*$'\n'}" 'BEGIN { exit !(b > 0 && b < 0.9 * a) }' || miss "$*: losses $losses"
  printf 'a b\nc\n' | "$heed" translate --model "$out" >out.txt 2>err.txt || miss "$*: translate: $(cat err.txt)"
  [ "$(wc -l <out.txt)" = 2 ] || miss "$*: $(wc -l <out.txt) translations"
}
paste train.s train.t >pairs.tsv
all=("${files[@]}") files=(--pairs pairs.tsv)  # one tab-separated file does as well
structure --attention lstmn
files=("${all[@]}")
structure --paper deep_fusion
structure --attention E3
structure --attention structured:rows=2 --paper cho
structure --attention E7 --paper sutskever
structure --attention D1
structure --attention hard_gumbel

printf '%d missed\n' "$failures"
[ "$failures" = 0 ]
