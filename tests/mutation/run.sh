#!/usr/bin/env bash
# Mutation testing: how many planted faults do the tests notice? Each fault of planted.txt is put into a copy of the sources,
# one at a time, and the copy is built and tested. If all tests pass, the fault has survived: either a test is missing, or the
# change is no fault.
#
#   tests/mutation/run.sh [--sample N] [--kind K] [--file F] [--program P] [--folder DIR] [--list FILE] [--again]
#   tests/mutation/run.sh --check [--list FILE]
#
#   --sample N    N of the faults, always the same ones        --kind K    only faults of this kind
#   --file F      only faults of files whose path contains F   --again     forget what earlier runs found
#   --program P   only the tests of test_tensor, test_autograd or test_nn; the next run tries again what survives them
#   --folder DIR  where to build (build/mutation)              --list FILE a list of faults in place of planted.txt
#   --check       builds nothing; checks that each fault is well formed and its code occurs exactly once in its file
#
# For each fault, little is compiled, one program is linked, and tests run until the first failure: those of the file, then
# those of its folder, then all others. So only a survivor takes the time of all tests. A run that was interrupted continues
# where it stopped, from the results in DIR/results.txt. Exit code 0 if no fault survived, 1 if a fault survived or did not
# compile, 2 for wrong options or a list that does not fit the sources.
#
# The first run in a folder starts from recorded.txt, the results that come with the sources: which test killed which fault.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
folder=$tree/build/mutation list=$tree/tests/mutation/planted.txt
sample="" kind="" part="" alone="" check="" again=""
refuse() { echo "mutation: $*" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --check) check=1 ;;
    --again) again=1 ;;
    --sample|--kind|--file|--program|--folder|--list)
      [ -n "${2:-}" ] || refuse "$1 needs a value; hint: run.sh --help"
      case $1 in
        --sample) sample=$2 ;; --kind) kind=$2 ;; --file) part=$2 ;; --program) alone=$2 ;; --folder) folder=$2 ;; --list) list=$2 ;;
      esac
      shift ;;
    *) refuse "options are --sample, --kind, --file, --program, --folder, --list, --again, --check and --help; got \"$1\"" ;;
  esac
  shift
done
[[ -z $sample || $sample =~ ^[1-9][0-9]{0,5}$ ]] || refuse "--sample needs a number of faults; got \"$sample\""
case $alone in '' | test_tensor | test_autograd | test_nn) ;; *) refuse "--program needs test_tensor, test_autograd or test_nn; got \"$alone\"" ;; esac
[ -r "$list" ] || refuse "cannot read $list"

