#!/usr/bin/env bash
# heed attention --compare as a user meets it: a league of four, stopped and continued, given another variant, and
# refused where its sizes differ. What it measures depends on the clock only in microseconds. $1: the program heed.
heed=$1
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"
export LC_ALL=C.UTF-8 NO_COLOR=1 COLUMNS=120
league() { "$heed" attention --compare --quick --architecture seq2seq --out "$@" 2>err; }
# The rows without what a clock says.
timeless() { sed -E 's/"(microseconds|time_slope)": ?[^,}]*//g' "$1"; }

league one --variants additive,local_m >text || miss "a league of five: exit $?, $(tail -n 1 err)"
for name in additive local_m 'no attention' even shuffled; do
  grep -q " $name .*%" text || miss "no row of $name"
done
for key in inside beyond parameters steps_to_90 bytes work work_slope curve weights; do
  grep -q "\"$key\"" one/league.json || miss "league.json has no $key"
done
grep -q 'the attention weights of two variants' one/report.html || miss "the page does not compare two"

# A variant is added to a finished league; what was there stays, byte by byte.
cp one/league.json before.json
league one --variants dot >text || miss "dot was not added: $(tail -n 1 err)"
grep -q ' dot .*%' text || miss "no row of dot"
grep -q ' additive .*%' text || miss "the rows before are gone"
[ "$(wc -l <before.json)" -lt "$(wc -l <one/league.json)" ] || miss "the file did not grow"

# The same numbers from another run, and after an interruption.
league two --variants additive,local_m,dot >text || miss "a second league: $(tail -n 1 err)"
cmp -s <(timeless one/league.json | sort) <(timeless two/league.json | sort) || miss "two leagues differ"

# What does not go together says so, and takes nobody with it.
league one --variants linear,positions >text 2>/dev/null
league one --task recall --variants sinkhorn >text || miss "recall: $(tail -n 1 err)"
league one --steps 80 >text && miss "another number of steps was taken into the same league"
grep -q 'hint: another --out' err || miss "refused without a hint: $(cat err)"

# A task that is listed twice is trained once.
"$heed" attention --compare --steps 20 --task copy,copy --architecture seq2seq --variants dot --out twice >text 2>err ||
  miss "copy,copy: $(tail -n 1 err)"
[ "$(grep -c '"task"' twice/league.json)" = 4 ] || miss "copy,copy: $(grep -c '"task"' twice/league.json) rows, not 4"

# A file of results that was edited: one line that names the file and the row, and exit code 2.
cp twice/league.json good.json
refuses() {  # SED PATTERN: the changed file is refused, and the message matches
  local code=0
  sed -E "$1" good.json >twice/league.json
  "$heed" attention --compare --steps 20 --architecture seq2seq --variants dot --out twice >text 2>err || code=$?
  { [ $code = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q "^twice/league.json: $2" err; } ||
    miss "$1: wanted 2 and \"$2\", got $code and $(tail -n 1 err)"
}
refuses 's/"right":\[[^,]*,/"right":[/' 'row [0-9]*: curve must have as many numbers in steps as in right'
refuses '0,/"task":"copy"/s//"task":"fly"/' 'row 1: task must be one of copy, '
refuses '0,/"architecture":"seq2seq"/s//"architecture":"cnn"/' 'row 1: architecture must be seq2seq or transformer; got "cnn"'
refuses 's/"id":"A1"/"id":"Q77"/' 'row [0-9]*: id must be that of an entry of the catalogue; got "Q77"'
refuses 's/"inside":[0-9.]*/"inside":1e9/' 'row 1: inside must be a number from 0 to 100; got 1e+09'
refuses 's/"work_slope":[0-9.]*/"work_slope":1e308/' 'row 1: work_slope must be a number from -20 to 20; got 1e+308'
refuses 's/"name":"dot"/"name":"\\u001b[2J"/' 'row [0-9]*: name must be one line of printable characters'
refuses 's/"seed":1/"seed":"x"/' 'row 1: key "seed" must be an integer'
refuses '/"id":"-"/s/(.*[^,]),?$/\1,\n\1,/' 'row 2: must have another task, variant, architecture or seed than row 1'
refuses 's/^"sizes": .*/"sizes": [],/' 'key "sizes" must be an object; got an array'
for whole in '[]' null '"x"'; do
  echo "$whole" >twice/league.json
  "$heed" attention --compare --steps 20 --architecture seq2seq --variants dot --out twice >text 2>err
  { [ $? = 2 ] && grep -q '^twice/league.json: must be an object with the keys sizes and rows; got' err; } ||
    miss "league.json $whole: $(tail -n 1 err)"
done

# What comes with heed: a table for each task, and a page.
"$heed" attention --league >text || miss "--league: exit $?"
for task in copy reverse recall; do grep -q "^$task  *inside" text || miss "--league has no $task"; done
"$heed" attention --league --task reverse --out page >text || miss "--league --out: exit $?"
grep -q ' additive, transformer .*% ' text || miss "--league has no transformer with additive attention"
grep -q '^copy' text && miss "--league --task reverse prints copy, too"
grep -q 'all variants\|copy: learning curves' page/report.html || miss "the page of --league has no curves"
"$heed" attention --league --task copy,recall >text || miss "--league --task copy,recall: exit $?"
{ grep -q '^recall' text && ! grep -q '^reverse' text; } || miss "--league --task copy,recall prints other tasks"
"$heed" attention --league --task all >text || miss "--league --task all: exit $?"
"$heed" attention --league --task sort 2>err; [ $? = 2 ] || miss "a task without results was accepted"
"$heed" attention --league --steps 5 2>err; [ $? = 2 ] || miss "--league takes --steps"
"$heed" attention --league --compare 2>err; [ $? = 2 ] || miss "--league goes with --compare"
"$heed" attention additive | grep -q 'transformer: copy .* %' || miss "the entry says nothing of the league"

[ "$failures" = 0 ] || { printf '%d missed\n' "$failures"; exit 1; }
