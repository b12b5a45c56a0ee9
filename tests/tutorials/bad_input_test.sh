#!/usr/bin/env bash
# THE TABLE OF BAD INPUT, second part: what a user can type after the programs, and the files they can name. (The first
# part, what code can get wrong, is tests/nn/bad_input/.)
#
#   refuses 'heed translate --beam 0' \
#     '--beam: must be a whole number from 1 to 64; got 0'
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
printf 'a b c d e f g h i j k l\n' >long.txt
mkdir folder untrained damaged other begun
printf '{"options": {}}' >begun/config.json
printf 'not a safetensors file' >damaged/model.safetensors
printf '\x02\0\0\0\0\0\0\0{}' >other/model.safetensors
before=$(state)

# --- heed
refuses 'heed' \
  'heed: must be followed by one of attention, course, drawing, embed, gradcheck, museum, score, train, translate; got ""'
refuses 'heed ""' \
  'heed: must be followed by one of attention, course, drawing, embed, gradcheck, museum, score, train, translate; got ""'
refuses 'heed translat' \
  'heed: must be followed by one of attention, course, drawing, embed, gradcheck, museum, score, train, translate; got "translat"; the nearest is translate'
refuses 'heed frobnicate' \
  'heed: must be followed by one of attention, course, drawing, embed, gradcheck, museum, score, train, translate; got "frobnicate"'

# --- any program: options
refuses 'heed translate --bogus' \
  'heed translate: unknown option --bogus; --help lists them'
refuses 'heed translate --epoch 3' \
  'heed translate: unknown option --epoch; did you mean --epochs?'
refuses 'heed translate --seed' \
  'heed translate: a value must follow --seed; got nothing'
refuses 'heed translate --seed x' \
  '--seed: must be a whole number from 0 to 9007199254740992; got "x"'
refuses 'heed translate --seed 1.5' \
  '--seed: must be a whole number from 0 to 9007199254740992; got "1.5"'
refuses 'heed translate --seed 99999999999999999999' \
  '--seed: must be a whole number from 0 to 9007199254740992; got "99999999999999999999"'
refuses 'heed translate --seed 1 --seed 2' \
  '--seed: must be given once; got it 2 times'
refuses 'heed translate --seed ""' \
  '--seed: must be a whole number from 0 to 9007199254740992; got ""'
refuses 'heed translate --threads 0' \
  '--threads: must be a whole number from 1 to 256; got 0'
refuses 'heed translate --threads 257' \
  '--threads: must be a whole number from 1 to 256; got 257'
refuses 'heed translate surplus' \
  'heed translate: unexpected argument "surplus"; --help lists what is known'
refuses 'heed translate --retrain=yes' \
  '--retrain: must be true or false; got "yes"'

# --- heed translate: numbers and choices
refuses 'heed translate --epochs -3' \
  '--epochs: must be a whole number from 0 to 10000; got -3'
refuses 'heed translate --epochs 2.5' \
  '--epochs: must be a whole number from 0 to 10000; got "2.5"'
refuses 'heed translate --learning-rate nan' \
  '--learning-rate: must be a number from 0 to 10; got "nan"'
refuses 'heed translate --learning-rate -1' \
  '--learning-rate: must be a number from 0 to 10; got -1'
refuses 'heed translate --dropout 1' \
  '--dropout: must be a number from -1 to 0.95; got 1'
refuses 'heed translate --beam 0' \
  '--beam: must be a whole number from 1 to 64; got 0'
refuses 'heed translate --beam 65' \
  '--beam: must be a whole number from 1 to 64; got 65'
refuses 'heed translate --batch-size 0' \
  '--batch-size: must be a whole number from 1 to 4096; got 0'
refuses 'heed translate --hidden -1' \
  '--hidden: must be a whole number from 0 to 4096; got -1'
refuses 'heed translate --embedding 5000' \
  '--embedding: must be a whole number from 0 to 4096; got 5000'
refuses 'heed translate --max-length 1001' \
  '--max-length: must be a whole number from 0 to 1000; got 1001'
refuses 'heed translate --limit -1' \
  '--limit: must be a whole number of at least 0; got -1'
