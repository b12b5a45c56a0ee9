#!/usr/bin/env bash
# What heed does when its surroundings fail it: a reader that stops, a full disk, closed descriptors, messages that
# quote hostile text, memory and threads that the system refuses. The argument is the program.
heed=$1
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"
lost='write: cannot write to standard output: '

# says CODE LINE: what the last command, whose code is $code, ended with and wrote into err.txt
says() {
  [ "$code" = "$1" ] || miss "$what: exit $code, not $1"
  [ "$(cat err.txt)" = "$2" ] || miss "$what: wanted [$2] got [$(head -c 400 err.txt)]"
}

"$heed" translate --limit 300 --epochs 1 --hidden 8 --embedding 8 --out m </dev/null >/dev/null 2>err.txt ||
  miss "training: $(cat err.txt)"

echo 'I am a student' >in.txt

# --- the reader stops: quietly, with the code of a filter that SIGPIPE ended ---------------------------------------------
what='yes | heed translate | head -1'
yes '' | { timeout 60 "$heed" translate --model m 2>err.txt; echo $? >code.txt; } | head -n 1 >out.txt
code=$(cat code.txt)
says 141 ''
[ "$(wc -l <out.txt)" = 1 ] || miss "$what: $(wc -l <out.txt) lines"
what='heed --help | true'
{ sleep 0.3; "$heed" attention --list 2>err.txt; echo $? >code.txt; } | true
code=$(cat code.txt)
says 141 ''

# --- a full disk ---------------------------------------------------------------------------------------------------------
if [ -w /dev/full ]; then
  for what in 'translate --model m' 'embed --model m' 'attention --list' 'train --help'; do
    code=0
    # shellcheck disable=SC2086 # words
    yes 'I am a student' | head -n 300 | "$heed" $what >/dev/full 2>err.txt || code=$?
    says 2 "${lost}No space left on device"
  done
  what='standard error on a full disk' code=0
  echo 'kitten kitten' | "$heed" translate --model m >out.txt 2>/dev/full || code=$?
  { [ "$code" = 0 ] && [ -s out.txt ]; } || miss "$what: exit $code, $(wc -l <out.txt) lines"
fi
# A file that may not grow: what it holds are the first lines, in order and without a hole.
what='a file of limited size' code=0
(
  ulimit -f 1
  yes 'I am a student' | head -n 500 | "$heed" embed --model m >part.txt 2>err.txt
) || code=$?
says 2 "${lost}File too large"
yes 'I am a student' | head -n 500 | "$heed" embed --model m >whole.txt 2>/dev/null
cmp -s part.txt <(head -c "$(wc -c <part.txt)" whole.txt) || miss "$what: not the beginning of the output"

# --- closed descriptors are not taken by files ---------------------------------------------------------------------------
what='train with standard output closed' code=0
for i in $(seq 40); do printf 'a b %s\tc d %s\n' $((i % 7)) $((i % 5)); done >pairs.tsv
small=(train --pairs pairs.tsv --max-epochs 1 --hidden 8 --embedding 8)
"$heed" "${small[@]}" --out closed >&- 2>err.txt || code=$?
[ "$code" = 2 ] || miss "$what: exit $code"
grep -qF "$lost" err.txt || miss "$what: $(tail -n 1 err.txt)"
"$heed" "${small[@]}" --out open >out.txt 2>/dev/null || miss 'a small run'
for file in config.json metrics.jsonl; do
  grep -qa 'validation perplexity  ' "closed/$file" && miss "$what: the results are in $file"
done
what='train with standard error closed' code=0
"$heed" "${small[@]}" --out quiet >out.txt 2>&- || code=$?
[ "$code" = 0 ] || miss "$what: exit $code"
grep -rlaE 'training|epoch 1/' quiet | grep -vE 'html|json|safetensors' && miss "$what: progress was written into a file"
what='standard input closed' code=0
"$heed" translate --model m >out.txt 2>err.txt <&- || code=$?
says 0 ''

