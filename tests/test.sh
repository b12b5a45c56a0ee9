# shellcheck shell=bash disable=SC2154,SC2034  # top, preset, build, say and refuse are those of the script that sources this
# ./heed test, and what .ci/run shares with it: ctest's report with one row per test. A doctest program counts as many
# tests as it has test cases, any other test as one; a program that crashes counts as one failure.

passed=0 failed=0

# run_ctest BUILD_FOLDER SELECTION...: prints one row per test, then the output of the failed ones; adds to the counts
# passed and failed.
run_ctest() {
  local folder=$1 line number good bad rows=0 broken="" counts spoken log="$1/tests.log"
  local finished='^ *[0-9]+/[0-9]+ Test +#([0-9]+): ([^ ]+) .*(Passed|\*\*\*[A-Za-z]+( Run)?).* ([0-9.]+) sec'
  local cases='^([0-9]+): \[doctest\] test cases: .*\| +([0-9]+) passed \| +([0-9]+) failed'
  shift
  counts=() spoken=()
  while IFS= read -r line; do
    case $line in
      *': [doctest] test cases: '*)
        if [[ $line =~ $cases ]]; then counts[BASH_REMATCH[1]]="${BASH_REMATCH[2]} ${BASH_REMATCH[3]}"; fi ;;
      *' sec'*)
        [[ $line =~ $finished ]] || continue
        number=${BASH_REMATCH[1]} rows=1
        read -r good bad <<<"${counts[number]:-0 0}"
        case ${BASH_REMATCH[3]} in
          *Skipped) printf '%-44s skipped: %s\n' "${BASH_REMATCH[2]}" "${spoken[number]:-}"; continue ;;
          Passed) [ "$good" != 0 ] || good=1 ;;
          *) [ "$bad" != 0 ] || bad=1; broken="$broken $number" ;;
        esac
        printf '%-44s %5d passed %5d failed %8s s\n' "${BASH_REMATCH[2]}" "$good" "$bad" "${BASH_REMATCH[5]}"
        passed=$((passed + good)) failed=$((failed + bad)) ;;
      [1-9]*': '*) number=${line%%:*}; [[ $number = *[!0-9]* ]] || spoken[number]=${line#*: } ;;
    esac
  done < <(cd "$folder" && ctest -V -j 2 "$@" </dev/null 2>&1 | tee "$log")
  [ "$rows" = 1 ] || { say "heed: ctest $* found no test"; failed=$((failed + 1)); }
  for number in $broken; do
    sed -n "s/^$number: //p" "$log" | grep -Ev "^(Test command|Working Directory|Test timeout)" | tail -n 60 >&2
  done
}

cmd_test() {
  local option full="" browser="" long="|long"
  case " $* " in *' --accuracy '*)
    [ $# = 1 ] || refuse "test: --accuracy prints one table and takes no other option; got \"$*\""
    build accuracy
    "$top/build/release/bin/accuracy"
    return ;;
  esac
  for option; do
    case $option in
      --full) full=1 ;;
      --browser) browser=1 ;;
      --faults) long="" ;;
      --exhaustive) export HEED_EXHAUSTIVE=1 ;;
      *) refuse "test: options are --full, --browser, --faults, --exhaustive and --accuracy; got \"$option\"" ;;
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
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" = 0 ]
}
