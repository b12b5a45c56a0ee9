#!/usr/bin/env bash
# THE TABLE OF BAD INPUT, third part: heed train and heed attention. See bad_input_test.sh.
# Argument: the program heed.
heed_program=$1
# shellcheck source-path=SCRIPTDIR source=refuses.sh
. "$(dirname "$0")/refuses.sh"

# --- heed train
refuses 'heed train' \
  'heed train: --out is required'
refuses 'heed train --out run' \
  'heed train: --pairs is required, or --src, --tgt, --valid-src and --valid-tgt'
refuses 'heed train --out run --tgt two.txt' \
  'heed train: --src is required'
refuses 'heed train --out run --pairs two.txt --src two.txt' \
  'heed train: give --pairs, or --src and the others; got --pairs and "two.txt"'
refuses 'heed train --out run --src two.txt --tgt two.txt --valid-src two.txt' \
  'heed train: --valid-tgt is required'
train='heed train --out run --src two.txt --tgt two.txt --valid-src two.txt --valid-tgt two.txt'
refuses "$train --preset multi30k" \
  '--preset: must be one of multi30k-tiny, multi30k-small, rnn-attention, rnn-every-step, rnn-fixed, base; got "multi30k"'
refuses "$train --bpe 100 --bpe-vocabulary 100" \
  'train: --bpe or --bpe-vocabulary; got both; hint: a number of merges or a size of the vocabulary'
refuses "$train --batch-size 8 --batch-tokens 100" \
  'train: --batch-size or --batch-tokens; got both; hint: pairs or tokens of a batch'
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
  'train: --dropout must lie in [0, 1); got 1'
for decay in beta1 beta2 ema; do
  refuses "$train --$decay 1" \
    "train: --$decay must lie in [0, 1); got 1"
done
refuses "$train --set dropot=0.1" \
  '--set: must name an option of heed train; got "dropot"; nearest: dropout'
refuses "$train --set dropout" \
  '--set: must be NAME=VALUE; got "dropout"'
refuses "$train --schedule steep" \
  '--schedule: must be one of warmup_cosine, noam, inverse_sqrt, plateau, constant; got "steep"'
refuses "$train --precision f16" \
  '--precision: must be one of f32, bf16; got "f16"; nearest: bf16'
refuses "$train --measure bleu --bleu false" \
  'train: --measure bleu needs BLEU; got --bleu false'
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
refuses 'heed train --out run --src words.txt --tgt words.txt --valid-src two.txt --valid-tgt two.txt --architecture transformer --positions xpos:decay=1' \
  'train: the 64 words within the range of --positions xpos must hold the longest pair; got one of 71; hint: a larger decay, as in --positions xpos:decay=1024, or a smaller --max-length'
refuses 'heed train --out run --src words.txt --tgt words.txt --valid-src two.txt --valid-tgt two.txt --embedding 8 --hidden 8 --positions xpos:decay=1' \
  'train: the 49 words within the range of --positions xpos must hold the longest pair; got one of 71; hint: a larger decay, as in --positions xpos:decay=1024, or a smaller --max-length'
xpos='heed train --out run --src words.txt --tgt words.txt --valid-src two.txt --valid-tgt two.txt --embedding 8 --hidden 8 --positions xpos:decay=1'
refuses "$xpos --score location:max_source=60" \
  'train: the 49 words within the range of --positions xpos must hold the longest pair; got one of 71; hint: a larger decay, as in --positions xpos:decay=1024, or a smaller --max-length'
refuses "$xpos --score location:max_source=20" \
  'train: the table of 20 positions must hold the longest pair; got one of 71; hint: a larger max_source or longest, as in --score location:max_source=200 or a smaller --max-length'
scores=$(heed attention --list | sed '/^normalisers/q' | awk '$1 ~ /^A[0-9]+[a-z]?$/ { printf "%s%s", sep, $2; sep = ", " }')
refuses "$train --score nonsense" \
  "attention: no score of this name; got \`nonsense\`; there are $scores"
refuses "$train --attention bahdanaw" \
  '--attention: no entry of the catalogue is called this; got "bahdanaw"; nearest: Bahdanau'
refuses "$train --attention D9" \
  '--attention: chooses a score, scope, normaliser, position, evaluator, cell, pooling, reader, memory or output; got D9, D9 of the kind block option'
refuses "$train --attention multi_head" \
  '--attention: multi_head is part of every transformer; got "multi_head"; hint: --architecture transformer'
refuses "$train --attention value_residual" \
  '--attention: value_residual is an option of its own, off unless it is given; got "value_residual"; hint: --architecture transformer --value-residual true'
refuses "$train --attention pruned_heads" \
  '--attention: pruned_heads is an option of its own, off unless it is given; got "pruned_heads"; hint: --architecture transformer --pruned-heads 0.1'
refuses "$train --attention hard,D1" \
  '--attention: one --reader at a time; got hard and hard'
refuses "$train --attention structured:rows=0" \
  'structured: rows must be an integer in [1, 1024]; got 0'
poolings=$(eval "$train --pooling median" 2>&1 </dev/null | sed -n 's/.*there are \(.*\); nearest.*/\1/p') # a new row of the registry is one more
refuses "$train --pooling mean,median" \
  "attention: no pooling of this name; got \`median\`; there are $poolings; nearest: mean"
refuses "$train --pooling mean," \
  "attention: a pooling must have a name; got an empty one in \`mean,\`"
refuses "$train --attention A5," \
  '--attention: must be a text that is not empty; got "A5,"'
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
  '--attention: one --score at a time; got dot and general'
refuses "$train --attention local_m --scope window:3" \
  '--attention: one --scope at a time; got window:3 and local_m'