# Input that the system cannot read is not at its end: what came before is answered, and the rest is missed.
for what in 'translate --model m' 'embed --model m'; do
  code=0
  # shellcheck disable=SC2086 # words
  "$heed" $what >out.txt 2>err.txt <. || code=$?
  says 2 'read: the file must stay readable; got a read error after line 0 of standard input'
done

# --- a model that knows no word of the input -------------------------------------------------------------------------------
what='an unknown language' code=0
printf 'uno dos\ntres cuatro\n' | "$heed" translate --model m >out.txt 2>err.txt || code=$?
says 0 'note: none of the 4 words is in the vocabulary of the model; is the input in its source language, and split into '\
'words as in training?'
printf 'uno dos the cuatro\n' | "$heed" translate --model m >out.txt 2>err.txt
[ ! -s err.txt ] || miss "a known word: $(cat err.txt)"

# --- messages quote what others wrote as one line, escaped and cut ----------------------------------------------------------
what='a command with control characters' code=0
"$heed" $'tr\e[2Jain\xff\n\u202e' >out.txt 2>err.txt </dev/null || code=$?
says 2 'heed: must be followed by one of attention, classify, course, drawing, embed, fill, generate, get, gradcheck, grades, look, museum, score, search, train, translate; '\
'got "tr\x1b[2Jain\xff\n\u202e"'
long=$(head -c 100000 /dev/zero | tr '\0' x)
for what in "$long" "train --$long" "embed --model $long" "train --pairs pairs.tsv --out o --cell $long"; do
  code=0
  # shellcheck disable=SC2086 # words
  timeout 20 "$heed" $what >out.txt 2>err.txt </dev/null || code=$?
  what="${what:0:40}..."
  [ "$code" = 2 ] || miss "$what: exit $code"
  [ "$(wc -c <err.txt)" -lt 3000 ] || miss "$what: a message of $(wc -c <err.txt) bytes"
  grep -q 'xxxxxx\.\.\.' err.txt || miss "$what: $(head -c 300 err.txt)"
done

# --- the fault of a file or of an option is never an internal error -------------------------------------------------------
what='embed --threads 257' code=0
"$heed" embed --model m --threads 257 >out.txt 2>err.txt </dev/null || code=$?
says 2 '--threads: must be a whole number from 1 to 256; got 257'
what='a seed beyond 2^53' code=0
"$heed" translate --seed 9007199254740993 >out.txt 2>err.txt </dev/null || code=$?
says 2 '--seed: must be a whole number from 0 to 9007199254740992; got 9007199254740993'
mkdir scope history
# Their checksum is put out of force, because it would find the change first.
sed 's/global/glubal/; s/heed.checksum/heed.checksun/' m/model.safetensors >scope/model.safetensors
entry=$(grep -oa '{\\"epoch\\":1,[^}]*}' m/model.safetensors | head -n 1)
pattern=$(printf '%s' "$entry" | sed 's/[\.]/\\&/g') blank=$(printf '%*s' "${#entry}" '')
sed "s/$pattern/$blank/; s/heed.checksum/heed.checksun/" m/model.safetensors >history/model.safetensors
what='an unknown scope' code=0
"$heed" translate --model scope >out.txt 2>err.txt </dev/null || code=$?
[ "$code" = 2 ] || miss "$what: exit $code"
grep -q '^load: "scope/model.safetensors": is damaged: .*glubal' err.txt || miss "$what: $(cat err.txt)"
what='an empty history' code=0
"$heed" translate --limit 300 --epochs 1 --hidden 8 --embedding 8 --out history >out.txt 2>err.txt </dev/null || code=$?
says 2 'load: "history/model.safetensors": is damaged: its history must have a best epoch; got none of 0 epochs'

