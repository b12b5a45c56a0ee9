#!/usr/bin/env bash
# Mutation testing: which of the faults of faults.txt do the tests notice? The faults are put into a copy of the sources, and
# that is built with as many of them as do not overlap. The environment variable HEED_FAULT chooses one, so that hundreds of
# faults take minutes and not hours. If no test fails, the fault has survived: a test is missing, or the change is no fault.
#
#   tests/mutation/run.sh [--sample N] [--kind K] [--file F] [--property P] [--note] [--folder DIR] [--list FILE]
#   tests/mutation/run.sh --check [--list FILE]
#
#   --sample N    N of the faults, always the same ones        --kind K      only faults of this kind
#   --file F      only faults of files whose path contains F   --property P  only what this property of the catalogue must report
#   --note        writes into the list who reports a fault     --folder DIR  where to build (build/mutation)
#   --check       builds nothing; checks that each fault is well formed and its code occurs exactly once in its file
#
# A fault is tried with the test or with each of the properties that the list names, and without the fault these must pass. If
# the list names none, or if the test passes with the fault, the tests of its file, of its folder and then all others run
# until the first failure; for an equivalent fault, only those near it. Exit code 0 if no fault survived, 1 if one did, 2 for
# wrong options, a list that does not fit the sources, or a build that fails.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
folder=$tree/build/mutation list=$tree/tests/mutation/faults.txt
sample="" kind="" part="" wanted="" check="" note=""
refuse() { echo "mutation: $*" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --check) check=1 ;;
    --note) note=1 ;;
    --sample|--kind|--file|--property|--folder|--list)
      [ -n "${2:-}" ] || refuse "$1 needs a value; hint: run.sh --help"
      case $1 in
        --sample) sample=$2 ;; --kind) kind=$2 ;; --file) part=$2 ;; --property) wanted=$2 ;; --folder) folder=$2 ;; --list) list=$2 ;;
      esac
      shift ;;
    *) refuse "options are --sample, --kind, --file, --property, --note, --folder, --list, --check and --help; got \"$1\"" ;;
  esac
  shift
done
[[ -z $sample || $sample =~ ^[1-9][0-9]{0,5}$ ]] || refuse "--sample needs a number of faults; got \"$sample\""
[ -r "$list" ] || refuse "cannot read $list"
plant() { LC_ALL=C awk -v tree="$tree" "${@:2}" -f "$tree/tests/mutation/plant.awk" "$1"; }  # LIST OPTION...
all=$(plant "$list") || exit 2
if [ -n "$check" ]; then
  echo "mutation: $(wc -l <<<"$all") faults of $(cut -d $'\037' -f 5 <<<"$all" | sort -u | wc -l) kinds, each in its place"
  exit 0
