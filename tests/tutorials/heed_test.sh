#!/usr/bin/env bash
# ./heed itself, in a sandbox: the script beside a project of one lesson and one exercise that need no library.
# Prints one line a check, and exits with 1 if any failed.
set -u
source=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
lesson=$box/tutorials/07_demo
mkdir -p "$box/tests" "$box/tutorials/common" "$box/tutorials/app" "$lesson/exercises" "$box/else where"
cp "$source/heed" "$box"
cp "$source/tests/test.sh" "$box/tests"
cp "$source/tutorials/common/lessons.sh" "$source/tutorials/common/cut.awk" "$box/tutorials/common"
mkdir "$box/tutorials/app/mine"
cp "$source/tutorials/app/mine/mine.sh" "$box/tutorials/app/mine"
printf '// a comment\n{"two", "07_demo", "1_two", "rtg"},\n{"three", "07_demo", "2_three", "r"},\n' >"$box/tutorials/app/mine/parts.inc"

cat >"$box/CMakePresets.json" <<'END'
{"version": 3, "configurePresets": [
  {"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"},
  {"name": "clang", "generator": "Ninja", "binaryDir": "${sourceDir}/build/clang"}]}
END
cat >"$box/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(heed VERSION 4.5.6 LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
add_executable(heed_score tutorials/app/score.cpp)
add_custom_target(heed_app)
add_custom_target(closure)
find_file(peer peer.h PATHS "${CMAKE_SOURCE_DIR}/peer" NO_DEFAULT_PATH)
add_custom_target(bench COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/measure bin/heed_bench)
if(NOT peer)
  add_custom_command(TARGET bench POST_BUILD COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/measure_alone bin/heed_bench)
endif()
add_custom_target(fuzz COMMAND ${CMAKE_COMMAND} -E make_directory bin
                  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/fuzz_good ${CMAKE_SOURCE_DIR}/fuzz_bad bin)
