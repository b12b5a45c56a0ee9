#!/usr/bin/env bash
# THE TABLE OF BAD INPUT, third part: heed train and heed attention. See bad_input_test.sh.
# Argument: the program heed.
heed_program=$1
# shellcheck source-path=SCRIPTDIR source=refuses.sh
. "$(dirname "$0")/refuses.sh"

# --- heed train
refuses 'heed train' 'heed train: --out'
refuses 'heed train --out run' 'heed train: --pairs --src --tgt --valid-src --valid-tgt'
refuses 'heed train --out run --tgt two.txt' 'heed train: --src required'
refuses 'heed train --out run --pairs two.txt --src two.txt' 'heed train: --pairs --src got --pairs two.txt'
refuses 'heed train --out run --src two.txt --tgt two.txt --valid-src two.txt' 'heed train: --valid-tgt required'
train='heed train --out run --src two.txt --tgt two.txt --valid-src two.txt --valid-tgt two.txt'
refuses "$train --preset multi30k" '--preset: got multi30k'
refuses "$train --bpe 100 --bpe-vocabulary 100" 'train: --bpe --bpe-vocabulary got'
refuses "$train --batch-size 8 --batch-tokens 100" 'train: --batch-size --batch-tokens got'
refuses "$train --preset huge" '--preset: got huge'
refuses "$train --tgt single.txt" '--tgt: once got 2'
refuses 'heed train --out run --src two.txt --tgt single.txt --valid-src two.txt --valid-tgt two.txt' \
  'read: got 2 two.txt 1 single.txt'
refuses 'heed train --out run --src two.txt --tgt two.txt --valid-src two.txt --valid-tgt single.txt' \
  'read: got 2 two.txt 1 single.txt'
refuses 'heed train --out run --src two.txt --tgt two.txt --valid-src missing.txt --valid-tgt two.txt' \
  'read: got missing.txt No such file'
refuses 'heed train --out run --src empty.txt --tgt empty.txt --valid-src two.txt --valid-tgt two.txt' \
  'read: got empty.txt'
refuses "$train --dropout 1" 'train: --dropout [0, 1) got 1'
for decay in beta1 beta2 ema; do
  refuses "$train --$decay 1" "train: --$decay [0, 1) got 1"
done
refuses "$train --set dropot=0.1" '--set: got dropot nearest dropout'
refuses "$train --set dropout" '--set: NAME=VALUE got dropout'
refuses "$train --schedule steep" '--schedule: got steep'
refuses "$train --precision f16" '--precision: got f16 nearest bf16'
refuses "$train --measure bleu --bleu false" 'train: --measure BLEU got --bleu false'
refuses "$train --checkpoint 2" 'train: --checkpoint got paper bahdanau'
refuses "$train --paper transformer --tie all" 'train: tie all vocabulary got words'
refuses "$train --paper transformer --heads 3" 'Transformer: width got 3 heads 512'
refuses "$train --batch-tokens 1" 'train: 1 tokens got 2'
refuses 'heed train --out run --src long.txt --tgt long.txt --valid-src two.txt --valid-tgt two.txt --paper transformer --positions learned --max-positions 9' \
  'train: 9 positions longest got 13'
refuses 'heed train --out run --src words.txt --tgt words.txt --valid-src two.txt --valid-tgt two.txt --paper transformer --positions xpos:decay=1' \
  'train: 64 --positions longest got 71'
refuses 'heed train --out run --src words.txt --tgt words.txt --valid-src two.txt --valid-tgt two.txt --embedding 8 --hidden 8 --positions xpos:decay=1' \
  'train: 49 --positions longest got 71'
