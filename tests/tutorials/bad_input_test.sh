#!/usr/bin/env bash
# THE TABLE OF BAD INPUT, second part: what a user can type after the programs, and the files they can name. (The first
# part, what code can get wrong, is tests/nn/bad_input/; heed train and heed attention are in bad_input_train_test.sh.)
# Arguments: the program heed, and a lesson.
heed_program=$1 lesson_program=$2
# shellcheck source-path=SCRIPTDIR source=refuses.sh
. "$(dirname "$0")/refuses.sh"

# --- heed
refuses 'heed' 'heed: followed attention train got'
refuses 'heed ""' 'heed: followed attention train got'
refuses 'heed translat' 'heed: got translat nearest translate'
refuses 'heed frobnicate' 'heed: got frobnicate'

# --- any program: options
refuses 'heed translate --bogus' 'heed translate: --bogus --help'
refuses 'heed translate --epoch 3' 'heed translate: --epoch --epochs'
refuses 'heed translate --seed' 'heed translate: --seed got nothing'
refuses 'heed translate --seed x' '--seed: 0 9007199254740992 got x'
refuses 'heed translate --seed 1 --seed 2' '--seed: once got 2'
refuses 'heed translate --threads 257' '--threads: 1 256 got 257'
refuses 'heed translate surplus' 'heed translate: surplus --help'
refuses 'heed translate --retrain=yes' '--retrain: got yes'

# --- heed translate: numbers and choices
refuses 'heed translate --epochs -3' '--epochs: 0 10000 got -3'
refuses 'heed translate --learning-rate -1' '--learning-rate: 0 10 got -1'
refuses 'heed translate --dropout 1' '--dropout: -1 0.95 got 1'
refuses 'heed translate --beam 0' '--beam: 1 64 got 0'
refuses 'heed translate --beam 65' '--beam: 1 64 got 65'
refuses 'heed translate --batch-size 0' '--batch-size: 1 4096 got 0'
refuses 'heed translate --hidden -1' '--hidden: 0 4096 got -1'
refuses 'heed translate --embedding 5000' '--embedding: 0 4096 got 5000'
refuses 'heed translate --max-length 1001' '--max-length: 0 1000 got 1001'
refuses 'heed translate --limit -1' '--limit: 0 got -1'
refuses 'heed translate --min-frequency -1' '--min-frequency: 0 got -1'
refuses 'heed translate --direction fr-em' '--direction: got fr-em nearest fr-en'
refuses 'heed translate --tokenize bytes' '--tokenize: got bytes'

# --- heed look (its models and texts: look_test.cpp)
refuses 'heed look' 'look: text got none hint ./heed look --model DIR'
refuses 'heed look --model folder' 'look: text got model hint'
refuses 'heed look --model nowhere text' 'look: --model folder got nowhere'
refuses 'heed look --model folder text' 'look: config.json model_type model.safetensors got folder'
refuses 'heed look --model folder text --words 0' '--words: 1 512 got 0'
refuses 'heed look --model folder one two three' 'heed look: three --help'

# --- heed translate: files
refuses 'heed translate --pairs missing.tsv' 'read: got missing.tsv No such file'
refuses 'heed translate --pairs ""' '--pairs: empty got'
refuses 'heed translate --pairs folder' 'read: file got folder folder'
refuses 'heed translate --pairs empty.tsv' 'read: got empty.tsv'
refuses 'heed translate --pairs blank.tsv' 'read: got blank.tsv 2 blank lines'
refuses 'heed translate --pairs one.tsv' 'read: got column 2 one.tsv only one'
refuses 'heed translate --pairs latin.tsv' 'read: UTF-8 got 0xFF 2 latin.tsv 1'
refuses 'heed translate --pairs nul.tsv' 'read: got 2 nul.tsv 2'
refuses 'heed translate --pairs utf16.tsv' 'read: UTF-8 got UTF-16 utf16.tsv'
refuses 'heed translate --pairs million.tsv' 'length filter: 30 got 1 1000000'
refuses 'heed translate --pairs tiny.tsv' 'split: source got 1 validation 1 test 1'
refuses 'heed translate --src two.txt --tgt single.txt' 'read: got 2 two.txt 1 single.txt'
refuses 'heed translate --src two.txt --tgt missing.txt' 'read: got missing.txt No such file'
refuses 'heed translate --src empty.txt --tgt empty.txt' 'read: got empty.txt'
refuses 'heed translate --src two.txt' 'translate: --src --tgt got them'
refuses 'heed translate --tgt two.txt' 'translate: --src --tgt got them'
refuses 'heed translate --pairs tiny.tsv --src two.txt --tgt two.txt' 'translate: --pairs --src --tgt got'
refuses 'heed translate --valid-src two.txt' 'translate: --valid-src --valid-tgt got them'
refuses 'heed translate --valid-src two.txt --valid-tgt two.txt' 'translate: --valid-src --src --tgt got neither'
refuses 'heed translate --out two.txt' 'write: two.txt'
refuses 'heed translate --out two.txt/x' 'write: two.txt/x'
refuses 'heed translate --model missing' 'load: missing/model.safetensors got No such file'
refuses 'heed translate --model untrained' 'load: untrained/model.safetensors got No such file'
refuses 'heed translate --model two.txt' 'load: two.txt/model.safetensors got Not a directory'
refuses 'heed translate --model damaged' 'load: damaged/model.safetensors 100000000 got 7021991845529153390'
refuses 'heed translate --model other' 'load: other/model.safetensors got file without heed.kind'
for option in '--pairs tiny.tsv' '--src two.txt' '--tgt two.txt' '--valid-src two.txt' '--valid-tgt two.txt' '--retrain' \
  '--epochs 3' '--out run' '--direction fr-en' '--tokenize words' '--max-length 9' '--limit 3' '--hidden 3' '--embedding 3' \
  '--dropout 0.3' '--batch-size 3' '--learning-rate 0.1' '--min-frequency 3'; do
  refuses "heed translate --model other $option" "translate: --model got ${option%% *}"