refuses "$train --scope window:-1" \
  'window: window must be an integer in [0, 1000000000]; got -1'
# Those that need all queries cannot be trained: they are not offered.
normalisers=$(heed attention --list | awk '$1 ~ /^([BZ][0-9]+b?|D[34])$/ && $2 !~ /^(sinkhorn|slots|matrix_tree)$/ {
  printf "%s%s", sep, $2; sep = ", " }')
refuses "$train --normaliser softmaks" \
  "--normaliser: must be one of $normalisers; got \"softmaks\"; nearest: softmax"
refuses "$train --output nosuch" \
  '--output: must be one of softmax, pointer_generator, copynet; got "nosuch"'
# Every option is named as it is typed.
for option in $(heed train --help | awk '/^settings of attention/ { exit } /^  --[a-z0-9-]+ X/ { print $1 }'); do
  for value in nosuch -7; do
    for architecture in seq2seq transformer; do
      rows=$((rows + 1))
      said=$(eval "heed train --out run --pairs missing.tsv --architecture $architecture $option $value" 2>&1 </dev/null)
      case $said in
        "$option: must be "*|"train: $option "*|'read: the file must exist'*) ;;
        "attention: no "*" of this name; got "*|*': no mixer of this name'*|*': no positions of this name'*|'Transformer: pruned heads must be '*) ;;
        *) printf 'MISS    %s %s --architecture %s: %s\n' "$option" "$value" $architecture "$said"; failed=$((failed + 1)) ;;
      esac
    done
  done
done
refuses "$train --attention G1" \
  'attention: the evaluator tiled cannot do this: the score is not a product of query and key; got the score additive, the normaliser softmax, the scope global, the position none; use auto'
refuses "$train --preset rnn-fixed --score dot" \
  'train: the score is that of attention; got the context initial_state; hint: --context attention'
refuses "$train --preset rnn-fixed --coverage-loss 1" \
  'Seq2Seq: the coverage loss needs attention; got the weight 1 with the context initial_state'
refuses "$train --heads 4" \
  'train: --heads is an option of the other architecture; got it with seq2seq'
refuses "$train --score dot --set score=additive" \
  'train: --score must be given once; got dot and additive; hint: --score X and --set score=X are the same option'
refuses "$train --positions none --position rope" \
  'train: --positions must be given once; got none and rope; hint: --positions X and --set positions=X are the same option'
refuses "$train --set max_length=5 --set max_length=6" \
  'train: --max-length must be given once; got 5 and 6; hint: --max-length X and --set max_length=X are the same option'
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
  'MultiHeadAttention: the evaluator linear cannot do this: the dropout of attention weights would drop weights that are never stored; set it to 0 (--attention-dropout 0); got the score scaled_dot, the normaliser softmax, the scope global, the position none'
refuses "$train --learning-rate 0" \
  '--learning-rate: must be a number above 0; got 0'
refuses "$train --optimizer sgd" \
  '--optimizer: must be one of adam, adamw; got "sgd"'
refuses "$train --architecture transformer --output pointer" \
  'translator: the output must write words; got pointer, which writes positions of the source'
refuses "$train --output pointer_generator --score scaled_dot --bidirectional false --evaluator differential" \
  'Seq2Seq: the output pointer_generator copies by weights that sum to 1; got the evaluator differential, whose rows do not'
refuses "$train --architecture transformer --output pointer_generator --evaluator differential --dropout 0" \
  'Transformer: the output pointer_generator copies by weights that sum to 1; got the evaluator differential, whose rows do not'
refuses "$train --architecture transformer --input-feeding true" \
  'train: --input-feeding is an option of the other architecture; got it with transformer'
# Settings that the model would not use.
small="$train --architecture transformer --layers 2"
refuses "$small --shared-keys 9" \
  'train: --shared-keys must be at most the number of layers; got 9 with 2 layers'
refuses "$small --checkpoint 99" \
  'train: --checkpoint must be at most the number of layers; got 99 with 2 layers'
refuses "$small --max-positions 2" \
  'train: --max-positions is the size of the table of learned positions; got 2 with the positions sinusoidal; hint: --positions learned'
refuses "$small --positions learned --max-positions 1" \
  'train: the table of 1 positions must hold the longest pair; got one of 2; hint: a larger --max-positions or a smaller --max-length'
refuses "$small --max-distance 4 --positions rope" \
  'train: --max-distance is a setting of relative positions; got 4 with the positions rope; hint: --positions shaw or --positions t5'
refuses "$small --pruned-heads 2.0" \
  'Transformer: a pruned head must be one of 2 layers of 8 heads; got 2.0'
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
refuses 'heed train --out listed --resume' \
  'listed/config.json: must be an object; got an array'

# --- heed attention
refuses 'heed attention additiv' \
  'attention: NAME must be an entry of the catalogue; got "additiv"; the nearest is additive'
refuses 'heed attention qqqqqqqqqqqq' \
  'attention: NAME must be an entry of the catalogue; got "qqqqqqqqqqqq"; heed attention --list shows them'
refuses 'heed attention --compare --task x' \
  'attention: --task must be some of copy, reverse, sort, recall, selective-copy, translate, or all; got "x"'
refuses 'heed attention --compare --variants rope,xx' \
  '--variants: no entry of the catalogue is called this; got "xx"; nearest: xl'
refuses 'heed attention --compare --variants A5,' \
  '--variants: must be names separated by commas; got an empty one'
for family in decoders 'around attention'; do
  refuses "heed attention --compare --variants '$family'" \
    "--variants: no entry of this family is a stage that the league can exchange; got \"$family\"; hint: heed attention NAME says how an entry is used"
done
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

report
