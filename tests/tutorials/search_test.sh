#!/usr/bin/env bash
# heed embed with published models, and heed search, from outside: the vectors of the model's own library, the nearest
# lines with their cosines, and refusals of one sentence. The arguments: the program, and the folder of small models.
heed=$1
models=$2
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"
encoder=$models/st-bert

# refused "part of the sentence" COMMAND...   (standard input: in.txt)
refused() {
  local part=$1 code=0
  shift
  "$heed" "$@" <in.txt >out.txt 2>err.txt || code=$?
  [ "$code" = 2 ] || miss "$*: exit $code, not 2"
  [ "$(wc -l <err.txt)" = 1 ] || miss "$*: $(wc -l <err.txt) lines on standard error"
  [ ! -s out.txt ] || miss "$*: on standard output: $(cat out.txt)"
  grep -qF -- "$part" err.txt || miss "$*: $(cat err.txt)"
}
# near FILE FILE: the same numbers to 1e-4
near() {
  awk 'NR == FNR { for (i = 1; i <= NF; ++i) x[FNR, i] = $i; rows = FNR; next }
       { for (i = 1; i <= NF; ++i) { d = x[FNR, i] - $i; if (!(d * d < 1e-8)) bad = 1 } } END { exit bad || FNR != rows || NF == 0 }' "$1" "$2"
}

# --- embed ---
# The sentences of the golden file and their vectors: the last numbers of the file, in double precision.
printf '%s\n' 'a man rides a bike .' 'two young girls are playing in the snow' 'a dog' 'A dog runs through the grass!' \
  'Ein Mann fährt Fahrrad.' '' 'café 中文 😀' >in.txt
tail -c 2560 "$encoder/sentences.f64.safetensors" | od -An -v -t f8 -w256 | head -n 7 >golden.txt
"$heed" embed --model "$encoder" <in.txt >vectors.txt 2>err.txt || miss "embed: exit $? $(cat err.txt)"
[ ! -s err.txt ] || miss "embed: $(cat err.txt)"
near golden.txt vectors.txt || miss 'embed: other vectors than those of the library'
while IFS= read -r line; do printf '%s\n' "$line" | "$heed" embed --model "$encoder" --threads 1; done <in.txt >alone.txt
near vectors.txt alone.txt || miss 'embed: a line alone has another vector'
"$heed" embed --model "$encoder" --npy vectors.npy <in.txt || miss "embed --npy: exit $?"
grep -aq "'shape': (7, 32), " vectors.npy || miss 'embed --npy: another shape'
"$heed" embed --model "$encoder" </dev/null >none.txt || miss "embed without input: exit $?"
[ ! -s none.txt ] || miss 'embed without input prints something'
"$heed" embed --model "$encoder" --pooling cls <in.txt >cls.txt || miss "embed --pooling: exit $?"
near vectors.txt cls.txt && miss 'embed: cls is mean'
cp -r "$encoder" bare && chmod -R u+w bare && rm bare/modules.json
"$heed" embed --model bare --normalize <in.txt >bare.txt || miss "embed without modules: exit $?"
near vectors.txt bare.txt || miss 'embed without modules: not the mean'
cp -r "$encoder" prompted && chmod -R u+w prompted
printf '{"prompts": {"query": "the dog ", "passage": ""}}' >prompted/config_sentence_transformers.json
sed 's/^/the dog /' in.txt | "$heed" embed --model "$encoder" >with.txt
"$heed" embed --model prompted --prompt query <in.txt >prompt.txt || miss "embed --prompt: exit $?"
near with.txt prompt.txt || miss 'embed --prompt: not the prompt'
"$heed" embed --model prompted <in.txt >prompt.txt || miss "embed without --prompt: exit $?"
near vectors.txt prompt.txt || miss 'embed: a prompt that is not the default'
refused 'encode: a prompt must be one of those of the model (passage, query); got "answer"' embed --model prompted --prompt answer

# --- search ---
printf 'a man rides a bike .\n\n  \ntwo young girls are playing in the snow\na dog\na cat sleeps\n' >corpus.txt
search() { "$heed" search --model "$encoder" --corpus corpus.txt "$@" 2>err.txt; }
search 'a dog' >found.txt </dev/null || miss "search: exit $? $(cat err.txt)"
[ ! -s err.txt ] || miss "search: $(cat err.txt)"
[ "$(wc -l <found.txt)" = 4 ] || miss "search: $(wc -l <found.txt) lines for 4"
[ "$(head -n 1 found.txt)" = "$(printf '1.0000\t5\ta dog')" ] || miss "search: $(head -n 1 found.txt)"
sort -c -t "$(printf '\t')" -k 1,1gr found.txt || miss 'search: not the nearest first'
# the cosines are those of the vectors
{ echo 'a dog'; cat corpus.txt; } | "$heed" embed --model "$encoder" >all.txt
awk 'FNR == NR { for (i = 1; i <= NF; ++i) x[FNR, i] = $i; D = NF; next }
     { split($0, f, "\t"); s = a = b = 0; r = f[2] + 1
       for (i = 1; i <= D; ++i) { s += x[1, i] * x[r, i]; a += x[1, i] ^ 2; b += x[r, i] ^ 2 }
       d = s / sqrt(a * b) - f[1]; if (!(d * d < 1e-6)) bad = 1 } END { exit bad }' all.txt found.txt || miss 'search: other cosines'