add_executable(07_demo tutorials/07_demo/main.cpp)
add_custom_target(lessons DEPENDS 07_demo)
file(GLOB gaps CONFIGURE_DEPENDS work/07_demo/*.cpp)
foreach(kind exercise work)
  if(kind STREQUAL exercise OR gaps)
    set(folder tutorials/07_demo/exercises)
    if(kind STREQUAL work)
      set(folder work/07_demo)
    endif()
    add_executable(${kind}.07_demo.1_two EXCLUDE_FROM_ALL ${folder}/1_two.cpp)
    set_target_properties(${kind}.07_demo.1_two PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/exercises)
  endif()
endforeach()
set(HEED_MINE "" CACHE STRING "")
if(HEED_MINE STREQUAL "two")
  add_executable(heed_mine EXCLUDE_FROM_ALL tutorials/app/mine/main.cpp work/07_demo/1_two.cpp)
endif()
enable_testing()
add_custom_target(tests)
add_custom_target(accuracy COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/table bin/accuracy)
add_test(NAME fine COMMAND ${CMAKE_COMMAND} -E true)
add_test(NAME cases COMMAND ${CMAKE_COMMAND} -E echo "[doctest] test cases:  5 |  5 passed | 0 failed | 2 skipped")
add_test(NAME patient COMMAND ${CMAKE_COMMAND} -E true)
set_tests_properties(patient PROPERTIES LABELS "faults;long")
if(EXISTS ${CMAKE_SOURCE_DIR}/break)
  add_test(NAME broken COMMAND sh -c "echo 'TEST CASE:  the second'; echo x.cpp:7: ERROR: CHECK failed; echo FAIL again; exit 1")
  add_test(NAME off COMMAND sh -c "echo no such thing here; exit 77")
  set_tests_properties(off PROPERTIES SKIP_RETURN_CODE 77)
endif()
END
printf '#!/bin/sh\necho with peer\n' >"$box/measure"
printf '#!/bin/sh\necho alone\n' >"$box/measure_alone"
printf '#!/bin/sh\necho "exp 1.06 ulp$*"\nexit 1\n' >"$box/table"
chmod +x "$box/measure" "$box/measure_alone" "$box/table"
# Fuzz targets that behave like libFuzzer's, and a Clang that has its runtime or not.
mkdir -p "$box/tests/fuzz/corpus/good" "$box/clang"
printf '#!/bin/sh\necho "stat::number_of_executed_units: 12"; echo "stat::average_exec_per_sec:     3"; echo "stat::new_units_added: 4"\n' >"$box/fuzz_good"
# shellcheck disable=SC2016  # $1 and $a are those of the programs
{
printf '#!/bin/sh\nfor a; do case $a in -artifact_prefix=*) echo x >"${a#*=}crash-1" ;; esac; done; echo "broken: a rule"; exit 77\n' >"$box/fuzz_bad"
printf '#!/bin/sh\ncase $1 in --version) echo "clang version 14.0.6" ;; *) [ -e "%s/runtime" ] ;; esac\n' "$box" >"$box/clang/clang++"
}
chmod +x "$box"/fuzz_* "$box/clang/clang++"
# The program tells what it was given and where it stands.
cat >"$box/tutorials/app/score.cpp" <<'END'
#include <unistd.h>
#include <cstdio>
int main(int argc, char** argv) {
  char here[4096];
  std::printf("%s", getcwd(here, sizeof here) ? here : "?");
  for (int i = 1; i < argc; ++i) std::printf("|%s", argv[i]);
  for (int c = std::getchar(); c != EOF; c = std::getchar()) std::putchar(c);
  return 7;
}
END
echo 'int main(int argc, char**) { return argc - 1; }' >"$lesson/main.cpp"
printf '# 07 · Demo: one idea, measured\n\nAnd more of it.\n\nA picture.\n' >"$lesson/README.md"
cat >"$lesson/exercises/1_two.cpp" <<'END'
#include <cstdio>
// ---- the gap ----
// | int two() { return 0; }  // the gap
// ---- filled ----
int two() { return 2; }
// ---- end of the gap ----
int main(int argc, char** argv) {
  if (argc > 1 && argv[1][2] == 'h') return std::printf("hint %s: one and one\n", argv[2]) < 0;
  if (argc > 1 && argv[argc - 1][2] == 'u') std::puts("an open gap");
  std::puts(argc > 1 && argv[1][2] == 'j' ? "{\"status\":\"by program\"}" : two() == 2 ? "Solved." : "Not yet: two is 0.");
  return two() == 2 ? 0 : 1;
}
END
printf '// The task.\n//\n//   two() is 2\n#pragma once\n// not this\n' >"$lesson/exercises/1_two.h"
echo '// the checks' >"$lesson/exercises/1_two_check.cpp"

failed=0
# expect CODE STDOUT_PATTERN STDERR_PATTERN ARGUMENTS...: `./heed ARGUMENTS` from another folder.
expect() {
  local code=$1 out=$2 err=$3 found ok=ok
  shift 3
  : >"$box/out"
  (cd "$box/else where" && "$box/heed" "$@" <"$box/input" >"${to:-$box/out}" 2>"$box/err")
  found=$?
  # shellcheck disable=SC2053  # patterns
  { [ "$found" = "$code" ] && [[ $(cat "$box/out") == $out && $(cat "$box/err") == $err ]]; } || { ok=FAIL; failed=1; }
  printf '%-5s heed %s\n' "$ok" "$*"
  [ "$ok" = ok ] || { echo "exit $found, wanted $code"; cat "$box/out" "$box/err"; }
}
echo typed >"$box/input"

expect 0 "*start here:*./heed list*" ""
expect 0 "*./heed score *" "" help
expect 0 "*./heed score *" "" help --help
expect 2 "" 'help takes no options; got "me"; ./heed NAME --help *' help me
expect 2 "" 'heed: there is no command ""; *' ""
expect 0 "*./heed clean*work/ and out/*" "" clean --help
expect 0 "*./heed exercise*--hint*" "" exercise --help
expect 0 "*./heed --version*" "" help
# The version, after every command of the table, with nothing built.
version() {
  local name
  expect 0 "$1" "" --version
  expect 0 "$1" "" -V
  for name in $("$box/heed" help | sed -n 's/^  [.].heed \([a-z]*\).*/\1/p'); do expect 0 "$1" "" "$name" --version; done
}
version "heed 4.5.6"
expect 0 "heed 4.5.6" "" run 7 --quick -V
expect 0 "heed 4.5.6" "" exercise 7 1 --version
if command -v git >/dev/null; then
  in_box() { git -C "$box" -c user.name=box -c user.email=box@localhost -c commit.gpgsign=false "$@" >/dev/null 2>&1; }
  in_box init
  version "heed 4.5.6"
  in_box add heed tests tutorials CMakeLists.txt && in_box commit -m all
  commit=$(git -C "$box" rev-parse HEAD)
  version "heed 4.5.6 (commit $commit)"
  echo >>"$box/CMakeLists.txt"
  version "heed 4.5.6 (commit $commit, with uncommitted changes)"
  outer=$box box=$box/inner  # a tree in another repository has no commit of its own
  mkdir "$box"
  cp -r "$outer"/{heed,tests,tutorials,CMakeLists.txt,input} "$outer/else where" "$box"
  version "heed 4.5.6"
  box=$outer
  rm -rf "$box/.git" "$box/inner"
