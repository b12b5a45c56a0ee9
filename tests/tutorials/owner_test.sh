#!/usr/bin/env bash
# A folder with results has one owner: what belongs to another command or to the user is refused in one sentence and
# stays as it is; the next run of the same command works without questions. And what killed writers leave, pipes in the
# place of files, and paths that the system refuses. $1: the program heed, $2: lesson 02.
heed=$1 lesson=$2
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"
export LC_ALL=C.UTF-8 NO_COLOR=1
state() { find . -name err -prune -o -name out -prune -o \( -type f -exec cksum {} + \) -o -print | sort; }
# Exit code 2, this one line, and not a byte changed. A command that waits is stopped after 20 seconds.
refused() {  # SENTENCE COMMAND...
  local sentence=$1 before code
  shift
  before=$(state)
  timeout 20 "$@" </dev/null >out 2>err
  code=$?
  [ "$code" = 2 ] || miss "$*: exit $code, not 2: $(tail -n 1 err)"
  [ "$(cat err)" = "$sentence" ] || miss "$*: wanted: $sentence; got: $(cat err)"
  [ "$(state)" = "$before" ] || miss "$*: files changed: $(diff <(echo "$before") <(state) | head -n 3)"
}
works() {  # COMMAND...
  timeout 300 "$@" </dev/null >out 2>err || miss "$*: exit $?: $(tail -n 1 err)"
}
other="--out names another folder"

# --- the owners: each command twice into its own folder
printf 'the cat\tle chat\nthe dog\tle chien\na cat\tun chat\na dog\tun chien\nthe bird\tun oiseau\na house\tune maison\n' >pairs.tsv
awk '{ for (i = 0; i < 30; ++i) print $1 " " i "\t" $2 " " i }' FS='\t' OFS='\t' pairs.tsv >many.tsv
train=("$heed" train --pairs many.tsv --preset rnn-fixed --embedding 8 --hidden 8 --quick --max-epochs 1 --min-frequency 1 --schedule noam --threads 1)
translate=("$heed" translate --pairs many.tsv --epochs 1 --hidden 8 --embedding 8 --threads 1)
league=("$heed" attention --compare --quick --steps 20 --architecture seq2seq --variants additive)
works "${train[@]}" --out run
works "$heed" train --out run --resume --max-epochs 2 --threads 1
for _ in 1 2; do
  works "${translate[@]}" --out model
  works "${league[@]}" --out league
  works "$heed" museum --out museum
  works "$heed" attention --league --task reverse --out page
  works "$heed" course --chapter 12 --out site
  works "$heed" drawing --all drawings
  works "$lesson" --quick --no-ask --out lesson
done
grep -qx 'This folder belongs to heed train.' run/lock || miss "run/lock: $(cat run/lock)"
[ ! -e drawings/lock ] || miss 'drawing --all left a file that is no drawing'