refuses 'heed translate --min-frequency -1' \
  '--min-frequency: must be a whole number of at least 0; got -1'
refuses 'heed translate --direction fr-em' \
  '--direction: must be one of en-fr, fr-en; got "fr-em"; nearest: fr-en'
refuses 'heed translate --tokenize bytes' \
  '--tokenize: must be one of space, words; got "bytes"'

# --- heed translate: files
refuses 'heed translate --pairs missing.tsv' \
  'read: the file must exist and be readable; got "missing.tsv" (No such file or directory)'
refuses 'heed translate --pairs ""' \
  '--pairs: must be a text that is not empty; got ""'
refuses 'heed translate --pairs folder' \
  'read: a file is needed; got the folder "folder"'
refuses 'heed translate --pairs empty.tsv' \
  'read: the file must not be empty; got "empty.tsv"'
refuses 'heed translate --pairs blank.tsv' \
  'read: there must be a line with text on both sides; got "blank.tsv" with 2 blank lines'
refuses 'heed translate --pairs one.tsv' \
  'read: every line must be source TAB target; got one column in line 2 of "one.tsv": "only one"'
refuses 'heed translate --pairs latin.tsv' \
  'read: text must be UTF-8; got byte 0xFF in line 2 of "latin.tsv", byte 1; if the file is Latin-1, convert it with iconv -f LATIN1 -t UTF-8'
refuses 'heed translate --pairs nul.tsv' \
  'read: a text file must not hold NUL bytes; got one in line 2 of "nul.tsv", byte 2'
refuses 'heed translate --pairs utf16.tsv' \
  'read: text must be UTF-8; got UTF-16 in "utf16.tsv"; convert it with iconv -f UTF-16 -t UTF-8'
refuses 'heed translate --pairs million.tsv' \
  'length filter: a pair must have at most 30 tokens a side; got 1 pair, the shortest with 1000000 tokens; raise the maximum length'
refuses 'heed translate --pairs tiny.tsv' \
  'split: a source sentence must be left to train on; got 1 distinct ones for validation 1 and test 1'
refuses 'heed translate --src two.txt --tgt single.txt' \
  'read: parallel files must have the same number of lines; got 2 in "two.txt" and 1 in "single.txt"'
refuses 'heed translate --src two.txt --tgt missing.txt' \
  'read: the file must exist and be readable; got "missing.txt" (No such file or directory)'
refuses 'heed translate --src empty.txt --tgt empty.txt' \
  'read: the file must not be empty; got "empty.txt"'
refuses 'heed translate --src two.txt' \
  'translate: --src and --tgt go together; got only one of them'
refuses 'heed translate --tgt two.txt' \
  'translate: --src and --tgt go together; got only one of them'
refuses 'heed translate --pairs tiny.tsv --src two.txt --tgt two.txt' \
  'translate: give --pairs, or --src and --tgt; got both'
refuses 'heed translate --valid-src two.txt' \
  'translate: --valid-src and --valid-tgt go together; got only one of them'
refuses 'heed translate --valid-src two.txt --valid-tgt two.txt' \
  'translate: --valid-src needs --src and --tgt; got neither'
refuses 'heed translate --out two.txt' \
  'write: cannot make the folder "two.txt": a file of that name is in the way'
refuses 'heed translate --out two.txt/x' \
  'write: cannot make the folder "two.txt/x": Not a directory'
refuses 'heed translate --model missing' \
  'load: "missing/model.safetensors": must be a file that exists; got No such file or directory'
refuses 'heed translate --model untrained' \
  'load: "untrained/model.safetensors": must be a file that exists; got No such file or directory'
refuses 'heed translate --model two.txt' \
  'load: "two.txt/model.safetensors": must be a file that exists; got Not a directory'
refuses 'heed translate --model damaged' \
  'load: "damaged/model.safetensors": the header must have at most 100000000 bytes; got 7021991845529153390; is this a safetensors file?'
refuses 'heed translate --model other' \
  'load: "other/model.safetensors": must be a translator saved by heed; got a file without heed.kind'
refuses 'heed translate --model ""' \
  '--model: must be a text that is not empty; got ""'

