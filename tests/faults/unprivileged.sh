#!/usr/bin/env bash
# Runs heed as a user without permission to write. Each command that writes must end with one sentence and exit code 2, and
# change no file; commands that only read must work. $1: heed.
set -u
# shellcheck source=tests/faults/faults.sh
. "$(dirname "$0")/faults.sh"
begin "$@"
as=()
if [ "$(id -u)" = 0 ]; then
  command -v setpriv >/dev/null || skip 'root may write everywhere, and there is no setpriv to be somebody else'
  as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  "${as[@]}" "$heed" score --help >/dev/null 2>&1 || skip 'nobody may not run the program'
fi
echo 'a b 1' >in.txt
"$heed" train "${small[@]}" --max-epochs 1 --out run >/dev/null 2>err || miss "a training: $(tail -n 1 err)"
model=("$heed" translate --pairs pairs.tsv --epochs 1 --hidden 4 --embedding 4 --min-frequency 1 --threads 1)
league=("$heed" attention --compare --quick --steps 20 --architecture seq2seq --variants additive)
"${model[@]}" --out model </dev/null >/dev/null 2>err || miss "a model: $(tail -n 1 err)"
"${league[@]}" --out league >/dev/null 2>err || miss "a league: $(tail -n 1 err)"
"$heed" museum --out museum >/dev/null 2>err || miss "a museum: $(tail -n 1 err)"
cp -r run secret
cp -r run half
mkdir closed
"$heed" translate --model run --threads 1 <in.txt >reference.txt 2>err || miss "a translation: $(tail -n 1 err)"
state() { find run model league museum secret half closed -printf '%p %s %m %T@\n' | sort; }
[ "$(id -u)" = 0 ] || chmod a-w run model league museum secret half closed
chmod -R go-w .
chmod 000 secret/model.safetensors
chmod a+rwx half  # the folder is writable, its files are not
before=$(state)

may_not() {  # COMMAND...: checks that it is refused
  local code=0
  tried=$((tried + 1))
  : >out.txt
  : >err.txt
  timeout 20 ${as[@]+"${as[@]}"} "$@" </dev/null >out.txt 2>err.txt || code=$?
  [ $code = 2 ] || miss "$*: exit $code: $(tail -n 1 err.txt)"
  { [ "$(wc -l <err.txt)" = 1 ] && grep -q 'Permission denied$' err.txt; } || miss "$*: $(cat err.txt)"
  [ "$(state)" = "$before" ] || miss "$*: files changed: $(diff <(echo "$before") <(state) | head -n 3)"
}
for out in closed closed/new closed/new/er; do
  may_not "$heed" train "${small[@]}" --max-epochs 1 --out $out
  may_not "${model[@]}" --out $out
  may_not "${league[@]}" --out $out
  may_not "$heed" museum --out $out
  may_not "$heed" course --chapter 12 --out $out
  may_not "$heed" drawing --all $out
done
may_not "$heed" train --out run --resume --threads 1 --max-epochs 2
may_not "$heed" train --out half --resume --threads 1 --max-epochs 2
may_not "${model[@]}" --retrain --out model
may_not "${league[@]}" --out league
may_not "$heed" museum --out museum
may_not "$heed" attention softmax --json closed/file
may_not "$heed" attention softmax --drawing closed/file
may_not "$heed" gradcheck softmax --json closed/file
may_not "$heed" embed --model run --threads 1 --npy closed/file
may_not "$heed" translate --model secret --threads 1
may_not "$heed" embed --model secret --threads 1

${as[@]+"${as[@]}"} "$heed" translate --model run --threads 1 <in.txt >out.txt 2>err.txt || miss "reading a model: $(cat err.txt)"
cmp -s out.txt reference.txt || miss 'reading a model: other output'
[ "$(state)" = "$before" ] || miss 'reading a model changed files'

printf '%d commands refused\n' "$tried"
finish
