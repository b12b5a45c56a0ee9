#!/usr/bin/env bash
# heed train --new and --from, and heed classify, from outside: a new encoder and a new decoder in published layout, classes
# learned whole and by LoRA, a run that is killed and goes on, and what is refused. The argument: the program.
heed=$1
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"

# trains NAME ARGUMENTS...: leaves what is printed in out.txt
trains() {
  local name=$1
  shift
  "$heed" train --out "$name" --threads 1 "$@" >out.txt 2>err.txt || miss "$name: exit $?: $(tail -n 1 err.txt)"
}
# refused "words of the sentence" ARGUMENTS...: exit 2, one line, and no file is written
refused() {
  local part code=0 before
  local -a parts
  IFS='|' read -ra parts <<<"$1"
  shift
  before=$(find . -type f | sort)
  "$heed" "$@" </dev/null >out2.txt 2>err2.txt || code=$?
  rm -f out2.txt
  [ "$code" = 2 ] || miss "$*: exit $code, not 2"
  [ "$(wc -l <err2.txt)" = 1 ] || miss "$*: $(wc -l <err2.txt) lines on standard error"
  for part in "${parts[@]}"; do grep -qF -- "$part" err2.txt || miss "$*: no \"$part\" in: $(cat err2.txt)"; done
  rm -f err2.txt
  [ "$(find . -type f | sort)" = "$before" ] || miss "$*: wrote or removed a file"
}

# Questions about a place or a person, which two words tell.
awk 'BEGIN { srand(1); split("paris london rome oslo cairo", place); split("wrote painted built found sold", verb)
  for (i = 0; i < 200; ++i) { k = 1 + int(rand() * 5)
    if (rand() < 0.5) print "place\twhere is " place[k] " and what is near ?"
    else print "person\twho " verb[k] " the old book of " place[1 + int(rand() * 5)] " ?" } }' >labels.tsv
cut -f 2 labels.tsv >text.txt
small=(--width 16 --heads 2 --layers 1 --dropout 0.1 --max-length 16 --log-every 5)

# --- a new encoder, and classes learned from it
trains encoder --new bert --text text.txt --vocabulary 80 "${small[@]}" --max-epochs 4 --learning-rate 1e-2
grep -q 'validation perplexity' out.txt || miss "encoder: $(cat out.txt)"
for file in config.json model.safetensors tokenizer.json tokenizer_config.json training/report.html training/metrics.jsonl; do
  [ -s "encoder/$file" ] || miss "encoder: no $file"
done
grep -q '"BertForMaskedLM"' encoder/config.json || miss "encoder: $(cat encoder/config.json)"
classes=(--from encoder --labels labels.tsv --log-every 3)
trains whole "${classes[@]}" --max-epochs 6 --learning-rate 1e-2
grep -Eq 'validation accuracy +(9[0-9]|100)' out.txt || miss "whole: $(cat out.txt)"
grep -Eq 'most frequent class +[456]' out.txt || miss "whole: $(cat out.txt)"
grep -q '"0": "person"' whole/config.json || miss "whole: id2label: $(grep -A 3 id2label whole/config.json)"
grep -q 'Accuracy' whole/training/report.html || miss 'whole: no accuracy in the report'
[ "$("$heed" classify --model whole 'where is oslo ?' | head -n 1 | awk '{ print $3 }')" = place ] || miss 'classify: oslo'
printf 'who wrote it ?\n\nwhere is rome ?\n' | "$heed" classify --model whole >out.txt || miss 'classify: lines'
[ "$(wc -l <out.txt)" = 3 ] || miss "classify: $(wc -l <out.txt) lines for 3"
[ "$(sed -n 1p out.txt | cut -f 1)$(sed -n 3p out.txt | cut -f 1)" = personplace ] || miss "classify: $(cat out.txt)"
"$heed" classify --json --model whole 'who ?' | grep -q '"probabilities":{"person":' || miss 'classify: no probabilities'

