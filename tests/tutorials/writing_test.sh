#!/usr/bin/env bash
# heed fill, heed generate and heed translate --model with published folders, from outside: what they print, the same as
# JSON, and what they cannot use: one sentence, exit 2. The arguments: the program, and the folder of the sources.
heed=$1
source=$2
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"
kept=$source/tests/golden

# refused "part of the sentence" COMMAND ARGUMENTS...   (standard input: in.txt)
refused() {
  local part=$1 code=0
  shift
  "$heed" "$@" <in.txt >out.txt 2>err.txt || code=$?
  [ "$code" = 2 ] || miss "$*: exit $code, not 2"
  [ "$(wc -l <err.txt)" = 1 ] || miss "$*: $(wc -l <err.txt) lines on standard error"
  [ ! -s out.txt ] || miss "$*: something on standard output: $(cat out.txt)"
  grep -qF -- "$part" err.txt || miss "$*: $(cat err.txt)"
}
run() { "$heed" "$@" <in.txt >out.txt 2>err.txt || miss "$*: exit $? $(cat err.txt)"; }

# A decoder, a masked language model and a translator, each with a small tokenizer.
for pair in gpt2:llama3 mpnet:digits t5_gated:-; do
  model=${pair%:*} tokens=${pair#*:}
  mkdir "$model"
  cp "$kept/published/$model"/{config.json,model.safetensors} "$model"
  [ "$tokens" = - ] || cp "$kept/tokenizers/$tokens.json" "$model/tokenizer.json"
done
echo '{"mask_token": "[MASK]"}' >mpnet/tokenizer_config.json
cat >t5_gated/tokenizer.json <<'JSON'
{"added_tokens": [{"id": 0, "content": "<pad>", "special": true}, {"id": 1, "content": "</s>", "special": true}],
 "pre_tokenizer": {"type": "Whitespace"}, "decoder": null, "post_processor": {"type": "TemplateProcessing",
   "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
   "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
   "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}},
 "model": {"type": "WordLevel", "unk_token": "u", "vocab": {"<pad>": 0, "</s>": 1, "u": 2, "a": 3, "b": 4, "c": 5,
   "d": 6, "e": 7, "f": 8, "g": 9, "h": 10}}}
JSON
echo '{"decoder_start_token_id": 0, "eos_token_id": 1, "max_length": 9, "num_beams": 3, "bad_words_ids": [[0]]}' >t5_gated/generation_config.json

# heed fill
: >in.txt
run fill --model mpnet 'the [MASK] of the [MASK]' --top 3 --json fill.json
[ "$(grep -c . out.txt)" = 6 ] || miss "fill: $(grep -c . out.txt) words, not 6"
[ "$(wc -l <out.txt)" = 8 ] || miss "fill: no empty line after each mask"
awk -F'\t' '/./ { if (NF != 2 || $1 <= 0 || $1 >= 1 || (n++ % 3 && $1 > before)) exit 1; before = $1 }' out.txt ||
  miss "fill: not probabilities, largest first: $(cat out.txt)"
[ "$(grep -c '"probability"' fill.json)" = 6 ] || miss "fill --json: $(cat fill.json)"
word=$(head -n 1 out.txt | cut -f 2)
grep -qF "\"word\": \"$word\"" fill.json || miss "fill --json: without \"$word\""
cp out.txt argument.txt
printf 'the [MASK] of the [MASK]\n' >in.txt
run fill --model mpnet --top 3
cmp -s out.txt argument.txt || miss "fill: a line otherwise than an argument"
run fill --model mpnet --top 1000 '[MASK]'
awk -F'\t' '{ sum += $1 } END { exit sum < .9999 || sum > 1.0001 }' out.txt || miss "fill: probabilities that are none"
refused 'fill: a text must have the token [MASK] in the place of a word; got "the <mask>"' fill --model mpnet 'the <mask>'
refused 'TEXT: must be a text that is not empty' fill --model mpnet ''
refused 'fill: the model must have a head for masked words' fill --model gpt2 '[MASK]'
refused 'places, and no text may have more tokens' fill --model mpnet "[MASK] $(printf 'a %.0s' {1..200})"
printf 'the [MASK]\n\nthe [MASK]\n' >in.txt
code=0; "$heed" fill --model mpnet <in.txt >out.txt 2>err.txt || code=$?
{ [ "$code" = 2 ] && grep -q 'in line 2' err.txt && [ "$(grep -c . out.txt)" = 5 ]; } || miss "fill: an empty line: $(cat err.txt)"
cp -r mpnet without && rm without/tokenizer_config.json
refused 'fill: the tokenizer must have a mask token' fill --model without 'a [MASK]'
rm without/tokenizer.json
refused 'without' fill --model without '[MASK]'

# heed generate
run generate --model gpt2 'Once upon' --length 12 --json text.json
grep -q '^Once upon' out.txt || miss "generate: the text is not there: $(cat out.txt)"
grep -q '^12 tokens in .* per second$' err.txt || miss "generate: no speed: $(cat err.txt)"
for key in prompt text ids log_probability ended seconds tokens_per_second; do
  grep -q "\"$key\"" text.json || miss "generate --json: without $key"
done
cp out.txt greedy.txt
for same in '--temperature 0' '--top-k 1' '--min-p 1' '--top-p 0.000001'; do
  # shellcheck disable=SC2086  # two words
  run generate --model gpt2 'Once upon' --length 12 $same
  cmp -s out.txt greedy.txt || miss "generate $same: not the most probable tokens"
done
n=0
for seed in 1 1 2; do
  run generate --model gpt2 'Once upon' --length 12 --temperature 1.5 --seed $seed
  mv out.txt "drawn.$((n += 1))"
done
cmp -s drawn.1 drawn.2 || miss "generate: a seed draws two texts"
cmp -s drawn.2 drawn.3 && miss "generate: two seeds draw one text"
run generate --model gpt2 'Once upon' --length 12 --repetition-penalty 50
cmp -s out.txt greedy.txt && miss "generate: the penalty changes nothing"
stop=$(tail -c 4 greedy.txt | head -c 3)  # the end of the text, without the line end
run generate --model gpt2 'Once upon' --length 12 --stop "$stop"
[ "$(wc -c <out.txt)" -lt "$(wc -c <greedy.txt)" ] || miss "generate: --stop does not stop"
run generate --model t5_gated 'a b c' --length 4
grep -q '^[a-hu ]*$' out.txt || miss "generate: an answer of other words: $(cat out.txt)"
"$heed" generate --help >out.txt
tr "\n" " " <out.txt | grep -q "chat template is not applied" || miss "generate --help: no word of chat templates"
refused 'TEXT: must be a text that is not empty' generate --model gpt2 ''
refused 'generate: the model reads texts of at most 63 tokens; got one of ' generate --model gpt2 "$(printf '!?%.0s' {1..64})"
refused 'generate: the model must be one that writes' generate --model mpnet 'a'
refused 'which draws nothing' generate --model gpt2 'a' --temperature 0 --top-k 5
refused 'generate: the model reads texts of at most 1000 tokens; got one of 1' generate --model t5_gated "$(printf 'a %.0s' {1..1100})"
refused 'needs a text to answer' generate --model t5_gated
refused 'open: a published model must be a folder' generate --model nothing 'a'
echo '{"max_length": 2}' >gpt2/generation_config.json
refused 'generate: a text must leave a place to write' generate --model gpt2 'Once upon a time'
rm gpt2/tokenizer.json
refused 'gpt2' generate --model gpt2 'a'

# heed translate --model
printf 'a b c\n\nd e\n' >in.txt
run translate --model t5_gated
[ "$(wc -l <out.txt)" = 3 ] || miss "translate: $(wc -l <out.txt) lines for 3"
[ -z "$(sed -n 2p out.txt)" ] || miss "translate: an empty line becomes $(sed -n 2p out.txt)"
cp out.txt folder.txt
run translate --model t5_gated --beam 3 --n-best 3
[ "$(grep -c . out.txt)" = 7 ] || miss "translate --n-best: $(cat out.txt)"
[ "$(head -n 1 out.txt | cut -f 3)" = "$(head -n 1 folder.txt)" ] || miss "translate: the folder's beams are not used"
awk -F'\t' 'NR <= 3 { if (NF != 3 || (NR > 1 && $1 > before)) exit 1; before = $1 }' out.txt ||
  miss "translate --n-best: not the best first: $(cat out.txt)"
run translate --model t5_gated --min-length 7
awk 'NR != 2 && NF < 7 { exit 1 }' out.txt || miss "translate --min-length: $(cat out.txt)"
run translate --model t5_gated --min-length 7 --no-repeat-ngram 1
awk '{ split("", seen); for (i = 1; i <= NF; ++i) if (seen[$i]++) exit 1 }' out.txt || miss "a word twice: $(cat out.txt)"
refused 'translate: --replace-unk is for models that heed has trained' translate --model t5_gated --replace-unk
refused 'an ensemble is made of models that heed has trained' translate --model t5_gated --model t5_gated
refused '--n-best: needs a beam of at least as many hypotheses; got 4 with --beam 3' translate --model t5_gated --n-best 4
refused '--length-penalty: has an effect only where --beam is 2 or more' translate --model t5_gated --beam 1 --length-penalty 2
refused 'translate: the model must read a text and write another' translate --model mpnet
{ cat in.txt; printf 'a %.0s' {1..1100}; } >long.txt
code=0; "$heed" translate --model t5_gated <long.txt >out.txt 2>err.txt || code=$?
{ [ "$code" = 2 ] && grep -q 'at most 1000 tokens; got one of 1101 in line 4' err.txt && [ "$(wc -l <out.txt)" = 3 ]; } ||
  miss "translate: a long line: exit $code, $(cat err.txt)"
echo '{"magic": 1}' >t5_gated/generation_config.json
refused 'magic' translate --model t5_gated

# The story of the real model, where it is.
story=$source/../shared/golden/models/stories260K
if [ -d "$story" ]; then
  run generate --model "$story" 'Once upon a time' --length 100
  grep -qF 'Once upon a time, there was a little girl named Lily. She loved to play outside in the park.' out.txt ||
    miss "stories260K: $(cat out.txt)"
  grep -qF "Lily was sad and didn't know what to do" out.txt || miss "stories260K: $(cat out.txt)"
fi
[ "$failures" = 0 ] || { printf '%d missed\n' "$failures"; exit 1; }