printf 'a dog\n\nthe snow' | search --top 2 --json found.json >several.txt || miss "search < queries: exit $?"
[ "$(awk 'NF' several.txt | wc -l):$(wc -l <several.txt)" = 4:7 ] || miss "search < queries: $(cat several.txt)"
[ "$(sed -n 1,2p several.txt)" = "$(head -n 2 found.txt)" ] || miss 'search < queries: the first has other lines'
[ -z "$(sed -n 4p several.txt)" ] || miss 'search < queries: lines for an empty query'
grep -q '"query": "the snow"' found.json || miss 'search --json: no query'
[ "$(grep -c '"line": ' found.json):$(grep -c '"cosine": ' found.json):$(grep -c '"text": "a dog"' found.json)" = 4:4:1 ] || miss "search --json: $(cat found.json)"
search </dev/null >none.txt || miss "search without queries: exit $?"
[ ! -s none.txt ] || miss 'search without queries prints something'
# queries with the prompt of queries, lines with that of passages
"$heed" search --model prompted --corpus corpus.txt 'a dog' >prompt.txt
search 'the dog a dog' >with.txt
cmp -s with.txt prompt.txt || miss 'search: the prompt of queries is not used'
# many lines, more than one batch, find themselves
awk 'BEGIN { for (i = 0; i < 700; ++i) print "line", i, "of the man and the dog", i * i }' >corpus.txt
[ "$(search --top 1 'line 650 of the man and the dog 422500' | cut -f 2)" = 651 ] || miss 'search: a line of the second batch'

echo 'a dog' >in.txt
refused 'search: --model must name the folder of a model; got none; hint: ./heed get ' search --corpus corpus.txt x
refused 'heed search: --corpus is required' search --model "$encoder" x
refused 'load: "nowhere/model.safetensors": must be a file that exists' search --model nowhere --corpus corpus.txt x
refused 'nowhere.txt' search --model "$encoder" --corpus nowhere.txt x
printf '\n \n' >blank.txt
refused 'search: the corpus must have a line with words; got "blank.txt"' search --model "$encoder" --corpus blank.txt x
refused 'search: a query must have words' search --model "$encoder" --corpus corpus.txt ' '
refused '--top' search --model "$encoder" --corpus corpus.txt --top 0 x
refused 'write: cannot write' search --model "$encoder" --corpus corpus.txt --json nowhere/x.json x
refused 'embed: --npy must be a file in a folder that exists' embed --model "$encoder" --npy nowhere/x.npy
refused 'fill: --json must be a file in a folder that exists' fill --model "$models/mpnet" --json nowhere/x.json 'a <mask>'
printf 'a\nb\377\n' >latin.txt
refused 'latin.txt' search --model "$encoder" --corpus latin.txt x
cp -r "$encoder" broken && chmod -R u+w broken && printf '[' >broken/modules.json
refused 'broken/modules.json: must be valid JSON' search --model broken --corpus corpus.txt x
refused 'broken/modules.json: must be valid JSON' embed --model broken
printf '[{"path": "", "type": "own.Code"}]' >broken/modules.json
refused 'names code, which heed never runs; got own.Code' embed --model broken
cp corpus.txt kept.txt
refused 'search: --json must be a file apart from what is read; got "corpus.txt"' search --model "$encoder" --corpus corpus.txt --json corpus.txt x
cmp -s corpus.txt kept.txt || miss 'the corpus was written over'
refused 'apart from what is read' search --model broken --corpus corpus.txt --json broken/config.json x
refused 'look: --json must be a file apart' look --model broken --json broken/config.json x
refused 'look: --json must be a file apart' look --model broken --json broken/1_Pooling/look.json x
mkdir page
for file in report.html figures.json; do
  refused 'look: --json must be another file than those of the page' look --model broken --out page --json page/../page/$file x
done
refused 'look: --out must be a file apart' look --model broken --out broken x
refused 'look: --out must be a file apart' look --model broken --out broken/page/look x
if [ -w /dev/full ]; then
  code=0
  search x >/dev/full </dev/null || code=$?
  [ "$code" = 2 ] || miss "a full disk: exit $code"
fi

printf '%d missed\n' "$failures"
[ "$failures" = 0 ]