# --- heed train
refuses 'heed train' \
  'heed train: --out is required'
refuses 'heed train --out run' \
  'heed train: --src is required'
refuses 'heed train --out run --pairs two.txt --src two.txt' \
  'heed train: give --pairs, or --src and the others; got --pairs and "two.txt"'
refuses 'heed train --out run --src two.txt --tgt two.txt --valid-src two.txt' \
  'heed train: --valid-tgt is required'
train='heed train --out run --src two.txt --tgt two.txt --valid-src two.txt --valid-tgt two.txt'
refuses "$train --preset multi30k" \
  '--preset: must be one of multi30k-tiny, multi30k-small, rnn-attention, rnn-every-step, rnn-fixed, base; got "multi30k"'
refuses "$train --preset huge" \
  '--preset: must be one of multi30k-tiny, multi30k-small, rnn-attention, rnn-every-step, rnn-fixed, base; got "huge"'
refuses "$train --tgt single.txt" \
  '--tgt: must be given once; got it 2 times'
refuses 'heed train --out run --src two.txt --tgt single.txt --valid-src two.txt --valid-tgt two.txt' \
  'read: parallel files must have the same number of lines; got 2 in "two.txt" and 1 in "single.txt"'
refuses 'heed train --out run --src two.txt --tgt two.txt --valid-src two.txt --valid-tgt single.txt' \
  'read: parallel files must have the same number of lines; got 2 in "two.txt" and 1 in "single.txt"'
refuses 'heed train --out run --src two.txt --tgt two.txt --valid-src missing.txt --valid-tgt two.txt' \
  'read: the file must exist and be readable; got "missing.txt" (No such file or directory)'
refuses 'heed train --out run --src empty.txt --tgt empty.txt --valid-src two.txt --valid-tgt two.txt' \
  'read: the file must not be empty; got "empty.txt"'
refuses "$train --dropout 1" \
  'train: dropout must lie in [0, 1); got 1'
refuses "$train --set dropot=0.1" \
  '--set: must name an option of heed train; got "dropot"; nearest: dropout'
refuses "$train --set dropout" \
  '--set: must be NAME=VALUE; got "dropout"'
refuses "$train --schedule steep" \
  'schedule: must be one of warmup_cosine, noam, inverse_sqrt, plateau, constant; got "steep"'
refuses "$train --measure bleu --bleu false" \
  'train: the measure bleu needs BLEU; got bleu false'
refuses "$train --checkpoint 2" \
  'train: --checkpoint computes layers of a transformer again; got the architecture seq2seq; hint: --accumulate saves memory with any model'
refuses "$train --architecture transformer --tie all" \
  'train: tie all needs one vocabulary for both languages; got words; hint: --bpe, or --tie target'
refuses "$train --architecture transformer --heads 3" \
  'Transformer: the heads must divide the width of the model; got 3 heads of 512'
refuses "$train --batch-tokens 1" \
  'train: a batch of 1 tokens must hold the longest pair; got one of 2; hint: a larger --batch-tokens or a smaller --max-length'
refuses 'heed train --out run --src long.txt --tgt long.txt --valid-src two.txt --valid-tgt two.txt --architecture transformer --positions learned --max-positions 9' \
  'train: the table of 9 positions must hold the longest pair; got one of 13; hint: a larger --max-positions or a smaller --max-length'
scores=$(heed attention --list | sed '/^normalisers/q' | awk '$1 ~ /^A[0-9]+[a-z]?$/ { printf "%s%s", sep, $2; sep = ", " }')
refuses "$train --score nonsense" \
  "attention: no score of this name; got \`nonsense\`; there are $scores"
refuses "$train --attention bahdanaw" \
  '--attention: no entry of the catalogue is called this; got "bahdanaw"; nearest: Bahdanau'
refuses "$train --attention D9" \
  '--attention: chooses a score, scope, normaliser, position, evaluator, cell, pooling, reader, memory or output; got D9, D9 of the kind block option'
refuses "$train --attention multi_head" \
  '--attention: multi_head is part of every transformer; got "multi_head"; hint: --architecture transformer'
