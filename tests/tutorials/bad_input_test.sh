#!/usr/bin/env bash
# THE TABLE OF BAD INPUT, second part: what a user can type after the programs, and the files they can name. (The first
# part, what code can get wrong, is tests/nn/bad_input/; heed train and heed attention are in bad_input_train_test.sh.)
# Arguments: the program heed, and a lesson.
heed_program=$1 lesson_program=$2
# shellcheck source-path=SCRIPTDIR source=refuses.sh
. "$(dirname "$0")/refuses.sh"

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
for option in '--pairs tiny.tsv' '--src two.txt' '--tgt two.txt' '--valid-src two.txt' '--valid-tgt two.txt' '--retrain' \
  '--epochs 3' '--out run' '--direction fr-en' '--tokenize words' '--max-length 9' '--limit 3' '--hidden 3' '--embedding 3' \
  '--dropout 0.3' '--batch-size 3' '--learning-rate 0.1' '--min-frequency 3'; do
  refuses "heed translate --model other $option" \
    "translate: --model translates without training; got ${option%% *} as well; hint: without --model it trains"
done
refuses 'heed translate --model ""' \
  '--model: must be a text that is not empty; got ""'

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
refuses 'heed gradcheck module --jacobian' \
  'gradcheck: --jacobian needs the NAME of one row; got "module"'
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

report
