#!/usr/bin/env bash
# THE TABLE OF BAD INPUT, second part: what a user can type after the programs, and the files they can name. (The first
# part, what code can get wrong, is tests/nn/bad_input_test.cpp.)
#
#   refuses 'heed translate --beam 0'   '--beam: must be a whole number from 1 to 64; got 0'
#
# Each row: the command ends with exit code 2, says exactly this one line on standard error, prints nothing on standard
# output, and neither writes nor changes a file. In a row's line ~ stands for the folder of the test. To add a row,
# write it with ? for the line: a failing row prints what the program said.
# Arguments: the program heed, and a lesson.
set -u
heed_program=$1 lesson_program=$2
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/here" && cd "$box/here" || exit 3
rows=0 failed=0

heed() { "$heed_program" "$@"; }
lesson() { "$lesson_program" --no-ask "$@"; }
state() { find . -type f -exec cksum {} + | sort; find . -type d | sort; }

refuses() {  # COMMAND LINE
  local code=0 found files
  rows=$((rows + 1))
  eval "$1" </dev/null >"$box/out" 2>"$box/err" || code=$?
  found=$(sed "s|$PWD|~|g" "$box/err")
  files=$(state)
  [ "$code" = 2 ] && [ "$found" = "$2" ] && [ ! -s "$box/out" ] && [ "$files" = "$before" ] && return
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
mkdir folder untrained damaged other
head -c 3000 /dev/urandom >damaged/model.safetensors
printf '\x02\0\0\0\0\0\0\0{}' >other/model.safetensors
before=$(state)

# --- heed
refuses 'heed'                                        '?'
refuses 'heed ""'                                     '?'
refuses 'heed translat'                               '?'
refuses 'heed frobnicate'                             '?'

# --- any program: options
refuses 'heed translate --bogus'                      '?'
refuses 'heed translate --epoch 3'                    '?'
refuses 'heed translate --seed'                       '?'
refuses 'heed translate --seed x'                     '?'
refuses 'heed translate --seed 1.5'                   '?'
refuses 'heed translate --seed 99999999999999999999'  '?'
refuses 'heed translate --seed 1 --seed 2'            '?'
refuses 'heed translate --seed ""'                    '?'
refuses 'heed translate --threads 0'                  '?'
refuses 'heed translate --threads 257'                '?'
refuses 'heed translate surplus'                      '?'
refuses 'heed translate --retrain=yes'                '?'

# --- heed translate: numbers and choices
refuses 'heed translate --epochs -3'                  '?'
refuses 'heed translate --epochs 2.5'                 '?'
refuses 'heed translate --learning-rate nan'          '?'
refuses 'heed translate --learning-rate -1'           '?'
refuses 'heed translate --dropout 1'                  '?'
refuses 'heed translate --beam 0'                     '?'
refuses 'heed translate --beam 65'                    '?'
refuses 'heed translate --batch-size 0'               '?'
refuses 'heed translate --hidden -1'                  '?'
refuses 'heed translate --embedding 5000'             '?'
refuses 'heed translate --max-length 1001'            '?'
refuses 'heed translate --limit -1'                   '?'
refuses 'heed translate --min-frequency -1'           '?'
refuses 'heed translate --direction fr-em'            '?'
refuses 'heed translate --tokenize bytes'             '?'

# --- heed translate: files
refuses 'heed translate --pairs missing.tsv'          '?'
refuses 'heed translate --pairs ""'                   '?'
refuses 'heed translate --pairs folder'               '?'
refuses 'heed translate --pairs empty.tsv'            '?'
refuses 'heed translate --pairs blank.tsv'            '?'
refuses 'heed translate --pairs one.tsv'              '?'
refuses 'heed translate --pairs latin.tsv'            '?'
refuses 'heed translate --pairs nul.tsv'              '?'
refuses 'heed translate --pairs utf16.tsv'            '?'
refuses 'heed translate --pairs million.tsv'          '?'
refuses 'heed translate --pairs tiny.tsv'             '?'
refuses 'heed translate --src two.txt --tgt single.txt'  '?'
refuses 'heed translate --src two.txt --tgt missing.txt' '?'
refuses 'heed translate --src empty.txt --tgt empty.txt' '?'
refuses 'heed translate --src two.txt'                '?'
refuses 'heed translate --tgt two.txt'                '?'
refuses 'heed translate --pairs tiny.tsv --src two.txt --tgt two.txt' '?'
refuses 'heed translate --valid-src two.txt'          '?'
refuses 'heed translate --valid-src two.txt --valid-tgt two.txt' '?'
refuses 'heed translate --out two.txt'                '?'
refuses 'heed translate --out two.txt/x'              '?'
refuses 'heed translate --model missing'              '?'
refuses 'heed translate --model untrained'            '?'
refuses 'heed translate --model two.txt'              '?'
refuses 'heed translate --model damaged'              '?'
refuses 'heed translate --model other'                '?'
refuses 'heed translate --model ""'                   '?'

# --- heed gradcheck
refuses 'heed gradcheck softmx'                       '?'
refuses 'heed gradcheck qqqqqqqqqqqq'                 '?'
refuses 'heed gradcheck ""'                           '?'
refuses 'heed gradcheck tanh exp'                     '?'
refuses 'heed gradcheck tanh --plant nonsense'        '?'
refuses 'heed gradcheck tanh --plant sign --json x.json' '?'
refuses 'heed gradcheck --jacobian'                   '?'
refuses 'heed gradcheck tanh --json missing/x.json'   '?'
refuses 'heed gradcheck tanh --json folder'           '?'
refuses 'heed gradcheck tanh --json two.txt/x.json'   '?'
refuses 'heed gradcheck tanh --json ""'               '?'

# --- heed score
refuses 'heed score'                                  '?'
refuses 'heed score --hyp two.txt'                    '?'
refuses 'heed score --hyp two.txt --ref single.txt'   '?'
refuses 'heed score --hyp two.txt --ref missing.txt'  '?'
refuses 'heed score --hyp folder --ref two.txt'       '?'
refuses 'heed score --hyp empty.txt --ref empty.txt'  '?'
refuses 'heed score --hyp latin.tsv --ref two.txt'    '?'
refuses 'heed score --hyp two.txt --ref two.txt --tokenize 14a' '?'

# --- a lesson (./heed run NN hands its options on)
refuses 'lesson --set'                                '?'
refuses 'lesson --set steps'                          '?'
refuses 'lesson --set nonsense=1'                     '?'
refuses 'lesson --set KNOB=x'                         '?'
refuses 'lesson --seed x'                             '?'
refuses 'lesson --bogus'                              '?'
refuses 'lesson --out ""'                             '?'
refuses 'lesson --out two.txt'                        '?'

printf '%d rows, %d failed\n' "$rows" "$failed"
[ "$failed" = 0 ]
