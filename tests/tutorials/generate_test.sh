#!/usr/bin/env bash
# heed generate without --model, from outside: a small decoder learns from a text, its samples and losses are shown, it is
# kept in published layout and writes the same from its folder; heed look takes it; and what is refused. The argument:
# the program.
heed=$1
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"

# refused "part of the sentence" ARGUMENTS...: exit 2, one line on standard error, no file is written or changed
refused() {
  local part=$1 code=0 before
  shift
  before=$(find . -type f -exec cksum {} + | sort)
  "$heed" "$@" </dev/null >"$dir.out" 2>"$dir.err" || code=$?
  [ "$code" = 2 ] || miss "$*: exit $code, not 2"
  [ "$(wc -l <"$dir.err")" = 1 ] || miss "$*: $(wc -l <"$dir.err") lines on standard error: $(cat "$dir.err")"
  [ ! -s "$dir.out" ] || miss "$*: something on standard output"
  grep -qF -- "$part" "$dir.err" || miss "$*: no \"$part\" in: $(cat "$dir.err")"
  [ "$(find . -type f -exec cksum {} + | sort)" = "$before" ] || miss "$*: wrote, changed or removed a file"
  rm -f "$dir.out" "$dir.err"
}
run() { "$heed" "$@" >out.txt 2>err.txt || miss "$*: exit $? $(tail -n 1 err.txt)"; }

awk 'BEGIN { srand(1); split("cat dog bird fish", who); split("sat slept stood", did); split("mat tree table roof", at)
  for (i = 0; i < 700; ++i)
    print "the " who[1 + int(rand() * 4)] " " did[1 + int(rand() * 3)] " near the old " at[1 + int(rand() * 4)] "." }' >text.txt

# --- it learns, and shows how
run generate --text text.txt --out mine --steps 44 --threads 1 'the cat' --length 20 </dev/null
[ "$(grep -cE '^step [0-9]+ +[0-9.]+ bits per letter   ' out.txt)" = 8 ] || miss "not 8 samples: $(cat out.txt)"
grep -qE '^step 48 ' out.txt || miss "44 steps are not rounded up to 48: $(cat out.txt)"
[ "$(grep -cE '^step [0-9]+ +[0-9.]+ bits per letter   ' err.txt)" = 8 ] || miss "no samples while it trains: $(cat err.txt)"
[ "$(awk '/^step / { print $2 }' err.txt | sort -n | uniq | wc -l)" = 8 ] || miss "samples of other steps: $(cat err.txt)"
awk '/^step / { if (!n++) first = $3; last = $3 }
     /^held-out text/ { model = $3; gsub(",", "", $0) }
     /^held-out text/ { for (i = 1; i <= NF; ++i) if ($i ~ /letters:$/) pairs = $(i + 1); gap = $(i - 2) }
     END { exit !(model > 0 && last < first && model <= last + .02 && model < pairs && pairs < 3) }' out.txt ||
  miss "it has not learned more than pairs of letters: $(cat out.txt)"
letters=$(wc -c <text.txt)
awk -v n="$letters" '/^text / { for (i = 1; i <= NF; ++i) if ($i == "letters") a = $(i - 1); else if ($i == "last") b = $(i + 1)
  exit !(a + b == n && b > n / 11 && b < n / 9) }' out.txt || miss "letters of the text, $letters: $(grep '^text' out.txt)"
for file in config.json model.safetensors tokenizer.json tokenizer_config.json generation_config.json; do
  [ -s "mine/$file" ] || miss "no $file"
done
for name in '"format":"pt"' model.embed_tokens.weight model.layers.3.self_attn.q_proj.weight model.norm.weight; do
  head -c 10000 mine/model.safetensors | grep -aqF -- "$name" || miss "model.safetensors: no $name"
done
grep -q '"LlamaForCausalLM"' mine/config.json || miss "another architecture: $(cat mine/config.json)"
grep -q '^the cat' out.txt || miss "it does not go on with the argument: $(cat out.txt)"
sed -n '/^the cat/,$p' out.txt >first.txt