done
for option in '--epochs 0' '--direction en-fr' '--seed 1' --quick; do  # as they are by default, but given
  refuses "heed translate --model other $option" "translate: --model got ${option%% *}"
done
refuses 'heed translate --model ""' '--model: empty got'
# Options that need another.
refuses 'heed translate --length-penalty 1' 'translate: --length-penalty --beam 2 got 1 beam 1'
refuses 'heed translate --model other --diversity 2' 'translate: --diversity --beam-groups 2 got 2 beam-groups 1'
refuses 'heed translate --src two.txt --tgt two.txt --direction fr-en' 'translate: --direction --pairs got fr-en none'
for option in '--tokenize words' '--max-length 9'; do
  refuses "heed translate $option" "translate: ${option%% *} --pairs --src got ${option##* } none"
done

# --- heed drawing
refuses 'heed drawing' 'drawing: NAME --list --all DIR got'
refuses 'heed drawing strides --list' 'drawing: NAME --list --all DIR got several'
refuses 'heed drawing stride' 'drawing: NAME got stride nearest strides'
refuses 'heed drawing qqqqqqqqqqqq' 'drawing: NAME got qqqqqqqqqqqq'

# --- heed museum
refuses 'heed museum no_maks' 'museum: NAME got no_maks nearest no_mask'
refuses 'heed museum qqqqqqqqqqqqqqqqqqqq' 'museum: NAME got qqqqqqqqqqqqqqqqqqqq'
refuses 'heed museum --list --blind' 'museum: --list got NAME --blind well'

# --- heed gradcheck
refuses 'heed gradcheck softmx' 'gradcheck: NAME got softmx nearest softmax'
refuses 'heed gradcheck qqqqqqqqqqqq' 'gradcheck: NAME got qqqqqqqqqqqq'
refuses 'heed gradcheck ""' 'NAME: empty got'
refuses 'heed gradcheck tanh exp' 'heed gradcheck: exp --help'
refuses 'heed gradcheck tanh --plant nonsense' '--plant: got nonsense'
refuses 'heed gradcheck tanh --plant sign --json x.json' 'gradcheck: --json got --plant well'
refuses 'heed gradcheck --jacobian' 'gradcheck: --jacobian NAME got'
refuses 'heed gradcheck module --jacobian' 'gradcheck: --jacobian NAME got module'
refuses 'heed gradcheck tanh --json missing/x.json' 'write: missing/x.json'
refuses 'heed gradcheck tanh --json folder' 'write: folder Is a directory'
refuses 'heed gradcheck tanh --json two.txt/x.json' 'write: two.txt/x.json'
refuses 'heed gradcheck tanh --json ""' '--json: empty got'

# --- heed score
refuses 'heed score' 'heed score: --hyp required'
refuses 'heed score --hyp two.txt' 'heed score: --ref required'
refuses 'heed score --hyp two.txt --ref single.txt' 'bleu: equal got 2 1'
refuses 'heed score --hyp two.txt --ref missing.txt' 'read: got missing.txt No such file'
refuses 'heed score --hyp folder --ref two.txt' 'read: file got folder folder'
refuses 'heed score --hyp empty.txt --ref empty.txt' 'read: got empty.txt'
refuses 'heed score --hyp latin.tsv --ref two.txt' 'read: UTF-8 got 0xFF 2 latin.tsv 1'
refuses 'heed score --hyp two.txt --ref two.txt --tokenize 14a' '--tokenize: got 14a nearest 13a'

# --- heed get, heed embed, heed search
refuses 'heed get' 'heed get: NAME required'
refuses 'heed get ""' 'NAME: empty got'
refuses 'heed get ../x' 'get: NAME OWNER/MODEL got ../x hint'
refuses 'heed get a/b/c' 'get: NAME OWNER/MODEL got a/b/c hint'
refuses 'HF_ENDPOINT=file:///x heed get a/b' 'get: HF_ENDPOINT https:// http:// got file:///x'
refuses 'heed embed' 'heed embed: --model required'
refuses 'heed embed --model listed' 'load: listed/model.safetensors got No such file'
refuses 'heed embed --model published' 'published/config.json: model_type got brt nearest bert'
refuses 'heed embed --model damaged --prompt query' 'load: damaged/model.safetensors'
refuses 'heed search --corpus two.txt x' 'search: --model got none hint ./heed get'
refuses 'heed search --model published x' 'heed search: --corpus required'
refuses 'heed search --model published --corpus two.txt --top 0 x' '--top: 1 1000000 got 0'
refuses 'heed search --model published --corpus two.txt x y' 'heed search: y --help'
refuses 'heed search --model published --corpus two.txt ""' 'QUERY: empty got'
refuses 'heed search --model damaged --corpus two.txt x' 'load: damaged/model.safetensors'

# --- a lesson (./heed run NN hands its options on)
refuses 'lesson --set' '02_derivatives: --set got nothing'
refuses 'lesson --set steps' '--set: NAME=VALUE got steps'
refuses 'lesson --set pionts=20' '--set: got pionts points'
refuses 'lesson --set points=x' 'points: 16 10000 got x'
refuses 'lesson --seed x' '--seed: 0 9007199254740992 got x'
refuses 'lesson --bogus' '02_derivatives: --bogus --help'
refuses 'lesson --out ""' '--out: empty got'
refuses 'lesson --out two.txt' 'write: two.txt'

report
