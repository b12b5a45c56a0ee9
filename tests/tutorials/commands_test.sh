#!/usr/bin/env bash
# Every command that the documents print works: the lines of their shell blocks and what they quote as `./heed ..`, `--set
# ..` and `--option`. usage: commands_test.sh BUILD_FOLDER [FILE..]
#
# The real ./heed runs in a sandbox beside the built programs (its cmake and ninja do nothing), with --quick where it
# trains, and with files of a toy language under the names of the documents. A command must end with 0, or with the code
# in `codes`. What takes too long or needs more is in `apart`, with the reason; its options must still exist. A setting
# (--set) must be one of the knobs of its chapter's lesson, within its limits. A command that is neither run nor listed, an
# option that does not exist and an entry of a table that no document uses are failures.
set -u
source=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
build=$(cd "$1" && pwd -P) || exit 3
shift
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
failures=0 commands=0
miss() { printf 'MISS %s\n' "$*"; failures=$((failures + 1)); }

# command | exit code | why
codes='./heed exercise NN K|1|an exercise that is still open
./heed exercise [0-9][0-9] 1|1|an exercise that is still open
./heed exercise --all --grade --json|1|the exercises of the lines above are still open
./heed translate --mine *|1|the exercises of these parts are still open'

# pattern of the command | why it is not run. Only its options are compared with --help.
apart='./heed test*|builds and runs all tests: this is one of them
./heed bench*|measures speed for minutes
./heed course --playground|needs emscripten, and some minutes
./heed run 30 --src *|trains for 20 minutes
./heed translate --mine|trains for a minute; tests/tutorials/mine_test.sh does so with few steps
./heed fill *|needs a published model; tests/tutorials/writing_test.sh has small ones
./heed generate*|the same, or trains for two minutes; tests/tutorials/generate_test.sh trains for seconds
./heed translate --model opus-mt-*|the same
cmake *|builds or installs; .ci/run and tests/packaging do it
ninja -C build/release 01_tensors|builds a lesson; tests/tutorials/closure_test.sh says what it may need
./heed gradcheck softsign *|the operation that CONTRIBUTING.md adds; tests/readme/follow.sh follows it
./heed train --scope strided:4|the scope that CONTRIBUTING.md adds; tests/readme/follow.sh follows it
./heed train --paper mean_context|the model that CONTRIBUTING.md adds; tests/readme/follow.sh follows it
bash tutorials/common/record.sh *|compiles each edit of an exercise; the tests mistakes.* compare what it recorded
./heed get *|downloads; tests/tutorials/get_test.sh has a server of its own
./heed * --model DIR*|a published model, which the reader has; tests/tutorials/tune_test.sh has small ones
./heed train --from DIR*|the same
./heed * --model out/models/*|what ./heed get downloads; tests/tutorials/search_test.sh has a small model
build/release/bin/published *|needs published data sets, or hours'

# --- the sandbox -------------------------------------------------------------------------------------------------------
programs=$box/build/release/bin
mkdir -p "$programs/exercises" "$box/tests" "$box/none"
cp "$source/heed" "$box"
cp "$source/tests/test.sh" "$box/tests"
ln -s "$source/tutorials" "$box/tutorials"
: >"$box/build/release/build.ninja"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$(cd "$box" && pwd -P)" >"$box/build/release/CMakeCache.txt"
for name in cmake ninja; do printf '#!/bin/sh\n' >"$box/none/$name" && chmod +x "$box/none/$name"; done
PATH=$box/none:$PATH
for name in "$source"/tutorials/[0-9][0-9]_*/main.cpp; do
  name=${name%/main.cpp} && ln -s "$build/bin/${name##*/}" "$programs/"