# --- a flipped bit is found -------------------------------------------------------------------------------------------------
mkdir flipped
cp m/model.safetensors flipped
what='a changed byte' code=0
size=$(wc -c <flipped/model.safetensors)
printf '\1' | dd of=flipped/model.safetensors bs=1 seek=$((size - 3)) conv=notrunc 2>/dev/null
"$heed" translate --model flipped >out.txt 2>err.txt <in.txt || code=$?
[ "$code" = 2 ] || miss "$what: exit $code"
grep -q '^load: "flipped/model.safetensors": the contents must have the checksum that was saved' err.txt ||
  miss "$what: $(cat err.txt)"

# --- memory and threads that the system refuses (a sanitizer needs more address space than any limit) -----------------------
if (ulimit -v 1048576 && "$heed" translate --model m --threads 1 <in.txt >one.txt 2>/dev/null); then
  what='256 threads in 1 GiB' code=0
  (ulimit -v 1048576 && "$heed" embed --model m --threads 256 <in.txt >out.txt 2>err.txt) || code=$?
  [ "$code" = 0 ] || miss "$what: exit $code, $(tail -n 1 err.txt)"
  for limit in 12000 16000 16500 17000 24000 32000; do
    code=0
    (ulimit -v "$limit" && "$heed" translate --model m --threads 1 <in.txt >out.txt 2>err.txt) || code=$?
    case $code in
      0 | 127) ;;  # 127: too little for the libraries
      3) grep -q '^memory: ' err.txt || miss "$limit KiB: $(cat err.txt)" ;;
      *) miss "$limit KiB: exit $code, $(cat err.txt)" ;;
    esac
  done
fi

# --- training that diverges ------------------------------------------------------------------------------------------------
what='a learning rate that is too large' code=0
steps=(train --pairs pairs.tsv --hidden 8 --embedding 8 --max-epochs 30 --schedule constant)
"$heed" "${steps[@]}" --learning-rate 1e25 --out far >out.txt 2>err.txt || code=$?
[ "$code" = 2 ] || miss "$what: exit $code, $(tail -n 1 err.txt)"
tail -n 1 err.txt | grep -q 'train: .* must stay finite; got .* in epoch [0-9]*, step [0-9]* (.*); hint: a learning rate' ||
  miss "$what: $(tail -n 1 err.txt)"
said=$(tail -n 1 err.txt)
"$heed" train --resume --out far >out.txt 2>err.txt  # what is saved is the state before the first step
[ "$(tail -n 1 err.txt)" = "$said" ] || miss "$what: other parameters were saved: $(tail -n 1 err.txt)"
what='no clipping' code=0
"$heed" "${steps[@]}" --learning-rate 1e38 --clip 0 --batch-size 4 --out farther >out.txt 2>err.txt || code=$?
[ "$code" = 2 ] || miss "$what: exit $code"
tail -n 1 err.txt | grep -qE 'got nan in epoch 1, step [0-9]+ \([a-z_.]+ is not finite\); .*, or gradient clipping; ' ||
  miss "$what: $(tail -n 1 err.txt)"

what='a factor that is too large' code=0
"$heed" "${steps[@]:0:9}" --schedule noam --factor 1e30 --clip 0 --out factor >out.txt 2>err.txt || code=$?
tail -n 1 err.txt | grep -q '; hint: a factor below 1e+30, or gradient clipping; ' || miss "$what: exit $code, $(tail -n 1 err.txt)"

# --- SIGTERM and SIGHUP save, as Ctrl-C does --------------------------------------------------------------------------------
for name in TERM HUP; do
  what="SIG$name"
  "$heed" translate --epochs 5000 --hidden 8 --embedding 8 --limit 300 --out "by$name" </dev/null >out.txt 2>err.txt &
  job=$!
  for _ in $(seq 100); do [ -s "by$name/model.safetensors" ] && break; sleep 0.2; done
  kill -s "$name" "$job"
  code=0
  wait "$job" || code=$?
  [ "$code" = 130 ] || miss "$what: exit $code"
  grep -q "the best model so far is in by$name/model.safetensors" err.txt || miss "$what: $(tail -n 1 err.txt)"
done

printf '%d missed\n' "$failures"
[ "$failures" = 0 ]