# --- the list ----------------------------------------------------------------------------------------------------------
kinds=() files=() rights=() wrongs=() reasons=()
while IFS= read -r line; do
  case $line in
    '' | '#'*) continue ;;
    '= '*) reasons[${#kinds[@]} - 1]=${line#= }; continue ;;
  esac
  if ! { IFS= read -r file && IFS= read -r right && IFS= read -r wrong; }; then refuse "the list ends within a fault: $line"; fi
  [[ $line =~ ^[a-z0-9_]+$ && $right = '< '* && $wrong = '> '* ]] || refuse "not a kind, a file, < code and > fault: $line"
  kinds+=("$line") files+=("$file") rights+=("${right#< }") wrongs+=("${wrong#> }") reasons+=("")
done <"$list"

declare -A text seen
bad=0
for i in "${!kinds[@]}"; do
  file=${files[i]} code=${rights[i]}
  if [ -z "${text[$file]:-}" ]; then text[$file]=$(cat "$tree/$file" 2>/dev/null) || refuse "there is no file $file"; fi
  before=${text[$file]}
  without=${before/"$code"/}
  if [ ${#before} -ne $((${#without} + ${#code})) ] || [ "${without/"$code"/}" != "$without" ]; then
    echo "mutation: the code must occur exactly once in $file: $code" >&2
    bad=1
  elif [ "$code" = "${wrongs[i]}" ] || [ -n "${seen[$file$code${wrongs[i]}]:-}" ]; then
    echo "mutation: a fault that is none, or that is listed twice, in $file: $code" >&2
    bad=1
  fi
  seen[$file$code${wrongs[i]}]=1
done
[ $bad = 0 ] || exit 2
different=$(printf '%s\n' "${kinds[@]}" | sort -u | wc -l)
if [ -n "$check" ]; then
  echo "mutation: ${#kinds[@]} faults of $different kinds, each in its place"
  exit 0
fi

# --- which faults ------------------------------------------------------------------------------------------------------
name_of() { printf '%s\n%s\n%s\n' "${files[$1]}" "${rights[$1]}" "${wrongs[$1]}" | cksum | cut -d ' ' -f 1; }
chosen=$(for i in "${!kinds[@]}"; do
  if [ -n "$kind" ] && [ "${kinds[i]}" != "$kind" ]; then continue; fi
  if [ -n "$part" ] && [[ ${files[i]} != *"$part"* ]]; then continue; fi
  echo "$(name_of "$i") $i"
done | sort -n | head -n "${sample:-999999}" | sort -n -k 2)
[ -n "$chosen" ] || refuse "no fault is of this kind and file"

# --- the copy ----------------------------------------------------------------------------------------------------------
copy=$folder/tree built=$folder/tree/build/release results=$folder/results.txt
mkdir -p "$folder"
[ -e "$results" ] || cp "$tree/tests/mutation/recorded.txt" "$results"
[ -z "$again" ] || : >"$results"
# Only files that have changed are written, so that little is built again.
rm -rf "$folder/new"
mkdir "$folder/new"
git -C "$tree" ls-files --cached --others --exclude-standard -z | tar -C "$tree" --null -cf - -T - | tar -C "$folder/new" -xf -
if [ ! -d "$copy" ]; then
  mv "$folder/new" "$copy"
else
  diff -rq --exclude=build "$folder/new" "$copy" | while IFS= read -r line; do
    name=${line##*: } place=${line#Only in } place=${place%%: *} from=${line#Files } from=${from%% and *}
    case $line in
      'Files '*) install "$from" "$copy${from#"$folder/new"}" ;;
      "Only in $folder/new"*) cp -r "$place/$name" "$copy${place#"$folder/new"}" ;;
      *) rm -r "${place:?}/$name" ;;
    esac
  done
fi
rm -rf "$folder/new"
launcher=$(command -v ccache || true)
# Each source by itself: a fault then costs one source, not the unit that it is compiled with.
export CCACHE_BASEDIR=$copy CCACHE_NOHASHDIR=1 CCACHE_INODECACHE=1
[ -f "$built/build.ninja" ] || cmake -S "$copy" -B "$built" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEED_BUILD_PROGRAMS=OFF -DHEED_UNIT=1 \
  ${launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER="$launcher"} >"$folder/cmake.log" || refuse "CMake failed: $folder/cmake.log"

# run_tests SECONDS PROGRAM FILTER: 0 if the tests pass. Excluded are two tests that search the sources for code that a
# fault replaces.
run_tests() {
  (cd "$copy" && timeout "$1" "$built/bin/$2" --abort-after=1 --no-intro --no-colors --source-file="$3" \
    --test-case-exclude='*faults.sh plants*' >"$folder/last.log" 2>&1)
}
# prepare PROGRAM: builds it without a fault and runs its tests, which must pass. Sets the time limit for runs with a fault.
declare -A limit
prepare() {
  local start=$SECONDS
  [ -z "${limit[$1]:-}" ] || return 0
  ninja -C "$built" "$1" >"$folder/build.log" || refuse "$1 does not build: $folder/build.log"
  if ! limit[$1]=$(sed -n "s/^passes $1 //p" "$results" | grep .); then
    echo "mutation: $1 without a fault" >&2
    start=$SECONDS
    run_tests 3600 "$1" '*' || refuse "$1 fails without a fault: $folder/last.log"
    limit[$1]=$((60 + 10 * (SECONDS - start)))
    echo "passes $1 ${limit[$1]}" >>"$results"
  fi
}

# try FAULT: sets `found` to the outcome of the tests. Those of its own file run first, then those of its folder.
try() {
  local file=${files[$1]} programs program before code planted own folder_of
  own=${file##*/} own=${own%.*}
  case $file in
    tensor/*) programs="test_tensor test_autograd test_nn" ;;
    autograd/*) programs="test_autograd test_nn" ;;
    *) programs=test_nn ;;
  esac
  [ -z "$alone" ] || programs=$alone
  own="*tests/*/${own#ops_}*_test.cpp" folder_of=${file%/*}
  before=${text[$file]} code=${rights[$1]} planted=${wrongs[$1]}
  for program in $programs; do  # the next program runs only if the fault survives this one
    prepare "$program"
    printf '%s\n' "${before/"$code"/"$planted"}" >"$copy/$file"
    found=$(judge "$program" "$own" "*tests/$folder_of/*" '*')
    install "$tree/$file" "$copy/$file"
    [ "$found" = survived ] || break
  done
}
judge() { # PROGRAM FILTER...: prints the outcome of the program's tests with the fault that is in the copy
  local program=$1 filter status=0
  ninja -C "$built" "$program" >"$folder/build.log" 2>&1 || { echo "does not build"; return; }
  shift
  for filter; do
    run_tests "${limit[$program]}" "$program" "$filter" || status=$?
    case $status in
      0) ;;
      1) echo "killed by $program: $(sed -n '/^TEST CASE: */{s///;h;}; / ERROR: /{g;p;q;}' "$folder/last.log")"; return ;;
      124) echo "killed by the time limit of $program"; return ;;
      *) echo "killed by $program, which crashed"; return ;;
    esac
  done
  echo survived
}

killed=0 survived=0 equivalent=0 broken=0
while read -r name i; do
  found=$(sed -n "s/^fault $name //p" "$results")
  if [ -z "$found" ]; then
    try "$i" </dev/null
    if [ -z "$alone" ] || [ "$found" != survived ]; then echo "fault $name $found" >>"$results"; fi
  fi
  case $found in
    killed*) killed=$((killed + 1)) ;;
    survived) if [ -n "${reasons[i]}" ]; then found="equivalent: ${reasons[i]}" equivalent=$((equivalent + 1));
      else survived=$((survived + 1)) found="SURVIVED"; fi ;;
    *) broken=$((broken + 1)) ;;
  esac
  printf '%-28s %-44s %s\n' "${kinds[i]}" "${files[i]}" "$found"
  [ "$found" != SURVIVED ] || printf '    < %s\n    > %s\n' "${rights[i]}" "${wrongs[i]}"
done <<<"$chosen"
planted=$((killed + survived + equivalent))
echo "mutation: $planted planted, $killed killed, $equivalent equivalent, $survived survived, $broken do not build;" \
  "score $((planted ? 100 * (killed + equivalent) / planted : 0)) %"
[ $((survived + broken)) = 0 ]
