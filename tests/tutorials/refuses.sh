# shellcheck shell=bash disable=SC2154 # heed_program and lesson_program are set by the test
# The rows of THE TABLE OF BAD INPUT in the shell: bad_input_test.sh and bad_input_train_test.sh read this file first.
#
#   refuses 'heed translate --beam 0' '--beam: 1 64 got 0'
#
# Each row: the command ends with exit code 2, says one line on standard error, prints nothing on standard output, and
# neither writes nor changes a file. The line has the form  operation: rule; got ..; hint.  The row has its operation and,
# in their order, numbers, names and words that it must contain; "got" stands for "; got". The wording is free. In lines ~
# stands for the folder of the test. To add a row, write it with ? after the operation: a failing row prints the line.
set -u
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/here" && cd "$box/here" || exit 3
rows=0 failed=0 edits=0

heed() { "$heed_program" "$@"; }
lesson() { "$lesson_program" --no-ask "$@"; }
state() { find . -type f -exec cksum {} + | sort; find . -type d | sort; }

accepts() {  # ROW LINE: has the line the operation and all words of the row? 1 is none of 10, -1, 0.1 and 1.5
  local rest=${2#"${1%%: *}: "} before word
  [ "$rest" != "$2" ] || return 1
  for word in ${1#*: }; do
    [ "$word" != got ] || word='; got '
    while :; do
      before=${rest%%"$word"*}
      [ "$before" != "$rest" ] || return 1
      rest=${rest#*"$word"}
      [[ $word == [[:alnum:]_-]* && $before == *[[:alnum:]_] || $word == [[:alnum:]_]* && $before == *[./#-] ]] && continue
      [[ $word == *[[:alnum:]_] && $rest == @([[:alnum:]_]|[./#~-][[:alnum:]_])* ]] || break
    done
  done
}

refuses() {  # COMMAND ROW
  local code=0 found files
  rows=$((rows + 1))
  eval "$1" </dev/null >"$box/out" 2>"$box/err" || code=$?
  found=$(sed "s|$PWD|~|g" "$box/err")
  files=$(state)
  [ "$code" = 2 ] && accepts "$2" "$found" && [ "$(wc -l <"$box/err")" = 1 ] && [ ! -s "$box/out" ] &&
    [ "$files" = "$before" ] && return
  failed=$((failed + 1))
  printf 'MISS    %s\n  wanted: 2 %s\n  got:    %s %s\n' "$1" "$2" "$code" "$found"
  [ ! -s "$box/out" ] || { echo '  and on standard output:'; head -n 3 "$box/out"; }
  [ "$files" = "$before" ] || { echo '  and files changed:'; diff <(echo "$before") <(echo "$files"); }
}

: >empty.tsv
printf '\n \n' >blank.tsv
printf 'a\tb\nonly one\n' >one.tsv
printf 'a\tb\n\377\376\tc\n' >latin.tsv
printf 'a\tb\nx\0y\tc\n' >nul.tsv
printf '\377\376a\0\t\0' >utf16.tsv
printf 'the cat\tle chat\n' >tiny.tsv
printf 'a\nb\n' >two.txt
printf 'x\n' >single.txt
: >empty.txt
{ head -c 2000000 /dev/zero | tr '\0' 'w' | sed 's/ww/w /g'; printf '\tx\n'; } >million.tsv
printf 'a b c d e f g h i j k l\n' >long.txt
printf 'w%.0s ' {1..70} >words.txt
mkdir folder untrained damaged other begun listed published
printf '{"model_type": "brt"}' >published/config.json
printf '{"options": {}}' >begun/config.json
printf '[]' >listed/config.json
inside='"preset": "rnn-attention", "paper": "bahdanau"'
for name in 'options": []' 'options": 3' "options\": {$inside}, \"data\": []" "options\": {$inside, \"hiden\": 3}"; do
  mkdir "edited$((edits++))" && printf '{"%s}' "$name" >"edited$((edits - 1))/config.json"
done
for name in begun listed edited{0..3}; do echo 'This folder belongs to heed train.' >"$name/lock"; done
printf 'not a safetensors file' >damaged/model.safetensors
printf '\x02\0\0\0\0\0\0\0{}' >other/model.safetensors
before=$(state)

report() {  # how many rows there were; fails if one did
  printf '%d rows, %d failed\n' "$rows" "$failed"
  [ "$failed" = 0 ]
}