xpos='heed train --out run --src words.txt --tgt words.txt --valid-src two.txt --valid-tgt two.txt --embedding 8 --hidden 8 --positions xpos:decay=1'
refuses "$xpos --score location:max_source=60" 'train: 49 --positions longest got 71'
refuses "$xpos --score location:max_source=20" 'train: 20 got 71 max_source'
scores=$(heed attention --list | sed '/^normalisers/q' | awk '$1 ~ /^A[0-9]+[a-z]?$/ { printf "%s%s", sep, $2; sep = ", " }')
refuses "$train --score nonsense" "attention: score got nonsense $scores"
refuses "$train --attention bahdanaw" '--attention: entry got bahdanaw nearest Bahdanau'
refuses "$train --attention D9" '--attention: got D9 D9 kind block'
refuses "$train --attention multi_head" '--attention: every transformer got multi_head'
refuses "$train --attention value_residual" '--attention: own got value_residual --value-residual'
refuses "$train --attention pruned_heads" '--attention: own got pruned_heads --pruned-heads'
refuses "$train --attention hard,D1" '--attention: --reader got hard hard'
poolings=$(eval "$train --pooling median" 2>&1 </dev/null | sed -n 's/.*there are \(.*\); nearest.*/\1/p') # a new row of the registry is one more
refuses "$train --pooling mean,median" "attention: pooling got median $poolings nearest mean"
refuses "$train --pooling mean," "attention: got empty mean"
refuses "$train --attention A5," '--attention: empty got A5'
refuses "$train --paper deep_fusion --bidirectional true" 'DeepFusion: lstmn got cells lstmn lstmn two directions 1'
refuses "$train --memory key_value --hidden 64" 'KeyValueAttention: divide got 3 parts 64'
refuses "$train --attention hard --paper cho" 'train: --reader got cho'
refuses "$train --paper transformer --cell lstmn" 'train: --cell got transformer'
refuses "$train --attention C13" '--attention: padding got C13'
refuses "$train --attention dot,general" '--attention: --score got dot general'
refuses "$train --attention local_m --scope window:3" '--attention: --scope got window:3 local_m'
# Those that need all queries cannot be trained: they are not offered.
normalisers=$(heed attention --list | awk '$1 ~ /^([BZ][0-9]+b?|D[34]|L(4|5|10))$/ && $2 !~ /^(sinkhorn|slots|matrix_tree)$/ {
  printf "%s%s", sep, $2; sep = ", " }')
refuses "$train --normaliser softmaks" "--normaliser: $normalisers got softmaks nearest softmax"
refuses "$train --output nosuch" '--output: got nosuch'
# Every option is named as it is typed.
for option in $(heed train --help | awk '/^settings of attention/ { exit } /^  --[a-z0-9.-]+ X/ { print $1 }'); do
  for value in nosuch -7; do
    for paper in cho bahdanau transformer; do
      rows=$((rows + 1))
      said=$(eval "heed train --out run --pairs missing.tsv --paper $paper $option $value" 2>&1 </dev/null)
      case $said in
        "$option: must be "*|"train: $option"*|'read: the file must exist'*) ;;
        "attention: no "*" of this name; got "*|*': no mixer of this name'*|*': no positions of this name'*|'Transformer: pruned heads must be '*) ;;
        *) printf 'MISS    %s %s --paper %s: %s\n' "$option" "$value" $paper "$said"; failed=$((failed + 1)) ;;
      esac
    done
  done
done
refuses "$train --attention G1" 'attention: tiled product got score additive normaliser softmax scope global'
refuses "$train --preset rnn-fixed --score dot" 'train: --score got sutskever'
refuses "$train --preset rnn-fixed --coverage-loss 1" 'train: penalties got sutskever'
refuses "$train --heads 4" 'train: --heads got bahdanau --paper transformer'
refuses "$train --attention rwkv" 'train: --mixers got bahdanau --paper transformer'
refuses "$train --preset rnn-fixed --reader hard" 'train: --reader got sutskever --paper bahdanau'
refuses "$train --score dot --set score=additive" 'train: --score got dot additive'
refuses "$train --positions none --position rope" 'train: --positions got rope'
refuses "$train --set max_length=5 --set max_length=6" 'train: --max-length got 5 6'
for scheme in F1 sinusoidal; do
  refuses "$train --positions $scheme" 'train: positions got sinusoidal bahdanau'