# --- the folder writes the same; the same command takes it and goes on with lines
run generate --model mine 'the cat' --length 20 </dev/null
cmp -s out.txt first.txt || miss "the folder writes another text: $(cat out.txt) not $(cat first.txt)"
sum=$(cksum <mine/model.safetensors)
printf 'the cat\n\nthe dog\n' >in.txt
run generate --text text.txt --out mine --steps 44 --threads 1 --length 20 --json lines.json <in.txt
grep -q 'using the model in mine' err.txt || miss "it was trained again: $(cat err.txt)"
[ "$sum" = "$(cksum <mine/model.safetensors)" ] || miss 'the model has changed'
[ "$(grep -cE '^step ' out.txt)" = 8 ] || miss "the same command shows other samples: $(cat out.txt)"
head -c "$(wc -c <first.txt)" <(sed -n '/^the cat/,$p' out.txt) | cmp -s - first.txt || miss "a line otherwise than an argument: $(cat out.txt)"
grep -q '^the dog' out.txt || miss "not every line: $(cat out.txt)"
[ "$(grep -c '"prompt"' lines.json)" = 2 ] || miss "--json: $(cat lines.json)"
printf 'x\nthe %s\n' "$(printf 'zq%.0s' {1..200})" >in.txt
code=0; "$heed" generate --text text.txt --out mine --steps 44 <in.txt >out.txt 2>err.txt || code=$?
{ [ "$code" = 2 ] && grep -q 'at most 127 tokens.*in line 2' err.txt; } || miss "a long line: $code $(tail -n 1 err.txt)"
refused 'a folder keeps one training' generate --text text.txt --out mine --steps 44 --seed 2
{ cat text.txt; echo 'the old cat.'; } >longer.txt
refused 'a folder keeps one training' generate --text longer.txt --out mine --steps 44

# --- the folder of heed itself: look takes its model, and another training replaces it
run generate --text text.txt --steps 8 --threads 1 x </dev/null
run look 'the cat sat' --without 0.1 </dev/null
grep -q 'using the model in out/generate' err.txt || miss "look: $(cat err.txt)"
grep -q 'of the probability' out.txt || miss "look: $(cat out.txt)"
sum=$(cksum <out/generate/model.safetensors)
: >empty.txt
"$heed" generate --text empty.txt </dev/null >/dev/null 2>&1
[ "$sum" = "$(cksum <out/generate/model.safetensors 2>/dev/null)" ] || miss 'an empty text has cost the model'
run generate --text text.txt --steps 8 --threads 1 --seed 2 x </dev/null
grep -q 'training anew' err.txt || miss "another seed: $(cat err.txt)"
[ "$sum" != "$(cksum <out/generate/model.safetensors)" ] || miss 'another seed, the same model'

# --- what is refused
printf 'three words only\n' >short.txt
printf 'a\0b\n' >nul.txt
mkdir other && echo mine >other/notes.txt
refused '"empty.txt" must have a text; got none' generate --text empty.txt --out x
refused 'longer than a window of 128 tokens' generate --text short.txt --out x
refused '"nowhere"' generate --text nowhere --out x
refused 'got the folder "other"' generate --text other --out x
refused 'nul.txt' generate --text nul.txt --out x
refused 'a folder of its own, empty or new; got "other" with notes.txt' generate --text text.txt --out other
refused 'cannot make the folder' generate --text text.txt --out text.txt
refused 'got --text as well' generate --model mine --text text.txt x
refused 'got --out as well' generate --model mine --out y x
refused 'got --steps as well' generate --model mine --steps 8 x
refused '--steps' generate --steps 0
refused '--steps' generate --steps 80001
refused 'generate: --json' generate --text text.txt --json text.txt
refused 'generate: --json must be a file in a folder that exists' generate --text text.txt --out x --json none/lines.json
refused 'look: --json must be a file in a folder that exists' look 'the cat sat' --json none/look.json
refused 'which draws nothing' generate --text text.txt --temperature 0 --top-k 5 --out x

[ "$failures" = 0 ] || { printf '%d failed\n' "$failures"; exit 1; }
echo 'generate: passed'