fi
chosen=$(awk -F '\037' -v OFS='\037' -v kind="$kind" -v part="$part" -v wanted="$wanted" '
  (kind == "" || $5 == kind) && (part == "" || index($4, part)) && (wanted == "" || index(" " $6 " ", " " wanted " ")) {
    if (wanted != "") $6 = wanted
    print
  }' <<<"$all" | sort -n -t $'\037' -k 2 | head -n "${sample:-999999}" | sort -n -t $'\037' -k 1,1 -k 3,3)
[ -n "$chosen" ] || refuse "no fault matches"

# --- the copy ----------------------------------------------------------------------------------------------------------
copy=$folder/tree built=$folder/tree/build/release  # as in the sources, so that a compiler cache knows most of it
export CCACHE_BASEDIR=$copy CCACHE_NOHASHDIR=1 CCACHE_INODECACHE=1
make_copy() { # BUILD: only files that have changed are written, so that little is built again
  local file
  rm -rf "$folder/new"
  mkdir -p "$folder/new"
  git -C "$tree" ls-files --cached --others --exclude-standard -z | tar -C "$tree" --null -cf - -T - | tar -C "$folder/new" -xf -
  plant "$list" -v build="$1" -v to="$folder/new" || exit 2
  cat >>"$folder/new/tests/main.cpp" <<'END_OF_MAIN'
#include <cstdlib>
int heed_fault;
__attribute__((constructor(101))) static void choose_fault() {
  if (const char* number = std::getenv("HEED_FAULT")) heed_fault = std::atoi(number);
}
END_OF_MAIN
  # Tests that search the sources search those without a fault.
  printf '#include "tests/source_dir.h"\nstd::string source_dir() { return "%s"; }\n' "$tree" >"$folder/new/tests/source_dir.cpp"
  [ -e "$copy" ] || cp -R "$folder/new" "$copy"
  diff -rqN --exclude=build "$folder/new" "$copy" | while read -r _ from _ to _; do
    if [ -e "$from" ]; then install -D "$from" "$to"; else rm "$to"; fi
  done
  rm -rf "$folder/new"
  launcher=$(command -v ccache || true)
  cmake -S "$copy" -B "$built" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHEED_BUILD_PROGRAMS=OFF \
    ${launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER="$launcher"} >"$folder/cmake.log" 2>&1 </dev/null || refuse "CMake failed: $folder/cmake.log"
  ready="" passes=()
}

# --- one fault ---------------------------------------------------------------------------------------------------------
declare -A passes
run_tests() { # FAULT SECONDS PROGRAM OPTION...
  (cd "$tree" && env HEED_FAULT="$1" ${property:+HEED_PROPERTY="$property"} timeout "$2" "$built/bin/$3" --abort-after=1 \
    --no-intro --no-colors "${@:4}" >"$folder/last.log" 2>&1 </dev/null) 2>/dev/null  # silent where a fault crashes it
}
fails() { # PROGRAM OPTION...: whether tests that pass without a fault fail with $number
  local start status=0
  if [[ " $ready " != *" $1 "* ]]; then
    cmake --build "$built" --target "$1" -- -k 0 >"$folder/build.log" 2>&1 </dev/null || {
      grep -m 20 -A 3 "error:" "$folder/build.log" >&2
      refuse "$1 does not build: $folder/build.log; hint: >> in the list gives a fault a build of its own"
    }
    ready+=" $1"
  fi
  if [[ -z ${passes[$property $*]:-} && $number != *! ]]; then
    start=$SECONDS
    run_tests 0 3600 "$@" || { unfit+=" $property $*"; return 1; }
    passes[$property $*]=$((20 + 10 * (SECONDS - start)))
  fi
  run_tests "$number" "${passes[$property $*]:-3600}" "$@" || status=$?
  [ $status != 0 ]
}
every='catalogue: every entry holds every property'
reports() { # WHO: whether this test or property reports the fault
  local property=$1 name=${1#*: }
  case $1 in
    test_*) property="" fails "${1%%: *}" "--test-case=${name//[,\\\"]/?}" ;;
    gradient) fails test_nn --test-case='catalogue: the gradient of every entry' ;;
    *) fails test_nn --test-case="$every*" ;;
  esac
}
search() { # FILE [equivalent]: who reports the fault, of the tests of its file, its folder, or all
  local property="" program own=${1##*/} filter
  local programs=test_nn filters=("*tests/${1%/*}/*" '*')
  case $1 in tensor/*) programs="test_tensor test_autograd test_nn" ;; autograd/*) programs="test_autograd test_nn" ;; esac
  own=${own%.*}
  [ -z "${2:-}" ] || filters=("*tests/${1%/*}/*")
  for program in $programs; do
    for filter in "*tests/*/${own#ops_}*_test.cpp" "${filters[@]}"; do
      if fails "$program" --source-file="$filter"; then
        who=$(sed -n '/^TEST CASE: */{s///;h;}; / ERROR: /{g;p;q;}' "$folder/last.log")
        if [[ $who = "$every"* ]] && grep -q 'where := .*: ' "$folder/last.log"; then  # not where it crashes
          who=$(sed -n 's/.*where := .*: //p' "$folder/last.log" | head -n 1)
        elif [ -n "$who" ] || [ "$filter" = '*' ]; then who="$program: ${who:-*}"
        else continue; fi
        return 0
      fi
    done
  done
  return 1
}

current="" killed=0 survived=0 equivalent=0
mkdir -p "$folder"
: >"$folder.notes"
while IFS=$'\037' read -r build number line file of who reason; do
  if [ "$build" != "$current" ]; then make_copy "$build"; current=$build; fi
  found="" missed="" unfit=""
  case $who in
    '') ;;
    test_*) if reports "$who"; then found="killed by $who"; fi ;;
    *) for one in $who; do reports "$one" || missed+=" $one"; done
       [ -n "$missed" ] || found="killed by $who" ;;
  esac
  if [ -n "$missed" ]; then found="NOT REPORTED by$missed" survived=$((survived + 1))
  elif [ -n "$found" ]; then killed=$((killed + 1))
  elif search "$file" "$reason"; then
    found="killed by $who" killed=$((killed + 1))
    [ -z "$reason" ] || found="$found, although $reason"
    printf '%s\037%s: %s\n' "$line" "$of" "$who" >>"$folder.notes"
  elif [ -n "$reason" ]; then found="equivalent: $reason" equivalent=$((equivalent + 1))
  else found="SURVIVED" survived=$((survived + 1)); fi
  [ -z "$unfit" ] || found+="; without a fault fails:$unfit"
  printf '%-52s %-26s %s\n' "$file:$line" "$of" "$found"
done <<<"$chosen"
if [ -n "$note" ]; then
  awk -F '\037' 'FILENAME == ARGV[1] { now[$1] = $2; next } { print FNR in now ? now[FNR] : $0 }' "$folder.notes" "$list" >"$folder.list"
  cat "$folder.list" >"$list"
fi
planted=$((killed + survived + equivalent))
echo "mutation: $planted planted, $killed killed, $equivalent equivalent, $survived survived;" \
  "score $((planted ? 100 * (killed + equivalent) / planted : 0)) %"
[ $survived = 0 ]
