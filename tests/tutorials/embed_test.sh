#!/usr/bin/env bash
# heed embed from outside: as many vectors as lines, the same bits as text and as .npy, whatever comes with a line; from
# the runs of heed train and from a sentence encoder; what it cannot use is one sentence, exit 2, and nothing is
# written. The arguments: the program, and lesson 25, which saves a sentence encoder.
heed=$1
lesson=$2
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"

# refused "part of the sentence" ARGUMENTS...   (standard input: in.txt)
refused() {
  local part=$1 code=0
  shift
  "$heed" embed "$@" <in.txt >out.txt 2>err.txt || code=$?
  [ "$code" = 2 ] || miss "$*: exit $code, not 2"
  [ "$(wc -l <err.txt)" = 1 ] || miss "$*: $(wc -l <err.txt) lines on standard error"
  [ "$(wc -l <out.txt)" = "${answered:-0}" ] || miss "$*: $(wc -l <out.txt) lines on standard output, not ${answered:-0}"
  grep -qF -- "$part" err.txt || miss "$*: $(cat err.txt)"
}
# columns FILE: the numbers of each line, one count if all have as many
columns() { awk '{ print NF }' "$1" | sort -u; }

# Three models: a transformer, a recurrent translator, a sentence encoder.
awk 'BEGIN { srand(1); for (i = 0; i < 200; ++i) { a = b = ""
  for (k = 1 + int(rand() * 5); k > 0; --k) { w = substr("abcdefgh", 1 + int(rand() * 8), 1); a = a w " "; b = b toupper(w) " " }
  print a > "s"; print b > "t" } }'
files=(--src s --tgt t --valid-src s --valid-tgt t --threads 1 --max-epochs 1)
"$heed" train "${files[@]}" --preset multi30k-tiny --bpe 20 --out transformer >out.txt 2>err.txt || miss "transformer: $(tail -n 1 err.txt)"
"$heed" train "${files[@]}" --preset rnn-attention --hidden 8 --embedding 8 --bpe 0 --out recurrent >out.txt 2>err.txt || miss "recurrent: $(tail -n 1 err.txt)"
"$lesson" --quick --no-ask --set epochs=1 --set pairs=1000 --set passes=1 --out encoder >out.txt 2>err.txt
[ -s encoder/model.safetensors ] || miss "the lesson saved no model: $(tail -n 1 err.txt)"

printf 'a b c\n\na\nd unheard  e\r\n   \nf g h a b c' >in.txt
for model in transformer recurrent encoder; do
  "$heed" embed --model $model <in.txt >out.txt 2>err.txt || miss "$model: exit $? $(cat err.txt)"
  [ ! -s err.txt ] || miss "$model: $(cat err.txt)"
  [ "$(wc -l <out.txt)" = 6 ] || miss "$model: $(wc -l <out.txt) lines for 6"
  [ "$(columns out.txt | wc -l)" = 1 ] || miss "$model: lines of $(columns out.txt) numbers"
  for empty in 2 5; do
    [ -z "$(sed -n ${empty}p out.txt | tr -d '0 \n')" ] || miss "$model: line $empty is not zeros"
  done
  # each line alone gives the same line
  while IFS= read -r line || [ -n "$line" ]; do printf '%s\n' "$line" | "$heed" embed --model $model --threads 1; done <in.txt >alone.txt
  cmp -s out.txt alone.txt || miss "$model: a line alone gives other numbers"
  "$heed" embed --model $model </dev/null >none.txt 2>err.txt || miss "$model: no input: exit $?"
  [ ! -s none.txt ] || miss "$model: no input, but output"
  "$heed" embed --model $model --npy $model.npy <in.txt >none.txt 2>err.txt || miss "$model --npy: exit $? $(cat err.txt)"
  [ ! -s none.txt ] || miss "$model --npy: something on standard output"
  D=$(columns out.txt)
  grep -aq "'shape': (6, $D), " $model.npy || miss "$model --npy: another shape"
  [ "$(wc -c <$model.npy)" = $((128 + 6 * 4 * D)) ] || miss "$model --npy: $(wc -c <$model.npy) bytes"
  tail -c +129 $model.npy | od -An -v -t f4 -w$((4 * D)) >npy.txt
  awk 'NR == FNR { for (i = 1; i <= NF; ++i) x[FNR, i] = $i; next }
       { for (i = 1; i <= NF; ++i) { d = x[FNR, i] - $i; if (d * d > 1e-10 * (1 + $i * $i)) bad = 1 } } END { exit bad }' \
    out.txt npy.txt || miss "$model --npy: other numbers than as text"
  for pooling in cls lasttoken max mean mean_sqrt_len_tokens weightedmean; do
    "$heed" embed --model $model --pooling $pooling --normalize <in.txt >$pooling.txt 2>err.txt || miss "$pooling: exit $?"
    awk 'NR != 2 && NR != 5 { s = 0; for (i = 1; i <= NF; ++i) s += $i * $i; if (s < .9999 || s > 1.0001) bad = 1 } END { exit bad }' \
      $pooling.txt || miss "$model --pooling $pooling --normalize: not of length 1"
  done
  cmp -s cls.txt mean.txt && miss "$model: cls is mean"
  found=$("$heed" search --model $model --corpus in.txt --top 1 'f g h a b c' 2>err.txt) || miss "$model: search: $(cat err.txt)"
  [ "$found" = "$(printf '1.0000\t6\tf g h a b c')" ] || miss "$model: search: $found"
done

# What cannot be used.
refused 'heed embed: --model is required'
refused 'load: "nowhere/model.safetensors": must be a file that exists' --model nowhere
mkdir graph && echo '{}' >graph/model.json
refused 'open: a published model must be a folder with config.json; got "graph", whose model.json is a graph of TensorFlow.js' --model graph
refused '--pooling' --model encoder --pooling median
mkdir trunk other
head -c 5000 encoder/model.safetensors >trunk/model.safetensors
refused 'load: "trunk/model.safetensors"' --model trunk
printf '\x08\0\0\0\0\0\0\0{}      ' >other/model.safetensors
refused 'load: "other/model.safetensors": must be a translator or a sentence encoder saved by heed; got a file without heed.kind' --model other
refused 'embed: --npy must be a file in a folder that exists; got "nowhere/x.npy"' --model encoder --npy nowhere/x.npy
{ echo a; head -c 3000 /dev/zero | tr '\0' 'w' | sed 's/ww/w /g'; echo; } >in.txt
answered=1 refused 'embed: a line may have at most 1000 words; got 1500 in line 2' --model recurrent  # the line before
echo kept >kept.npy
refused 'in line 2' --model recurrent --npy kept.npy
[ "$(cat kept.npy)" = kept ] || miss "a refused input replaced the .npy file"
printf 'a\nb\377\n' >in.txt
answered=1 refused 'standard input' --model encoder
if [ -w /dev/full ]; then
  echo a | "$heed" embed --model encoder >/dev/full 2>err.txt
  [ $? = 2 ] || miss "a full disk: not exit 2"
fi
"$heed" embed --help | grep -q -- '--normalize' || miss "--help"

printf '%d missed\n' "$failures"
[ "$failures" = 0 ]