done
for name in "$build"/bin/exercises/exercise.*; do
  ln -s "$name" "$programs/exercises/"
  lesson=${name##*/exercise.} && ln -s "$name" "$programs/exercises/work.$lesson"
done
ln -s "$build/bin/heed_mine_gaps" "$programs/heed_mine"
apps=$(sed -n 's/^apps="\(.*\)"$/\1/p' "$source/heed")
for name in $apps; do
  printf '#!/bin/sh\nexec "%s/bin/heed" %s "$@"\n' "$build" "$name" >"$programs/heed_$name" && chmod +x "$programs/heed_$name"
done
cd "$box" || exit 3

pairs() {  # pairs N SEED SOURCE TARGET: sentences whose translation is the same letters, in capitals
  awk -v n="$1" -v seed="$2" -v s="$3" -v t="$4" 'BEGIN {
    srand(seed)
    for (i = 0; i < n; ++i) {
      a = ""
      for (k = 1 + int(rand() * 5); k > 0; --k) a = a (a == "" ? "" : " ") substr("abcdefgh", 1 + int(rand() * 8), 1)
      print a > s; print toupper(a) > t
    }
  }'
}
pairs 300 1 train.de train.en
pairs 40 2 val.de val.en
pairs 20 3 test.de test.en
paste train.de train.en >F.tsv
printf 'it is here\n' >sentences.txt
mkdir class
printf '[{"id":"04.1","status":"solved","checks":2,"passed":2,"mistake":null,"hints":0}]\n' >class/anna.json

# --- what --help says --------------------------------------------------------------------------------------------------
./heed help >help.all
for name in $apps; do ./heed "$name" --help >"help.$name" 2>/dev/null && cat "help.$name" >>help.all; done
for name in "$source"/tutorials/[0-9][0-9]_*/; do
  name=${name%/} name=${name##*/}
  ./heed run "${name%%_*}" --help </dev/null >"help.${name%%_*}" 2>/dev/null || miss "$name --help"
  cat "help.${name%%_*}" >>help.all
done
# options FILE OPTION..: each --option is in the file
options() {
  local file=$1 word
  shift
  for word; do
    word=${word%%=*} word=${word%%[,.;:)]*}
    case $word in --[a-z]*) grep -q -e "$word\\([^a-z-]\\|\$\\)" "$file" || { miss "$where: there is no option $word"; return 1; } ;; esac
  done
}

