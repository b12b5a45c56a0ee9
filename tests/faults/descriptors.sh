#!/usr/bin/env bash
# Every command of heed with standard input, output or error closed, on a full device, or connected to a pipe without a
# reader. The command must not hang, must end with 0 or 2 (141 if nobody reads its output), and must not write output or
# messages into another file. $1: heed.
set -u
# shellcheck source=tests/faults/faults.sh
. "$(dirname "$0")/faults.sh"
begin "$@"
mkdir in
"$heed" train "${small[@]}" --max-epochs 1 --out in/m >/dev/null 2>err || miss "a training: $(tail -n 1 err)"
cut -f 2 pairs.tsv >in/lines.txt
echo 'a b 1' >in/short
for i in $(seq 3000); do echo "a b $((i % 9)) c"; done >in/long
: >in/none

# Files that may differ between two runs of the same command: they contain times, or depend on the input.
timed='metrics.jsonl|report.html|figures.json|last.safetensors|league.json|result.json|vectors.npy'
# belongs WHAT: checks that every file in o is also in reference, with the same content; a timed one with the same first bytes
belongs() {
  local file name
  for file in $(cd o && find . -type f); do
    name=${file##*/}
    case $name in .heed-*) miss "$1: $file is left"; continue ;; esac
    [ -e "reference/$file" ] || { miss "$1: a file $file"; continue; }
    cmp -s "o/$file" "reference/$file" && continue
    [[ $name =~ ^($timed)$ ]] && cmp -s <(head -c 9 "o/$file") <(head -c 9 "reference/$file") && continue
    miss "$1: another $file"
  done
}
# The table of the league contains the times of its steps, whose widths shorten names and rules: the first word of each line
# without dashes counts.
output() { if [ "$2" = --compare ]; then tr -d - <"$1" | awk '{ print $1 }'; else cat "$1"; fi; }

# Descriptor 9: a pipe without a reader. It is opened for reading and writing, and then the reading end is closed.
mkfifo pipe
exec 8<>pipe
exec 9>pipe
exec 8<&-

before=""
fresh() {  # the folder o: empty, or a copy of $before
  rm -rf o
  if [ -n "$before" ]; then cp -r "$before" o; else mkdir o; fi
}

# each INPUT COMMAND...: runs the command undisturbed, and then with the descriptors disturbed in each way
each() {
  local input=$1 way code what result
  shift
  rm -rf reference
  fresh
  timeout 60 "$heed" "$@" <"$input" >out.txt 2>err.txt || miss "$*: exit $?, $(tail -n 1 err.txt)"
  cp out.txt reference.txt
  mv o reference
  for way in closed0 closed1 closed2 closed012 full1 full2 gone1 gone2 gone12; do
    what="$1 ${2:-} <$input, $way" code=0
    tried=$((tried + 1))
    fresh
    : >out.txt
    case $way in
      closed0) timeout 20 "$heed" "$@" <&- >out.txt 2>err.txt ;;
      closed1) timeout 20 "$heed" "$@" <"$input" >&- 2>err.txt ;;
      closed2) timeout 20 "$heed" "$@" <"$input" >out.txt 2>&- ;;
      closed012) timeout 20 "$heed" "$@" <&- >&- 2>&- ;;
      full1) timeout 20 "$heed" "$@" <"$input" >/dev/full 2>err.txt ;;
      full2) timeout 20 "$heed" "$@" <"$input" >out.txt 2>/dev/full ;;
      gone1) timeout 20 "$heed" "$@" <"$input" >&9 2>err.txt ;;
      gone2) timeout 20 "$heed" "$@" <"$input" >out.txt 2>&9 ;;
      gone12) timeout 20 "$heed" "$@" <"$input" >&9 2>&9 ;;
    esac
    code=$?
    result=0  # the expected exit code; output that cannot be written gives 2 or 141
    if [ -s reference.txt ]; then case $way in *closed*1* | full1) result=2 ;; gone1*) result=141 ;; esac; fi
    # With standard input closed, translate and embed have no line to answer, so no write fails.
    if [ "$way" = closed012 ] && [ "$input" != in/none ]; then case $code in 0 | 2) result=$code ;; esac; fi
    [ "$code" = "$result" ] || miss "$what: exit $code, not $result: $(tail -n 1 err.txt)"
    case $way in
      closed2 | full2 | gone2)
        cmp -s <(output out.txt "$2") <(output reference.txt "$2") || miss "$what: other output" ;;
    esac
    belongs "$what"
  done
}

each in/none attention --list
each in/none attention softmax --json o/entry.json
each in/none attention softmax --drawing o/picture.svg
each in/none drawing --list
each in/none drawing --all o
each in/none course --chapter 12 --out o
each in/none museum --list
each in/none museum --out o
each in/none gradcheck softmax --json o/check.json
each in/none score --hyp in/lines.txt --ref in/lines.txt
each in/none train "${small[@]}" --max-epochs 1 --out o
each in/none translate --pairs pairs.tsv --epochs 1 --hidden 4 --embedding 4 --min-frequency 1 --threads 1 --out o
each in/none attention --compare --quick --steps 20 --architecture seq2seq --variants additive --out o
"$heed" attention --compare --quick --steps 20 --architecture seq2seq --variants additive --out in/league >/dev/null 2>err ||
  miss "a league: $(tail -n 1 err)"
before=in/league  # this league is continued, and says so on standard error
each in/none attention --compare --quick --steps 20 --architecture seq2seq --variants additive --out o
before=""
for input in in/short in/long; do
  each $input translate --model in/m --threads 1
  each $input embed --model in/m --threads 1
  each $input embed --model in/m --threads 1 --npy o/vectors.npy
done

printf '%d ways to disturb a descriptor tried\n' "$tried"
finish
