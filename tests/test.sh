# shellcheck shell=bash disable=SC2154,SC2034  # top, preset, build, say, out, given, fail and refuse are those of the script that sources this
# ./heed test, and what .ci/run shares with it: ctest's report with one row per test. A doctest program counts as many
# tests as it has test cases, any other test as one; a program that crashes counts as one failure.

passed=0 failed=0

# expected_of BUILD_FOLDER SELECTION...: "NUMBER NAME HUNDREDTHS" for each test: how long it took on average, or before its
# first run how long tests/CMakeLists.txt expects it to take.
expected_of() {
  local folder=$1 file costs=()
  shift
  for file in "$folder/test_costs.txt" "$folder/Testing/Temporary/CTestCostData.txt"; do
    [ ! -f "$file" ] || costs+=("$file")
  done
  (cd "$folder" && ctest -N "$@") 2>/dev/null | sed -n 's/^ *Test *#\([0-9]*\): \([^ ]*\)$/\1 \2/p' |
    awk 'FILENAME != "-" { if (NF > 1) cost[$1] = $NF; next }
         { printf "%d %s %d\n", $1, $2, 100 * ($2 in cost ? cost[$2] : 0.1) }' "${costs[@]}" -
}

# run_ctest BUILD_FOLDER SELECTION...: prints one row per test, with the time that is left, and the first case that fails as
# soon as it does; then the output of the failed tests. Adds to the counts passed and failed.
run_ctest() {
  local folder=$1 line number name hundredths good bad ran=0 rows=0 broken="" counts spoken names cases costs log="$1/tests.log"
  local all=0 planned=0 taken=0 begin=$SECONDS left first=""
  local finished='^ *[0-9]+/[0-9]+ Test +#([0-9]+): ([^ ]+) .*(Passed|\*\*\*[A-Za-z]+( Run)?).* ([0-9]+)[.]([0-9][0-9]) sec'
  local summary='^([0-9]+): \[doctest\] test cases: .*\| +([0-9]+) passed \| +([0-9]+) failed'
  shift
  counts=() spoken=() names=() cases=() costs=()
  while read -r number name hundredths; do
    names[number]=$name costs[number]=$hundredths all=$((all + hundredths))
  done < <(expected_of "$folder" "$@")
  say "heed: ${#names[@]} tests, about $((all / 200 + 1)) s"
  while IFS= read -r line; do
    case $line in
      *': [doctest] test cases: '*)
        if [[ $line =~ $summary ]]; then counts[BASH_REMATCH[1]]="${BASH_REMATCH[2]} ${BASH_REMATCH[3]}"; fi ;;
      [1-9]*': Test command: '*) ;;
      [1-9]*': TEST CASE:  '*) cases[${line%%:*}]=": ${line#*TEST CASE:  }" ;;
      [1-9]*': '*' ERROR: '*|[1-9]*': FAIL '*)
        [ -z "$first" ] || continue
        number=${line%%:*} first=${names[number]:-}${cases[number]:-}
        say "heed: the first case that fails, $first"$'\n'"  ${line#*: }" ;;
      *' sec'*)
        [[ $line =~ $finished ]] || continue
        number=${BASH_REMATCH[1]} rows=$((rows + 1))
        read -r good bad <<<"${counts[number]:-0 0}"
        case ${BASH_REMATCH[3]} in
          *Skipped) out '%-44s skipped: %s\n' "${BASH_REMATCH[2]}" "${spoken[number]:-}"; continue ;;
          Passed) if [ -z "${counts[number]:-}" ]; then good=1; elif [ "$good" = 0 ]; then bad=1 broken="$broken $number"; fi ;;
          *) [ "$bad" != 0 ] || bad=1; broken="$broken $number" ;;
        esac
        ran=1
        # Two at a time; this machine needs taken / planned of what is expected.
        planned=$((planned + ${costs[number]:-0})) taken=$((taken + BASH_REMATCH[5] * 100 + 10#${BASH_REMATCH[6]}))
        left=$((all * taken / (planned + 1) / 200 - SECONDS + begin))
        out '%-44s %5d passed %5d failed %8s s %5d s left\n' "${BASH_REMATCH[2]}" "$good" "$bad" \
          "${BASH_REMATCH[5]}.${BASH_REMATCH[6]}" "$((left > 0 ? left : 0))"
        passed=$((passed + good)) failed=$((failed + bad)) ;;
      [1-9]*': '*) number=${line%%:*}; [[ $number = *[!0-9]* ]] || spoken[number]=${line#*: } ;;
    esac
  done < <(cd "$folder" && ctest -V -j 2 "$@" </dev/null 2>&1 | tee "$log")
  # A ctest that was stopped, or a selection of which no test could run, must not look like one that passed.
  if [ "$rows" -lt "${#names[@]}" ]; then say "heed: $((${#names[@]} - rows)) tests have no result"; failed=$((failed + 1)); fi
  [ "$ran" = 1 ] || { say "heed: ctest $* ran no test"; failed=$((failed + 1)); }
  for number in $broken; do
    sed -n "s/^$number: //p" "$log" | grep -Ev "^(Test command|Working Directory|Test timeout)" | tail -n 60 >&2
  done
}

# --- fuzzing -----------------------------------------------------------------------------------------------------------
# fuzz_target NAME SECONDS: lets libFuzzer try inputs, from the corpus of the repository and what earlier runs have added
# in build/clang/corpus. Prints one row, and for a finding its file and the command that runs it again. With HEED_FUZZ_SEED
# the inputs are the same each time.
fuzz_target() {
  local name=$1 seconds=$2 folder="$top/build/clang" seeds="$top/tests/fuzz/corpus/$1" code=0 found="" file log dictionary=""
  log="$folder/fuzz_$name.log"
  mkdir -p "$folder/corpus/$name" "$folder/findings/$name"
  [ ! -f "$top/tests/fuzz/$name.dict" ] || dictionary="-dict=$top/tests/fuzz/$name.dict"
  touch "$log.start"
  TMPDIR=$fuzz_scratch "$folder/bin/fuzz_$name" -max_total_time="$seconds" -timeout=25 -max_len=4096 -print_final_stats=1 \
    ${HEED_FUZZ_SEED:+-seed="$HEED_FUZZ_SEED"} ${dictionary:+"$dictionary"} -artifact_prefix="$folder/findings/$name/" "$folder/corpus/$name" "$seeds" \
    </dev/null >"$log" 2>&1 || code=$?
  [ "$code" = 0 ] || found=1
  printf '%-12s %10s executions %7s a second %6s new inputs %3s findings\n' "$name" \
    "$(fuzz_figure number_of_executed_units)" "$(fuzz_figure average_exec_per_sec)" "$(fuzz_figure new_units_added)" "${found:-0}"
  [ "$code" != 0 ] || return 0
  grep -E '^(broken: |SUMMARY: |terminate called|  what\(\)|==[0-9]+== ERROR: )|runtime error: ' "$log" | head -n 4 | cut -c 1-240
  for file in "$folder/findings/$name"/*; do
    [ "$file" -ot "$log.start" ] || printf '  found: %s\n  again: %s %s\n' "$file" "$folder/bin/fuzz_$name" "$file"
  done
  printf '  log:   %s\n' "$log"
  return 1
}
fuzz_figure() { sed -n "s/^stat::$1: *//p" "$log" | grep . || echo '?'; }

# Clang is asked without a pipe, because it may answer before it has read.
has_fuzzer() {
  clang++ -x c++ - -fsanitize=fuzzer,address -o /dev/null >/dev/null 2>&1 \
    <<<'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }'
}

# fuzz SECONDS: every target that has a corpus, two at a time.
fuzz() {
  local seconds=$1 name first="" version
  if ! has_fuzzer; then
    version=$(clang++ --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p')
    refuse "test --fuzz needs Clang with its fuzzer; install it with: sudo apt-get install clang libclang-rt-${version:+$version-}dev"
  fi
  preset=clang
  build fuzz
  fuzz_scratch=$(mktemp -d /dev/shm/heed-fuzz.XXXXXX 2>/dev/null || mktemp -d) || fail "heed: cannot write to a temporary folder"
  trap 'rm -rf "$fuzz_scratch"' EXIT
  for name in "$top"/tests/fuzz/corpus/*/; do
    name=${name%/} name=${name##*/}
    { fuzz_target "$name" "$seconds" >"$fuzz_scratch/$name.out"; echo $? >"$fuzz_scratch/$name.code"; } &
    if [ -z "$first" ]; then first=$name; continue; fi
    wait
    fuzz_report "$first" "$name"
    first=""
  done
  wait
  [ -z "$first" ] || fuzz_report "$first"
}
fuzz_report() {
  local name
  for name; do
    out '%s\n' "$(cat "$fuzz_scratch/$name.out")"
    if [ "$(cat "$fuzz_scratch/$name.code")" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  done
}

cmd_test() {
  local option full="" browser="" long="|long"
  if given --accuracy "$@"; then
    [ "$*" = --accuracy ] || refuse "test: --accuracy prints one table and takes no other option; got \"$*\""
    build accuracy
    "$top/build/release/bin/accuracy"
    return
  fi
  if given --fuzz "$@"; then
    if [ "$1" != --fuzz ] || [ $# -gt 2 ]; then refuse "test: --fuzz SECONDS is a test of its own; got \"$*\""; fi
    case ${2:-} in
      [1-9]|[1-9][0-9]|[1-9][0-9][0-9]|[1-9][0-9][0-9][0-9]|[1-9][0-9][0-9][0-9][0-9]) fuzz "$2" ;;
      *) refuse "test: --fuzz needs the seconds for each target, from 1 to 99999; got \"${2:-}\"" ;;
    esac
    out '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" = 0 ]
    return
  fi
  for option; do
    case $option in
      --full) full=1 ;;
      --browser) browser=1 ;;
      --faults) long="" ;;
      --exhaustive) export HEED_EXHAUSTIVE=1 ;;
      *) refuse "test: options are --full, --browser, --faults, --exhaustive, --accuracy and --fuzz; got \"$option\"" ;;
    esac
  done
  build tests heed_app ${full:+lessons exercises} ${browser:+lessons}
  run_ctest "$top/build/release" -LE "lessons|browser$long"
  if [ -n "$full" ]; then
    run_ctest "$top/build/release" -L lessons
    preset=asan
    build tests
    run_ctest "$top/build/asan" -L 'unit|gradcheck|parity'
  fi
  [ -z "$browser" ] || run_ctest "$top/build/release" -L browser
  out '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" = 0 ]
}