# --- by LoRA: few parameters, the base as it was, the adapters apart
trains adapted "${classes[@]}" --lora 4 --lora-where 'encoder.blocks.*' --max-epochs 8 --learning-rate 1e-2
grep -Eq 'LoRA trains [0-9]+ of [0-9]+ parameters' err.txt || miss "adapted: $(head -n 3 err.txt)"
grep -Eq 'validation accuracy +(9[0-9]|100)' out.txt || miss "adapted: $(cat out.txt)"
[ -s adapted/adapter.safetensors ] || miss 'adapted: no adapters'
[ "$(wc -c <adapted/adapter.safetensors)" -lt "$(($(wc -c <adapted/model.safetensors) ))" ] || miss 'adapted: large adapters'
[ "$(wc -c <adapted/training/last.safetensors)" -lt "$(wc -c <whole/training/last.safetensors)" ] || miss 'adapted: a large state'
grep -q lora_ adapted/model.safetensors && miss 'adapted: adapters in the merged model'

# --- a decoder, new and trained on
trains decoder --new llama --text text.txt --vocabulary 300 "${small[@]}" --max-epochs 3 --learning-rate 1e-2
grep -q '"LlamaForCausalLM"' decoder/config.json || miss "decoder: $(cat decoder/config.json)"
trains decoder2 --from decoder --text text.txt --max-epochs 3 --max-length 8 --learning-rate 1e-2
first=$(awk '/perplexity/ { sub(",", "", $3); print $3 }' out.txt)
awk -v p="$first" 'BEGIN { exit !(p > 1 && p < 30) }' || miss "decoder2: perplexity $first"
trains decoder4 --new llama --text text.txt --vocabulary 300 "${small[@]}" --epoch-steps 3 --max-epochs 2 --batch-size 2 --prompt who
grep -q '^steps  *6$' out.txt || miss "decoder4: epochs of 3 steps: $(cat out.txt)"
grep -q '"source":"who"' decoder4/training/samples.jsonl || miss "decoder4: another prompt: $(cat decoder4/training/samples.jsonl)"
awk 'BEGIN { srand(1); split("rome paris oslo bern", at); for (i = 0; i < 4000; ++i) print "where is " at[1 + int(rand() * 4)] " and who ?" }' >long.txt
for steps in 0 1; do  # of a long text an epoch of few steps is judged on some windows
  "$heed" train --new llama --text long.txt --vocabulary 300 --width 16 --heads 2 --layers 1 --epoch-steps $steps --max-epochs 1 \
    --max-length 8 --batch-size 64 --threads 1 --out long$steps >out.txt 2>err.txt || miss "long$steps: $(tail -n 1 err.txt)"
done
grep -q '^64 windows for training, 256 for validation$' err.txt || miss "long1: $(grep windows err.txt)"
grep -q '"validation_pairs": 256' long1/training/config.json || miss "long1: other windows"
[ "$(sed -n 's/.*"validation_pairs": \([0-9]*\).*/\1/p' long0/training/config.json)" -gt 256 ] || miss 'long0: not all windows'
trains decoder3 --from decoder --text text.txt --max-epochs 1 --lora 2
[ -s decoder3/adapter.safetensors ] || miss 'decoder3: no adapters'

# --- heed look opens what has been trained: an encoder, one with classes, a decoder
for folder in encoder whole decoder; do
  "$heed" look --model $folder --without 0.1 'where is rome ?' >out.txt 2>err.txt || miss "look, $folder: $(cat err.txt)"
  grep -q 'without head 0.1' out.txt || miss "look, $folder: $(cat out.txt)"
done

# --- killed and continued: the same curve, the same model
for lora in 0 2; do
  slow=("${classes[@]}" --max-epochs 8 --learning-rate 3e-3 --save-minutes 0 --lora "$lora")
  trains straight$lora "${slow[@]}"
  "$heed" train --out killed$lora --threads 1 "${slow[@]}" >out.txt 2>err.txt &
  run=$!
  for _ in $(seq 600); do
    [ "$(cat killed$lora/training/metrics.jsonl 2>/dev/null | wc -l)" -ge 4 ] && break
    sleep 0.05
  done
  kill -KILL $run 2>/dev/null
  wait $run 2>/dev/null
  "$heed" train --out killed$lora --resume --threads 1 >out.txt 2>err.txt || miss "killed$lora: $(tail -n 1 err.txt)"
  for folder in straight$lora killed$lora; do
    sed -E 's/"(seconds|tokens_per_second)":[^,}]*//g' "$folder"/training/metrics.jsonl >"$folder".curve
  done
  cmp -s straight$lora.curve killed$lora.curve || miss "killed$lora: another curve"
  cmp -s straight$lora/model.safetensors killed$lora/model.safetensors || miss "killed$lora: another model"