owned() { printf '%s: a folder keeps the results of one command; got "%s", which belongs to %s; hint: %s' "$@"; }
refusals() {  # of every command in every other's folder
  local use
  use="$other, --model run translates with the model in this one"
  refused "$(owned translate run 'heed train' "$use")" "${translate[@]}" --out run
  refused "$(owned translate run 'heed train' "$use")" "${translate[@]}" --retrain --out run
  refused "$(owned train model 'heed translate' "$other")" "${train[@]}" --out model
  refused "$(owned train model 'heed translate' "$other")" "$heed" train --out model --resume
  refused "$(owned attention run 'heed train' "$other")" "${league[@]}" --out run
  refused "$(owned attention run 'heed train' "$other")" "$heed" attention --league --out run
  refused "$(owned attention league 'heed attention --compare' "$other")" "$heed" attention --league --out league
  refused "$(owned attention page 'heed attention --league' "$other")" "${league[@]}" --out page
  refused "$(owned museum run 'heed train' "$other")" "$heed" museum --out run
  refused "$(owned course museum 'heed museum' "$other")" "$heed" course --out museum --chapter 12
  refused "$(owned 02_derivatives model 'heed translate' "$other")" "$lesson" --quick --no-ask --out model
  refused "$(owned museum lesson 'lesson 02_derivatives' "$other")" "$heed" museum --out lesson
  refused "$(owned museum league 'heed attention --compare' "$other")" "$heed" museum --out league
}
refusals
rm ./*/lock  # as in a folder whose files were copied: recognised by them
refusals
for name in run model league; do : >$name/lock; done  # an empty mark is none
refusals
works "${translate[@]}" --out model
grep -q '^using the model in model/model.safetensors' err || miss "the model was not used: $(cat err)"
works "${league[@]}" --out league
works "$lesson" --quick --no-ask --out lesson
works "$heed" train --out run --resume --max-epochs 3 --threads 1
works "$heed" course --chapter 12 --out site

# --- what heed did not write
foreign() { printf '%s: a file that heed did not write is never replaced; got "%s"; hint: %s' "$@"; }
mkdir mine mine2 mine3
echo 'my own measurements' >mine/metrics.jsonl
echo '<p>my own report</p>' >mine2/report.html
echo '<svg/>' >mine3/attention.svg
echo 'not yours' >mine3/lock
refused "$(foreign train mine/metrics.jsonl "$other")" "${train[@]}" --out mine
refused "$(foreign train mine2/report.html "$other")" "${train[@]}" --out mine2
refused "$(foreign museum mine2/report.html "$other")" "$heed" museum --out mine2
refused "$(foreign 02_derivatives mine2/report.html "$other")" "$lesson" --quick --no-ask --out mine2
refused "$(foreign attention mine2/report.html "$other")" "${league[@]}" --out mine2
refused "$(foreign attention mine2/report.html "$other")" "$heed" attention --league --out mine2
refused "$(foreign museum mine3/lock "$other")" "$heed" museum --out mine3
refused "$(foreign drawing mine3/attention.svg '--all names another folder')" "$heed" drawing --all mine3
works "$heed" museum --out mine  # nothing there has its names
[ "$(cat mine/metrics.jsonl)" = 'my own measurements' ] || miss 'museum touched metrics.jsonl'

# --- one writer at a time
if command -v flock >/dev/null; then
  busy() { printf '%s: a folder takes one writer at a time; got "%s", where another is at work; hint: %s' "$@"; }
  touch museum/lock
  refused "$(busy museum museum "$other")" flock museum/lock "$heed" museum --out museum
  refused "$(busy train run "$other")" flock run/lock "$heed" train --out run --resume
  refused "$(busy drawing drawings '--all names another folder')" flock drawings "$heed" drawing --all drawings
else
  echo 'skipped: one writer at a time (no flock)'
fi

# --- temporary files of dead writers go, those of living ones and files of others stay
touch museum/.heed-00112233445566aa.tmp museum/.heed-mine.tmp museum/notes.tmp
works "$heed" museum --out museum
[ "$(cd museum && echo .heed-*.tmp *.tmp)" = '.heed-mine.tmp notes.tmp' ] || miss "debris: $(ls -A museum)"
if command -v flock >/dev/null; then
  touch museum/.heed-00112233445566aa.tmp
  works flock museum/.heed-00112233445566aa.tmp "$heed" museum --out museum
  [ -e museum/.heed-00112233445566aa.tmp ] || miss 'the temporary file of a living writer was deleted'
fi
mkdir single
touch -d '1 hour ago' single/.heed-0123456789abcdef.tmp
touch single/.heed-fedcba9876543210.tmp
works "$heed" attention softmax --json single/entry.json
[ "$(cd single && echo .heed-*.tmp)" = .heed-fedcba9876543210.tmp ] || miss "debris beside one file: $(ls -A single)"

# --- pipes and devices in the place of files
pipe() { printf '%s: a folder for results must hold regular files; got "%s", a pipe or a device; hint: %s' "$@"; }
for name in config.json last.safetensors metrics.jsonl lock; do
  cp -r run piped && rm "piped/$name" && mkfifo "piped/$name"
  refused "$(pipe train "piped/$name" "$other")" "$heed" train --out piped --resume
  rm "piped/$name" && ln -s /dev/zero "piped/$name"
  refused "$(pipe train "piped/$name" "$other")" "$heed" train --out piped --resume
  rm -r piped
done
cp -r league piped && rm piped/league.json && mkfifo piped/league.json
refused "$(pipe attention piped/league.json "$other")" "${league[@]}" --out piped
mkfifo piped/model.safetensors
refused 'load: "piped/model.safetensors": must be a file; got a pipe or a device' "$heed" translate --model piped
refused 'load: "piped/model.safetensors": must be a file; got a pipe or a device' "$heed" embed --model piped
sed 's/\t.*//' many.tsv >many.src
sed 's/.*\t//' many.tsv >many.tgt
works "$heed" translate --src <(cat many.src) --tgt <(cat many.tgt) --epochs 1 --hidden 8 --embedding 8 --threads 1 --out streamed
"$heed" train --pairs /dev/stdin --preset rnn-fixed --embedding 8 --hidden 8 --quick --max-epochs 1 --threads 1 --out stdin \
  <many.tsv >out 2>err || miss "--pairs /dev/stdin: $(tail -n 1 err)"

# --- paths that the system refuses
ln -s loop loop
long=$(printf 'x%.0s' $(seq 300))
for path in loop "$long"; do
  why='Too many levels of symbolic links'
  [ "$path" = loop ] || why='File name too long'
  for command in "${train[*]} --out" "$heed train --resume --out" "${translate[*]} --out" "${league[*]} --out" \
    "$heed museum --out" "$heed course --chapter 12 --out" "$heed drawing --all" "$lesson --quick --no-ask --out"; do
    # shellcheck disable=SC2086  # words of a command
    if [ "$path" = loop ]; then
      refused "write: cannot make the folder \"$path\": $why" $command "$path"
      continue
    fi
    # shellcheck disable=SC2086  # words of a command
    timeout 20 $command "$path" </dev/null >out 2>err  # a long name is cut
    code=$?
    { [ "$code" = 2 ] && grep -q "^write: cannot make the folder \"xxxx*\.\.\..*$why\$" err; } || miss "$command xxx: $code, $(cat err)"
  done
done
refused 'write: cannot write "loop": Too many levels of symbolic links' "$heed" attention softmax --json loop
mkdir looped && ln -s config.json looped/config.json
refused 'read: cannot read "looped/config.json": Too many levels of symbolic links' "${train[@]}" --out looped
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  mkdir closed && chmod 700 closed && chmod 755 .
  as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  if "${as[@]}" "$heed" museum --list >/dev/null 2>&1; then
    refused 'write: cannot make the folder "closed/run": Permission denied' "${as[@]}" "${train[@]}" --out closed/run
    refused 'read: cannot read "closed/report.html": Permission denied' "${as[@]}" "$heed" museum --out closed
  else
    echo 'skipped: folders that may not be searched (nobody cannot run the program)'
  fi
else
  echo 'skipped: folders that may not be searched (not root, or no setpriv)'
fi

printf '%d missed\n' "$failures"
[ "$failures" = 0 ]