refuses "$train --attention hard,D1" \
  '--attention: one reader at a time; got hard and another'
refuses "$train --attention structured:rows=0" \
  'structured: rows must be an integer in [1, 1024]; got 0'
refuses "$train --pooling mean,median" \
  "attention: no pooling of this name; got \`median\`; there are lasttoken, cls, mean, max, mean_sqrt_len_tokens, weightedmean, attention, multi_head_pooling, sum, position_encoding, hierarchical, structured, feature_wise, memory_network, set_transformer, slot_attention, hopfield, dynamic_memory, squeeze_excite; nearest: mean"
refuses "$train --cell lstmn --order deep" \
  'Seq2Seq: deep fusion needs the cell lstmn, an encoder of one direction and one decoder layer; got the cell lstmn, two directions and 1 decoder layers; hint: --bidirectional false'
refuses "$train --memory key_value --hidden 64" \
  'KeyValueAttention: the parts must divide the width; got 3 parts of 64; hint: key_value:parts=2, or another width'
refuses "$train --attention hard --context every_step" \
  'Seq2Seq: a reader reads by attention; got the reader hard with the context every_step'
refuses "$train --architecture transformer --cell lstmn" \
  'train: --cell is an option of the other architecture; got it with transformer'
refuses "$train --attention C13" \
  '--attention: scope padding is part of the models, and not chosen by its name; got "C13"'
refuses "$train --attention dot,general" \
  '--attention: one score at a time; got general and another'
refuses "$train --attention local_m --scope window:3" \
  '--attention: one scope at a time; got local_m and another'
refuses "$train --scope window:-1" \
  'window: window must be an integer in [0, 1000000000]; got -1'
normalisers=$(heed attention --list | awk '$1 ~ /^([BZ][0-9]+b?|D[34])$/ { printf "%s%s", sep, $2; sep = ", " }')
refuses "$train --normaliser softmaks" \
  "attention: no normaliser of this name; got \`softmaks\`; there are $normalisers; nearest: softmax"
refuses "$train --attention G1" \
  'attention: the evaluator tiled cannot do this: the score is not a product of query and key; got the score additive, the normaliser softmax, the scope global, the position none; use auto'
refuses "$train --preset rnn-fixed --score dot" \
  'train: the score is that of attention; got the context initial_state; hint: --context attention'
refuses "$train --preset rnn-fixed --coverage-loss 1" \
  'Seq2Seq: the coverage loss needs attention; got the weight 1 with the context initial_state'
refuses "$train --heads 4" \
  'train: --heads is an option of the other architecture; got it with seq2seq'
refuses "$train --score dot --set score=additive" \
  'train: score must be given once; got dot and additive; hint: --score X and --set score=X are the same option'
refuses "$train --positions none --position rope" \
  'train: positions must be given once; got none and rope; hint: --positions X and --set positions=X are the same option'
refuses "$train --set max_length=5 --set max_length=6" \
  'train: max_length must be given once; got 5 and 6; hint: --max-length X and --set max_length=X are the same option'
for scheme in F1 sinusoidal; do
  refuses "$train --positions $scheme" \
    'train: positions added to the embedding are those of a transformer; got sinusoidal with seq2seq; hint: --architecture transformer'
done
refuses "$train --attention F2" \
  'train: positions added to the embedding are those of a transformer; got learned with seq2seq; hint: --architecture transformer'
refuses "$train --score dot --hidden 96" \
  "dot: queries and keys must have one width; got 96 and 192; the score \`general\` joins unequal ones"
refuses "$train --architecture transformer --normaliser sinkhorn" \
  'MultiHeadAttention: the normaliser sinkhorn needs all queries together, later ones too; got the scope causal; hint: self-attention without a causal mask, as an encoder has'
refuses "$train --architecture transformer --evaluator linear" \
  'MultiHeadAttention: the evaluator linear cannot do this: the dropout of attention weights would drop weights that are never stored; set it to 0 (--attention-dropout 0); got the score scaled_dot, the normaliser softmax, the scope global, the position none; use auto'
refuses "$train --learning-rate 0" \
  'learning_rate: must be a number above 0; got 0'