fi
# It is a word of its own, and not the value of an option: what follows an option, the program knows.
expect 0 "heed 4.5.6" "" score --hyp a --version
expect 0 "heed 4.5.6" "" score --hyp=a -V
expect 0 "heed 4.5.6" "" test --full --version
expect 0 "heed 4.5.6" "" exercise --json --version
expect 2 "" "test: --fuzz needs the seconds *got \"--version\"" test --fuzz --version
for name in --version=3 -Vx 'test list' 'train embed' ' list' '*' 'l?st'; do
  for option in '' --version --help; do expect 2 "" "heed: there is no command \"*" "$name" ${option:+"$option"}; done
done
expect 2 "" "list takes no options; got \"--version=3\"" list --version=3
expect 2 "" "test: options are *got \"x --accuracy y\"" test 'x --accuracy y'
expect 0 "*./heed exercise*--hint*" "" exercise 7 --help
expect 0 "*./heed test*--faults*" "" test --full -h
if [ -e "$box/build" ]; then echo "FAIL  --version: builds nothing"; failed=1; fi
expect 2 "" "heed: there is no command \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\"; ./heed help*" \
  "$(head -c 3000 /dev/zero | tr '\0' x)"  # at once, although the distance to a long command takes long to compute
expect 2 "" "heed: there is no command \"tr?[[]2Jain\"; the nearest is *" $'tr\e[2Jain'
expect 2 "" "heed: there is no command \"scoer\"; the nearest is ./heed score,*" scoer
expect 2 "" "*the nearest is ./heed test*" translate
expect 2 "" "list takes no options; got \"-x\"" list -x
expect 0 "07  demo *  Demo: one idea, measured" "" list
expect 7 "$box/else where|a b|\*typed" "*building*" score "a b" '*'
expect 7 "$box/else wheretyped" "" score
expect 7 "$box/else where|--hyp|--version*" "" score --hyp --version
expect 7 "$box/else where|--version=3*" "" score --version=3
expect 7 "$box/else where|x --mine y*" "" score 'x --mine y'
expect 0 "alone" "*" bench
mkdir "$box/peer"
touch "$box/peer/peer.h"
expect 0 "with peer" "*" bench
expect 2 "" "run: there is no lesson \"99\"; there are: 07_demo " run 99
expect 2 "" "run: which lesson*" run
expect 0 "" "*" run 7
expect 2 "" "" run demo --quick --no-ask
expect 0 "07  demo *built *" "" list
expect 0 "*1 passed, 0 failed" "*" run --all
expect 1 "*0 passed, 1 failed" "*" run --all --quick
expect 0 "[[]]" "" exercise --all --grade --json
for options in --all --grade "--all --grade" "7 --grade" "7 1 --all"; do
  # shellcheck disable=SC2086  # words
  expect 0 "" "exercise: nothing* in work/ yet; ./heed exercise * begins *" exercise $options
done
expect 2 "" "exercise: --json needs a lesson, or --all; got neither" exercise --json
for one in hint solution; do
  expect 2 "" "exercise: --json prints grades; got --$one as well" exercise 7 1 --$one --json
  for other in hint solution grade all; do
    [ $one = $other ] || expect 2 "" "exercise: one of *; got --* and --*" exercise 7 1 --$one --$other
    [ $one = $other ] || expect 2 "" "exercise: one of *; got --* and --*" exercise 7 --$other --json --$one
  done
done
expect 0 "hint 1: one and one" "*" exercise 7 --hint
expect 0 "hint 2: one and one" "*" exercise 7 --hint
expect 2 "" 'exercise: one lesson and one number; got "2" as well' exercise 7 1 2
expect 2 "" 'exercise: one lesson and one number; got "1" as well' exercise 7.1 1
if command -v flock >/dev/null; then  # one build at a time
  flock "$box/build/release/heed.lock" sleep 2 &
  sleep 0.5
  expect 0 "*" "heed: another build is at work; waiting for its end*" run 7
  wait