done
refuses "$train --attention F2" 'train: positions got learned bahdanau'
refuses "$train --score dot --hidden 96" "dot: width got 96 192 general"
refuses "$train --paper transformer --normaliser sinkhorn" 'MultiHeadAttention: normaliser sinkhorn got scope causal softmax'
refuses "$train --paper transformer --evaluator linear" \
  'MultiHeadAttention: linear dropout 0 --attention-dropout 0 got score scaled_dot normaliser softmax'
refuses "$train --learning-rate 0" '--learning-rate: above 0 got 0'
refuses "$train --optimizer sgd" '--optimizer: got sgd'
refuses "$train --paper transformer --output pointer" 'translator: words got pointer'
refuses "$train --output pointer_generator --score scaled_dot --bidirectional false --evaluator differential" \
  'copying: pointer_generator 1 got evaluator differential'
refuses "$train --paper transformer --output pointer_generator --evaluator differential --dropout 0" \
  'Transformer: pointer_generator 1 got evaluator differential'
refuses "$train --paper transformer --input-feeding true" 'train: --input-feeding got transformer'
# Settings that the model would not use.
small="$train --paper transformer --layers 2"
refuses "$small --shared-keys 9" 'train: --shared-keys got 9 2 layers'
refuses "$small --checkpoint 99" 'train: --checkpoint got 99 2 layers'
refuses "$small --max-positions 2" 'train: --max-positions got 2 positions sinusoidal'
refuses "$small --positions learned --max-positions 1" 'train: 1 positions longest got 2'
refuses "$small --pruned-heads 2.0" 'Transformer: pruned 2 8 got 2.0'
# Refused before data is read.
refuses 'heed train --out run --src missing.txt --tgt two.txt --valid-src two.txt --valid-tgt two.txt --paper transformer --score additive --evaluator tiled' \
  'MultiHeadAttention: tiled product got score additive normaliser softmax scope global'
refuses "$train --resume --quick" 'train: --quick --resume got'
refuses "$train --resume" 'train: --resume got run without config.json'
refuses 'heed train --out two.txt --src two.txt --tgt two.txt --valid-src two.txt --valid-tgt two.txt' 'write: two.txt'
refuses 'heed train --out begun --src two.txt --tgt two.txt --valid-src two.txt --valid-tgt two.txt' \
  'train: new got begun'
refuses 'heed train --out begun --resume' 'begun/config.json: preset missing'
refuses 'heed train --out listed --resume' 'listed/config.json: got array'
refuses 'heed train --out edited0 --resume' 'edited0/config.json: options object got an array'
refuses 'heed train --out edited1 --resume' 'edited1/config.json: options object got an integer'
refuses 'heed train --out edited2 --resume' 'edited2/config.json: data object got an array'
refuses 'heed train --out edited3 --resume' 'edited3/config.json: hiden nearest encoder.hidden'

# --- heed attention
refuses 'heed attention additiv' 'attention: NAME got additiv nearest additive'
refuses 'heed attention qqqqqqqqqqqq' 'attention: NAME got qqqqqqqqqqqq'
refuses 'heed attention --compare --task x' 'attention: --task got x'
refuses 'heed attention --compare --variants rope,xx' '--variants: got xx nearest xl'
refuses 'heed attention --compare --variants A5,' '--variants: got empty'
for family in decoders 'around attention'; do
  refuses "heed attention --compare --variants '$family'" "--variants: exchange got $family"
done
refuses 'heed attention --compare --variants D9' 'attention: --variants got D9'
refuses 'heed attention --steps 30' 'attention: --steps --compare got alone'
refuses 'heed attention A5 --compare' 'attention: --compare got NAME --list --json --drawing'
refuses 'heed attention --compare --steps 5' '--steps: 20 1000000 got 5'
refuses 'heed attention --drawing f.svg' 'attention: --drawing NAME got --drawing f.svg alone'
refuses 'heed attention additive --list' 'attention: --list got NAME additive too'
refuses 'heed attention A5 A6' 'heed attention: A6 --help'
refuses 'heed attention --list --json missing/x.json' 'write: missing/x.json'
refuses 'heed attention --json ""' '--json: empty got'

report