refuses "$train --optimizer sgd" \
  'optimizer: must be one of adam, adamw; got "sgd"'
refuses "$train --architecture transformer --output pointer" \
  'translator: the output must write words; got pointer, which writes positions of the source'
refuses "$train --output pointer_generator --score scaled_dot --bidirectional false --evaluator differential" \
  'Seq2Seq: the output pointer_generator copies by weights that sum to 1; got the evaluator differential, whose rows do not'
refuses "$train --architecture transformer --output pointer_generator --evaluator differential --dropout 0" \
  'Transformer: the output pointer_generator copies by weights that sum to 1; got the evaluator differential, whose rows do not'
refuses "$train --architecture transformer --input-feeding true" \
  'train: --input-feeding is an option of the other architecture; got it with transformer'
# Refused before data is read.
refuses 'heed train --out run --src missing.txt --tgt two.txt --valid-src two.txt --valid-tgt two.txt --architecture transformer --score additive --evaluator tiled' \
  'MultiHeadAttention: the evaluator tiled cannot do this: the score is not a product of query and key; got the score additive, the normaliser softmax, the scope global, the position none; use auto'
refuses "$train --resume --quick" \
  'train: --quick begins a run, --resume goes on with one; got both'
refuses "$train --resume" \
  'train: --resume needs the folder of a run; got "run" without config.json'
refuses 'heed train --out two.txt --src two.txt --tgt two.txt --valid-src two.txt --valid-tgt two.txt' \
  'write: cannot make the folder "two.txt": a file of that name is in the way'
refuses 'heed train --out begun --src two.txt --tgt two.txt --valid-src two.txt --valid-tgt two.txt' \
  'train: a new run needs a folder without one; got "begun", which has no model yet; hint: --resume goes on with its run, rm -r begun makes room for a new one'
refuses 'heed train --out begun --resume' \
  'begun/config.json: key "preset" is missing'

# --- heed attention
refuses 'heed attention additiv' \
  'attention: NAME must be an entry of the catalogue; got "additiv"; the nearest is additive'
refuses 'heed attention qqqqqqqqqqqq' \
  'attention: NAME must be an entry of the catalogue; got "qqqqqqqqqqqq"; heed attention --list shows them'
refuses 'heed attention --compare --task x' \
  'attention: --task must be some of copy, reverse, sort, recall, selective-copy, translate, or all; got "x"'
refuses 'heed attention --compare --variants rope,xx' \
  '--attention: no entry of the catalogue is called this; got "xx"; nearest: xl'
refuses 'heed attention --compare --variants D9' \
  'attention: --variants takes entries that a model can be given, families or all; got "D9"'
refuses 'heed attention --steps 30' \
  'attention: --steps is an option of --compare; got it alone'
refuses 'heed attention A5 --compare' \
  'attention: --compare stands alone; got NAME, --list, --json or --drawing with it'
refuses 'heed attention --compare --steps 5' \
  '--steps: must be a whole number from 20 to 1000000; got 5'
refuses 'heed attention --drawing f.svg' \
  'attention: --drawing needs the NAME of an entry; got --drawing "f.svg" alone'
refuses 'heed attention additive --list' \
  'attention: --list shows all; got NAME "additive" too'
refuses 'heed attention A5 A6' \
  'heed attention: unexpected argument "A6"; --help lists what is known'
refuses 'heed attention --list --json missing/x.json' \
  'write: cannot write "missing/x.json": No such file or directory'
refuses 'heed attention --json ""' \
  '--json: must be a text that is not empty; got ""'

# --- heed drawing
refuses 'heed drawing' \
  'drawing: needs exactly one of NAME, --list and --all DIR; got none; heed drawing --list shows the names'
refuses 'heed drawing strides --list' \
  'drawing: needs exactly one of NAME, --list and --all DIR; got several; heed drawing --list shows the names'
refuses 'heed drawing stride' \
  'drawing: NAME must be one of the drawings; got "stride"; the nearest is strides'
refuses 'heed drawing qqqqqqqqqqqq' \
  'drawing: NAME must be one of the drawings; got "qqqqqqqqqqqq"; heed drawing --list shows them'