# --- the commands ------------------------------------------------------------------------------------------------------
# FILE:LINE TAB COMMAND; the lines of a paragraph are joined, because a quoted command may be wrapped.
extract() {
  awk 'function quoted(text,  c) {
      while (match(text, /`[^`]+`/)) {
        c = substr(text, RSTART + 1, RLENGTH - 2); text = substr(text, RSTART + RLENGTH)
        if (c ~ /^(\.\/heed( |$)|build\/release\/bin\/|cmake |ninja |bash |python3 |--[a-z])/) print name ":" first "\t" c
      }
    }
    FNR == 1 { quoted(all); all = ""; fence = 0; name = FILENAME; sub(/^.*\/\.\//, "", name) }
    /^```/ { quoted(all); all = ""; shell = !fence && $0 ~ /^```(sh|bash)?$/; any = $0 ~ /sh$/; fence = !fence; next }
    fence { if ((shell && $0 ~ /^(\$ )?(\.\/heed|build\/|cmake|ninja|bash|python3)/) || (any && $0 ~ /^[^# ]/)) {
        line = $0; sub(/^\$ /, "", line); sub(/ +#.*$/, "", line); print name ":" FNR "\t" line }; next }
    /^[[:space:]]*$/ { quoted(all); all = ""; next }
    { if (all == "") first = FNR; all = all " " $0 }
    END { quoted(all) }' "$@"
}

# Placeholders become what a reader would put there, training becomes quick.
concrete() {
  local text=$1
  text=${text//exercise NN K/exercise 02 1} text=${text//run NN/run 02} text=${text//attention NAME/attention softmax}
  text=${text//drawing NAME/drawing attention} text=${text//--pairs FILE/--pairs F.tsv} text=${text//--out RUN/--out run2}
  text=${text//--model tiny/--model run}
  text=${text/heed train .. /heed train --src train.de --tgt train.en --valid-src val.de --valid-tgt val.en --out run3 }
  case $text in
    './heed train --help'|'./heed train') text='./heed train --help' ;;
    './heed train '*--src*|'./heed train --pairs '*) text="rm -rf run3; $text --quick" ;;
    './heed train '*) text="rm -rf run3; $text --src train.de --tgt train.en --valid-src val.de --valid-tgt val.en --out run3 --quick" ;;
    './heed translate') text='./heed translate --quick' ;;
    './heed attention --compare'*) text='./heed attention --compare --quick --architecture seq2seq --variants additive --out league' ;;
    './heed drawing') text='./heed drawing --list' ;;
    './heed run '[0-9][0-9]) text="$text --help" ;;  # the lesson itself is the test lesson.NN
    './heed run '*) text="$text --quick --no-ask" ;;
    './heed embed'|'./heed search'|'./heed get'|'./heed score') text="$text --help" ;;
    './heed look '*) text='./heed look --help' ;;  # of models that are not in the tree
    './heed embed --model out/25_cls_and_masked_words '*) text=${text/out\/25_cls_and_masked_words/run} ;;
    './heed '*' --preset') text="$text multi30k-tiny" ;;
  esac
  printf '%s' "$text"
}

check() {  # check COMMAND at $where
  local command=$1 row pattern rest code=0 wanted=0 knob words lesson=${where#tutorials/}
  read -ra words <<<"$command"
  case $command in
    --set\ *)
      knob=${command#--set }
      lesson=$(./heed list </dev/null | sed -n "s/^${lesson%%_*}  \([a-z_]*\) .*/${lesson%%_*}_\1/p")
      if [ -z "$lesson" ]; then miss "$where: $command is in the chapter of no lesson"; return; fi
      # An unknown knob comes last, so that it is the one refused if the settings before it are fine.
      "$programs/$lesson" --set "$knob" --set nosuch=0 </dev/null >out.txt 2>&1
      grep -q 'got "nosuch"$' out.txt || miss "$where: $command: $(tail -n 1 out.txt)"
      return ;;
    --*) options help.all "${words[@]}"; return ;;
    './heed NAME --help') for row in $apps; do ./heed "$row" --help >/dev/null || miss "$where: ./heed $row --help"; done; return ;;
  esac
  while IFS='|' read -r pattern rest; do
    # shellcheck disable=SC2254  # the pattern is to be matched
    case $command in $pattern)
      used="$used$pattern|"
      case $command in ./heed\ *) options help.all "${words[@]}" ;; esac
      return ;;
    esac
  done <<<"$apart"
  while IFS='|' read -r pattern row rest; do
    # shellcheck disable=SC2254
    case $command in $pattern) wanted=$row used="$used$pattern|" ;; esac
  done <<<"$codes"
  case $command in ./heed|./heed\ *) ;; *) miss "$where: neither run nor listed: $command"; return ;; esac
  # shellcheck disable=SC2016  # the inner shell expands it
  timeout 120 bash -c "$(concrete "$command")" </dev/null >out.txt 2>err.txt || code=$?
  [ "$code" = "$wanted" ] || miss "$where: $command: exit code $code, not $wanted: $(tail -n 1 err.txt)"
}

if [ $# = 0 ]; then
  set -- README.md CONTRIBUTING.md
  for name in "$source"/tutorials/*.md "$source"/tutorials/*/*.md "$source"/tests/bench/README.md; do set -- "$@" "${name#"$source/"}"; done
  whole=1
fi
files=() used="|" seen=$'\n'
for name; do files+=("$source/./$name"); done
# shellcheck disable=SC2094  # extract reads other files
while IFS=$'\t' read -r where command; do
  case $command in --set*) key="${where%%/README*}:$command" ;; *) key=$command ;; esac
  case $seen in *$'\n'"$key"$'\n'*) continue ;; esac
  seen="$seen$key"$'\n' commands=$((commands + 1))
  check "$command"
done < <(extract "${files[@]}" && true)
if [ -n "${whole:-}" ]; then
  while IFS='|' read -r pattern rest; do
    case $used in *"|$pattern|"*) ;; *) miss "no document says: $pattern" ;; esac
  done <<<"$apart
$codes"
fi
printf '%d commands, %d failures\n' "$commands" "$failures"
[ "$failures" = 0 ]