done

# --- a model that was removed is made again from the state of its run
for lora in 0 2; do
  rm straight$lora/model.safetensors
  "$heed" train --out straight$lora --resume --threads 1 >out.txt 2>err.txt || miss "a removed model: $(tail -n 1 err.txt)"
  grep -q 'the model in straight. was gone' err.txt || miss "a removed model: $(cat err.txt)"
  cmp -s straight$lora/model.safetensors killed$lora/model.safetensors || miss "a removed model, lora $lora: another one"
done

# --- what is refused
: >empty.txt
awk -F '\t' '{ print $2 "\t" $1 }' labels.tsv >swapped.tsv
grep place labels.tsv >one.tsv
printf 'place\twhere\nno tab here\n' >no_tab.tsv
printf 'three words only\n' >short.txt
refused 'train: --from or --new' train --from encoder --new bert --text text.txt --out x
refused '--labels or --text' train --from encoder --out x
refused '--new learns from a --text' train --new bert --labels labels.tsv --out x
refused '"nowhere"|config.json' train --from nowhere --labels labels.tsv --out x
refused 'empty.txt' train --from encoder --labels empty.txt --out x
refused 'no_tab.tsv|line 2|no tab here' train --from encoder --labels no_tab.tsv --out x
refused 'two labels|"place"' train --from encoder --labels one.tsv --out x
refused 'the other way round?' train --from encoder --labels swapped.tsv --out x
refused '--labels needs an encoder|llama' train --from decoder --labels labels.tsv --out x
refused 'a window of 128 tokens' train --new llama --text short.txt --vocabulary 300 --out x
refused 'heads|3' train --new bert --text text.txt --width 16 --heads 3 --out x
refused '--epoch-steps is for a decoder' train --new bert --text text.txt --vocabulary 80 --epoch-steps 3 --out x
refused '--width|--new' train --from encoder --labels labels.tsv --width 16 --out x
refused '--lora-alpha|--lora' train --from encoder --labels labels.tsv --lora-alpha 4 --out x
refused 'got rank 4 and "*", which fits|a narrower pattern, such as *.q_proj,*.v_proj' train --from encoder --labels labels.tsv --lora 4 --lora-where '*' --out x
refused 'got "none"; hint: there are|encoder.blocks.*.' train --from encoder --labels labels.tsv --lora 2 --lora-where none --out x
refused 'got "none"; hint: there are' train --from encoder --labels labels.tsv --lora 2 --lora-where '*.q_proj,none' --out x
refused '--weight-decay|0 to 100|1e30' train --from encoder --labels labels.tsv --weight-decay 1e30 --out x
refused 'rank 40' train --from encoder --labels labels.tsv --lora 40 --out x
refused 'a new run needs an empty folder' train --from encoder --labels labels.tsv --out whole
mkdir own && echo mine >own/special_tokens_map.json
refused 'a new run needs an empty folder|special_tokens_map.json' train --from encoder --labels labels.tsv --out own
[ "$(cat own/special_tokens_map.json)" = mine ] || miss 'a file of the user was replaced'
refused 'needs the model that the run in "adapted" began with' train --out adapted --resume --from whole
refused 'goes on with --seed 1; got 2' train --out whole --resume --seed 2
refused 'goes on with --from "encoder"; got --new "bert"' train --out whole --resume --new bert
refused 'goes on with --labels "labels.tsv"; got --text "text.txt"' train --out whole --resume --text text.txt
refused 'needs an encoder with classes' classify --model encoder 'who ?'
refused '"nowhere"' classify --model nowhere 'who ?'

[ "$failures" = 0 ] || { printf '%d failed\n' "$failures"; exit 1; }
echo 'tuning: passed'