# --- heed museum
refuses 'heed museum no_maks' \
  'museum: NAME must be an exhibit; got "no_maks"; the nearest is no_mask'
refuses 'heed museum qqqqqqqqqqqqqqqqqqqq' \
  'museum: NAME must be an exhibit; got "qqqqqqqqqqqqqqqqqqqq"; heed museum --list shows them'
refuses 'heed museum --list --blind' \
  'museum: --list goes alone; got a NAME or --blind as well'

# --- heed gradcheck
refuses 'heed gradcheck softmx' \
  'gradcheck: NAME must be an operation or a module of the table; got "softmx"; the nearest is softmax'
refuses 'heed gradcheck qqqqqqqqqqqq' \
  'gradcheck: NAME must be an operation or a module of the table; got "qqqqqqqqqqqq"; heed gradcheck lists them'
refuses 'heed gradcheck ""' \
  'NAME: must be a text that is not empty; got ""'
refuses 'heed gradcheck tanh exp' \
  'heed gradcheck: unexpected argument "exp"; --help lists what is known'
refuses 'heed gradcheck tanh --plant nonsense' \
  '--plant: must be one of sign, missing, twice, mean, transpose; got "nonsense"'
refuses 'heed gradcheck tanh --plant sign --json x.json' \
  'gradcheck: --json is for true gradients; got --plant as well'
refuses 'heed gradcheck --jacobian' \
  'gradcheck: --jacobian needs a NAME; got none'
refuses 'heed gradcheck tanh --json missing/x.json' \
  'write: cannot write "missing/x.json": No such file or directory'
refuses 'heed gradcheck tanh --json folder' \
  'write: cannot write "folder": Is a directory'
refuses 'heed gradcheck tanh --json two.txt/x.json' \
  'write: cannot write "two.txt/x.json": Not a directory'
refuses 'heed gradcheck tanh --json ""' \
  '--json: must be a text that is not empty; got ""'

# --- heed score
refuses 'heed score' \
  'heed score: --hyp is required'
refuses 'heed score --hyp two.txt' \
  'heed score: --ref is required'
refuses 'heed score --hyp two.txt --ref single.txt' \
  'bleu: hypotheses and references must be equal in number, and at least one; got 2 and 1'
refuses 'heed score --hyp two.txt --ref missing.txt' \
  'read: the file must exist and be readable; got "missing.txt" (No such file or directory)'
refuses 'heed score --hyp folder --ref two.txt' \
  'read: a file is needed; got the folder "folder"'
refuses 'heed score --hyp empty.txt --ref empty.txt' \
  'read: the file must not be empty; got "empty.txt"'
refuses 'heed score --hyp latin.tsv --ref two.txt' \
  'read: text must be UTF-8; got byte 0xFF in line 2 of "latin.tsv", byte 1; if the file is Latin-1, convert it with iconv -f LATIN1 -t UTF-8'
refuses 'heed score --hyp two.txt --ref two.txt --tokenize 14a' \
  '--tokenize: must be one of none, 13a; got "14a"; nearest: 13a'

# --- a lesson (./heed run NN hands its options on)
refuses 'lesson --set' \
  '02_derivatives: a value must follow --set; got nothing'
refuses 'lesson --set steps' \
  '--set: must be NAME=VALUE; got "steps"'
refuses 'lesson --set pionts=20' \
  '--set: 02_derivatives has the knobs points, depth, expressions, operations, updates; got "pionts"; did you mean points?'
refuses 'lesson --set points=x' \
  'points: must be a whole number from 16 to 10000; got "x"'
refuses 'lesson --seed x' \
  '--seed: must be a whole number from 0 to 9007199254740992; got "x"'
refuses 'lesson --bogus' \
  '02_derivatives: unknown option --bogus; --help lists them'
refuses 'lesson --out ""' \
  '--out: must be a text that is not empty; got ""'
refuses 'lesson --out two.txt' \
  'write: cannot make the folder "two.txt": a file of that name is in the way'

printf '%d rows, %d failed\n' "$rows" "$failed"
[ "$failed" = 0 ]
