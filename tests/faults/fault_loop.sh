#!/usr/bin/env bash
# Makes the calls of a training run, of its --resume and of a translation fail: opening, reading, writing, flushing and
# renaming files, allocating memory, starting threads. Each time, one call fails (once), or that call and all later ones
# (for good). The program must then end with 0, or with a sentence and 2 (3 only without memory), no file may be
# incomplete, and the same command without a fault must give the same bits as an undisturbed run.
#
# $1: heed, $2: the library fail_nth, $3: a lesson. Tries five calls of each kind; with --all every call, but only 300 of
# the 50,000 allocations.
# shellcheck disable=SC2317  # functions that loop calls
set -u
# shellcheck source=tests/faults/faults.sh
. "$(dirname "$0")/faults.sh"
begin "$@"
most=5
[ -z "$all" ] || most=1500
memory='memory: the work must fit into the memory of this machine; got no more'
debris=0

LD_PRELOAD=$library "$heed" score --help >/dev/null 2>err || skip "the library does not load here: $(head -n 1 err)"
"$heed" train "${small[@]}" --max-epochs 2 --out two >two.out 2>err || miss "a training: $(tail -n 1 err)"
"$heed" train "${small[@]}" --max-epochs 4 --out four >four.out 2>err || miss "a training: $(tail -n 1 err)"
models kept 1 2 3 4
head -n 24 pairs.tsv | cut -f 1 >in.txt
"$heed" translate --model four --threads 1 <in.txt >reference.txt 2>err || miss "a translation: $(tail -n 1 err)"

# ended WHAT KIND CODE: checks the exit code and err.txt, which has standard error
ended() {
  sentences "$1" err.txt
  case $2:$3 in
    *:0) ;;
    write:2) ;;  # the sentence itself may be what could not be written
    *:2) [ -s err.txt ] || miss "$1: exit 2 without a word" ;;
    memory:3) [ "$(tail -n 1 err.txt)" = "$memory" ] || miss "$1: exit 3, $(tail -n 1 err.txt)" ;;
    *) miss "$1: exit $3, $(tail -n 1 err.txt)" ;;
  esac
}

# training NAME REFERENCE EPOCHS KIND AT HOW: trains with a fault, then again without, and compares with REFERENCE
training() {
  local what="$1, $4 $5 $6" reference=$2 epochs=$3 code=0 again
  tried=$((tried + 1))
  rm -rf run
  [ "$1" != resume ] || cp -r two run
  if [ "$1" = resume ]; then again=(--resume --threads 1); else again=("${shape[@]}"); fi
  disturbed "$4" "$5" "$6" "$heed" train "${again[@]}" --max-epochs "$epochs" --out run >out.txt 2>err.txt </dev/null ||
    code=$?
  ended "$what" "$4" "$code"
  [ ! -d run ] || whole "$what" run "$kept"
  if [ "$code" = 0 ]; then
    same "$what" "$reference" run
    cmp -s <(sed 's/ [a-z]*\// /' "$reference.out") <(sed 's/ [a-z]*\// /' out.txt) || miss "$what: other results on standard output"
    return
  fi
  [ ! -e run/config.json ] || again=(--resume --threads 1)
  "$heed" train "${again[@]}" --max-epochs "$epochs" --out run >out.txt 2>err.txt || miss "$what, again: exit $?, $(tail -n 1 err.txt)"
  same "$what, again" "$reference" run
  for file in run/.heed-*; do [ ! -e "$file" ] || miss "$what, again: $file is left"; done
}

translation() {  # KIND AT HOW
  local what="translate, $1 $2 $3" code=0
  tried=$((tried + 1))
  disturbed "$1" "$2" "$3" "$heed" translate --model four --threads 1 <in.txt >out.txt 2>err.txt || code=$?
  ended "$what" "$1" "$code"
  cmp -s out.txt <(head -c "$(wc -c <out.txt)" reference.txt) || miss "$what: not the beginning of the output"
  [ "$code" != 0 ] || cmp -s out.txt reference.txt || miss "$what: exit 0 with a part of the output"
}

loop() {  # KIND COUNT FUNCTION ARGUMENTS...
  local kind=$1 count=$2 limit=$most at how
  shift 2
  [ "$kind" != memory ] || [ -z "$all" ] || limit=300
  for how in once good; do for at in $(spread "$count" "$limit"); do "$@" "$kind" "$at" "$how"; done; done
}

shape=("${small[@]}") kept=kept
for kind in open read write sync rename memory; do
  rm -rf run
  n=$(calls $kind "$heed" train "${small[@]}" --max-epochs 2 --out run)
  loop $kind "$n" training train two 2
  rm -rf run && cp -r two run
  m=$(calls $kind "$heed" train --resume --threads 1 --max-epochs 4 --out run)
  loop $kind "$m" training resume four 4
  k=$(HEED_FAULT_COUNT=counts LD_PRELOAD=$library "$heed" translate --model four --threads 1 <in.txt >/dev/null && sed -n "s/^$kind //p" counts)
  loop $kind "$k" translation
  printf '%-7s %d calls in train, %d in --resume, %d in translate\n' "$kind" "$n" "$m" "$k"
done

# A training run that is large enough to start threads. Its bits do not depend on their number.
shape=(--pairs pairs.tsv --preset rnn-attention --min-frequency 1 --schedule noam --threads 4)
"$heed" train "${shape[@]}" --max-epochs 1 --out wide >wide.out 2>err || miss "a training: $(tail -n 1 err)"
rm -rf run
n=$(calls thread "$heed" train "${shape[@]}" --max-epochs 1 --out run)
mkdir kept_wide && cp wide/model.safetensors kept_wide/1
kept=kept_wide
[ "$n" -gt 0 ] || miss "no thread was started"
loop thread "$n" training threads wide 1
printf '%-7s %d calls in train\n' thread "$n"

# No memory before main: which object is initialised first differs between programs. And no memory while the tables of
# the catalogue are built.
for program in "$heed score --help" "$lesson --help" "$heed train --pairs none --out none"; do
  for how in once good; do
    for at in $(spread 600 $((10 * most))); do
      what="$program, memory $at $how" code=0
      tried=$((tried + 1))
      # shellcheck disable=SC2086  # words
      disturbed memory "$at" $how $program >out.txt 2>err.txt || code=$?
      ended "$what" memory $code
    done
  done
done

printf '%d faults tried; %d temporary files were left for the next run to delete\n' "$tried" "$debris"
finish