fi
expect 0 "./heed exercise 07 1   two" "" exercise
# The task is in the terminal as long as the gap is as it was, and at the head of the learner's file.
task=$'The task.\n\n  two() is 2\n\nan open gap\nNot yet: two is 0.'
expect 1 "$task" "copied to work/07_demo/1_two.cpp*" exercise 07 1
expect 1 "$task" "" exercise demo
[ "$(head -n 4 "$box/work/07_demo/1_two.cpp")" = $'// The task.\n//\n//   two() is 2' ] || { echo "FAIL the task is not at the head"; failed=1; }
expect 0 "./heed exercise 07 1   two *begun    work/07_demo/1_two.cpp*solved: 0 of 1; lesson 07 0 of 1" "" exercise
expect 1 '[[]'$'\n''{"id":"07.1","status":"by program","hints":2}'$'\n'']' "" exercise --all --grade --json
expect 0 "// tutorials/07_demo/exercises/1_two.cpp*return 2;*" "" exercise 07 1 --solution
expect 2 "" "exercise: there is no exercise 07 3*" exercise 07 3
sed -i.old 's/return 0; }  /return; }  /' "$box/work/07_demo/1_two.cpp"
expect 1 "*error*Not yet: work/07_demo/1_two.cpp does not compile." "*" exercise 07 1
expect 1 '[[]'$'\n''{"id":"07.1","lesson":"07","exercise":1,*"status":"does not compile"*"mistake":null,"hints":2}'$'\n'']' "*" exercise 07.1 --json
sed 's/return 2; }/__builtin_trap(); }/' "$lesson/exercises/1_two.cpp" >"$box/work/07_demo/1_two.cpp"
expect 1 "Not yet: work/07_demo/1_two.cpp crashed." "*" exercise 07 1
cp "$lesson/exercises/1_two.cpp" "$box/work/07_demo/1_two.cpp"
expect 0 "Solved." "*" exercise 07 1
expect 0 "./heed exercise 07 1   two *solved   work/07_demo/1_two.cpp*solved: 1 of 1; lesson 07 1 of 1" "" exercise
echo '// changed since' >>"$box/work/07_demo/1_two.cpp"
expect 0 "*begun    work/*solved: 0 of 1*" "" exercise
expect 0 "Solved." "*" exercise 07 1
# The part of a demo: a function that main of heed_mine calls.
expect 2 "" "translate --mine: must be all, none or a list of two,three; got nothing" translate --mine=
expect 2 "" "translate --mine: must be all, none or a list of two,three; got \"four\"" translate --mine two,four
expect 2 "" "translate --mine: must be all, none or a list of two; got \"three\"" translate --paper transformer --mine three
expect 2 "" "generate --mine: must be all, none or a list of two; got \"three\"" generate --mine two,three
expect 1 "mine: two *07.1  not yet: work/07_demo/1_two.cpp has a main of its own*mine: three *07.2  not yet: there is no work/07_demo/2_three.cpp; ./heed exercise 07 2 *" "" translate --mine all
cat >"$box/tutorials/app/mine/main.cpp" <<'END'
#include <cstdio>
int two();
int main(int argc, char** argv) { return std::printf("%s %s %d", argv[1], argv[argc - 1], two()), two() == 2 ? 0 : 1; }
END
echo 'int two() { return 1; }' >"$box/work/07_demo/1_two.cpp"
expect 1 "--mine --check 1" "*" translate --mine two --check
echo 'int two() { return; }' >"$box/work/07_demo/1_two.cpp"
expect 1 "*error:*mine: two *07.1  not yet: work/07_demo/1_two.cpp does not compile" "*" translate --mine=two
echo 'int two() { __builtin_trap(); }' >"$box/work/07_demo/1_two.cpp"
expect 1 "" "*mine: the program crashed*" translate --mine two
echo 'int three() { return 2; }' >"$box/work/07_demo/1_two.cpp"
expect 1 "*undefined reference*" "*your files are linked into one program*" translate --mine two
echo 'int two() { return 2; }' >"$box/work/07_demo/1_two.cpp"
expect 0 "--mine two 2" "*" translate --mine two
expect 0 "--mine two 2" "*" translate --mine  # those that have been begun
expect 0 "--mine --quick 2" "*" translate --mine --quick
expect 0 "generate two 2" "*" generate --mine
expect 0 "generate the two 2" "*" generate --mine "the two"  # a text, with which it goes on
cp "$lesson/exercises/1_two.cpp" "$box/work/07_demo/1_two.cpp"
expect 0 "*cases *5 passed *0 failed * s * s left*6 passed, 0 failed" "*" test
expect 0 "*patient *7 passed, 0 failed" "*" test --faults
# What did not run must not count as passed. A ctest that says what is in the file `said`:
mkdir "$box/ctest"
# shellcheck disable=SC2016  # $* and $@ are those of the program
printf '#!/bin/sh\ncase " $* " in *" -V "*) cat "%s/said" ;; *) exec "%s" "$@" ;; esac\n' "$box" "$(command -v ctest)" >"$box/ctest/ctest"
chmod +x "$box/ctest/ctest"
says() { printf '%s\n' "${@:4}" >"$box/said"; PATH=$box/ctest:$PATH expect "${@:1:3}" test; }
says 0 "*2 passed, 0 failed" "*" "1/2 Test #1: fine ...   Passed   0.01 sec" "2/2 Test #2: cases ...   Passed   0.01 sec"
says 1 "*1 passed, 1 failed" "*1 tests have no result*" "1/2 Test #1: fine ...   Passed   0.01 sec"
says 1 "*0 passed, 1 failed" "*ran no test*" "1/2 Test #1: fine ...***Skipped   0.01 sec" "2/2 Test #2: cases ...***Skipped   0.01 sec"
says 1 "*1 passed, 1 failed" "*" "2: [doctest] test cases:  0 |  0 passed | 0 failed | 7 skipped" \
  "1/2 Test #1: fine ...   Passed   0.01 sec" "2/2 Test #2: cases ...   Passed   0.01 sec"
expect 0 "*./heed test*--faults*" "" test --help
expect 2 "" "test: options are *--faults*got \"--ful\"" test --ful
expect 2 "" "test: options are *got \"--fault\"" test --fault
expect 1 "exp 1.06 ulp" "*" test --accuracy
expect 2 "" "test: --accuracy prints one table and takes no other option; got \"--full --accuracy\"" test --full --accuracy
expect 2 "" "test: --fuzz needs the seconds *got \"\"" test --fuzz
expect 2 "" "test: --fuzz needs the seconds *got \"0\"" test --fuzz 0
expect 2 "" "test: --fuzz needs the seconds *got \"1m\"" test --fuzz 1m
expect 2 "" "test: --fuzz SECONDS is a test of its own*" test --full --fuzz 1
path=$PATH
PATH=$box/clang:$PATH
expect 2 "" "test --fuzz needs Clang *libclang-rt-14-dev" test --fuzz 1
touch "$box/runtime"
expect 0 "good *12 executions *3 a second *4 new inputs *0 findings*1 passed, 0 failed" "*" test --fuzz 1
mkdir "$box/tests/fuzz/corpus/bad"
expect 1 "bad *1 findings*broken: a rule*found: $box/build/clang/findings/bad/crash-1*again: $box/build/clang/bin/fuzz_bad $box/*crash-1*1 passed, 1 failed" "*" test --fuzz 1
PATH=$path
# Output that cannot be written is one sentence, with every command that prints by itself. A reader that stops is none.
full() {
  expect 2 "" "write: cannot write to standard output: No space left on device" "$@"
}
if [ -w /dev/full ]; then
  to=/dev/full
  full
  full help
  full --help
  full -V
  full --version
  full score --version
  full test --help
  full run --help
  full list
  full exercise
  expect 2 "" "heed: building *: 2 steps"$'\n'"write: cannot write to standard output: *" exercise --all --grade --json
  full exercise 7 1 --solution
  full run --all
  expect 2 "" "heed: 2 tests, about 1 s"$'\n'"write: cannot write to standard output: No space left on device" test
  to=
fi
"$box/heed" help | head -n 1 >/dev/null
case ${PIPESTATUS[0]} in 0|141) ;; *) echo "FAIL  help, read in part"; failed=1 ;; esac
touch "$box/break"
touch "$box/CMakeLists.txt"
expect 1 "*off *skipped: no such thing here*6 passed, 1 failed" \
  "*heed: * tests, about * s*heed: the first case that fails, broken: the second"$'\n'"  x.cpp:7: ERROR: CHECK failed*" test
echo 'int main( {' >"$lesson/main.cpp"
expect 3 "" "*error*the build failed*" run 07
expect 0 "" "removed build/*" clean
if [ -e "$box/build" ] || [ ! -f "$box/work/07_demo/1_two.cpp" ]; then echo "FAIL  clean: build/ goes, work/ stays"; failed=1; fi
# Under mpirun nothing is built: the program is there and up to date, or rank 0 says that it is not.
export OMPI_COMM_WORLD_RANK=0
expect 3 "" "heed: several processes *heed_score is not there; hint: ./heed score --help builds it" score
if [ -e "$box/build" ]; then echo "FAIL  under mpirun something was built"; failed=1; fi
(unset OMPI_COMM_WORLD_RANK && "$box/heed" score <"$box/input" >"$box/out" 2>/dev/null)
expect 7 "*typed" "" score
echo '// newer' >>"$box/tutorials/app/score.cpp"
expect 3 "" "heed: several processes *heed_score is older than its sources; *" score
exit "$failed"
