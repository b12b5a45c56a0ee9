# shellcheck shell=bash disable=SC2154  # top, log, build, refuse, fail, say, tell and out are those of ./heed, which sources this
# ./heed list, run and exercise. A lesson is a folder tutorials/NN_name with a main.cpp.

lessons() {
  local main
  for main in "$top"/tutorials/[0-9][0-9]_*/main.cpp; do
    main=${main%/main.cpp}
    [ ! -f "$main/main.cpp" ] || printf '%s\n' "${main##*/}"
  done
}

# Sets $lesson to the folder name of the lesson that the user calls 2, 02, 02_derivatives or derivatives.
find_lesson() {
  for lesson in $(lessons); do
    case $lesson in "$2"|"$2"_*|"0$2"_*|[0-9][0-9]_"$2") return ;; esac
  done
  lesson=$(lessons | tr '\n' ' ')
  refuse "$1: there is no lesson \"$2\"; there are: ${lesson:-none yet}"
}

# Prints the title of a lesson's README, "# 12 · Attention: looking back at the source", without its number.
title_of() {
  local line
  read -r line <"$1"
  line=${line#\# } line=${line#[0-9][0-9] }
  printf '%s' "${line#· }"
}

cmd_list() {
  local name title built first
  for name in $(lessons); do
    title="" built=""
    [ ! -f "$top/tutorials/$name/README.md" ] || title=$(title_of "$top/tutorials/$name/README.md")
    [ ! -x "$top/build/release/bin/$name" ] || built=built
    printf -v first '%s  %-24s %-6s ' "${name%%_*}" "${name#*_}" "$built"
    tell "$first" "$title" 4
  done
}

# Ends the command with the code of a program that could not go on: its output is lost, or its input is wrong.
lost() {
  case $1 in 2|130|141) exit "$1" ;; esac
}

cmd_run() {
  local lesson code=0 passed=0 failed=0
  [ $# -gt 0 ] || refuse "run: which lesson? ./heed list shows them; ./heed run --all runs each"
  if [ "$1" != --all ]; then
    find_lesson run "$1"
    shift
    build_once "$lesson"
    exec "$top/build/release/bin/$lesson" "$@"
  fi
  shift
  build lessons
  for lesson in $(lessons); do
    out '\n== %s\n' "$lesson"
    if "$top/build/release/bin/$lesson" "$@"; then passed=$((passed + 1)); else code=$? failed=$((failed + 1)); fi
    lost "$code"
  done
  out '%d passed, %d failed\n' "$passed" "$failed"
  return "$code"
}

# --- exercises ---------------------------------------------------------------------------------------------------------
# tutorials/NN_name/exercises/K_name.cpp is a solution; cut.awk makes the file with the gap of it, in work/NN_name/, and
# the task stands at its head. That belongs to the learner and is never overwritten. It is built alone, and the program
# tells its own verdict: exit code 0 solved, 1 not yet (tutorials/common/exercise.h).
cut_gap() { awk -f "$top/tutorials/common/cut.awk" "$@"; }

# The task of an exercise: the comment at the head of its K_name.h.
task_of() { [ ! -f "$1.h" ] || awk '!/^\/\// { exit } { print }' "$1.h"; }

# What the learner begins with.
begun() {
  task_of "$1"
  [ ! -f "$1.h" ] || echo
  cut_gap "$1.cpp"
}
unedited() { begun "$1" | cmp -s - "$2" || cut_gap "$1.cpp" | cmp -s - "$2"; }

# solved_now EXERCISE WORK/NN_name/K_name: was this file, as it is now, solved with these checks? .K_name.solved says so.
state_of() { cat "$1_check.cpp" "$2.cpp" | cksum; }
solved_now() {
  local mark=${2%/*}/.${2##*/}.solved
  [ -f "$mark" ] && [ "$(cat "$mark")" = "$(state_of "$1" "$2")" ]
}
cmd_exercise() {
  local lesson="" which="" number="" mode=check json="" word source found="" graded="" grades="" code=0 wanted="" listed=0 solved=0 started=""
  for word; do
    case $word in
      --hint|--solution|--all|--grade)
        [ "$word" != --all ] || word=--grade
        [ -z "$wanted" ] || [ "$wanted" = "$word" ] || refuse "exercise: one of --hint, --solution and --grade (--all); got $wanted and $word"
        wanted=$word mode=${word#--} ;;
      --json) json=--json ;;
      [0-9]*.[0-9]*) which=${word%%.*} number=${word#*.} ;;  # 04.1, as the texts call it
      -*) refuse "exercise: options are --hint, --solution, --all, --grade and --json; got \"$word\"" ;;
      *[!0-9]*) [ -z "$which" ] || refuse "exercise: the number of an exercise is a number; got \"$word\""; which=$word ;;
      *) if [ -z "$which" ]; then which=$word
         elif [ -z "$number" ]; then number=$word
         else refuse "exercise: one lesson and one number; got \"$word\" as well"; fi ;;
    esac
  done
  if [ -n "$which" ]; then find_lesson exercise "$which"; elif [ "$mode" != grade ]; then mode=list; fi
  case $json$mode in
    --jsonlist) refuse 'exercise: --json needs a lesson, or --all; got neither' ;;
    --jsonhint|--jsonsolution) refuse "exercise: --json prints grades; got --$mode as well" ;;
  esac
  # shellcheck disable=SC2231  # the pattern is to be expanded
  for source in "$top"/tutorials/${lesson:-[0-9][0-9]_*}/exercises/${number:-[0-9]*}_*.cpp; do
    [ -f "$source" ] || continue
    case $source in *_check.cpp) continue ;; esac
    found=1
    lesson=${source%/exercises/*} lesson=${lesson##*/}
    exercise_"$mode" "$(basename "$source" .cpp)" || code=$?
  done
  [ -n "$found$json" ] || refuse "exercise: there is no exercise${which:+ $which}${number:+ $number}; ./heed exercise lists them all"
  [ -z "$started" ] || solved_by_lesson
  [ "$mode" != grade ] || [ -n "$graded$json" ] ||
    say "exercise: nothing${which:+ of lesson $which} in work/ yet; ./heed exercise ${which:-NN} begins the exercises of a lesson"
  [ -z "$json" ] || out '[%s]\n' "${grades:+${grades#,}
}"
  return "$code"
}

# In what follows: $lesson is the folder of the lesson, $1 the name of the exercise without .cpp.
exercise_list() {
  local where="" first file="work/$lesson/$1"
  listed=$((listed + 1))
  if [ -f "$top/$file.cpp" ]; then
    where="begun    $file.cpp" started=1
    if solved_now "$top/tutorials/$lesson/exercises/$1" "$top/$file"; then where="solved   $file.cpp" solved=$((solved + 1)); fi
  fi
  printf -v first './heed exercise %s %-3s ' "${lesson%%_*}" "${1%%_*}"
  if [ -n "$where" ]; then printf -v first '%s%-28s ' "$first" "${1#*_}"; tell "$first" "$where" 4
  else tell "$first" "${1#*_}" 4; fi
}

# After the list, if any exercise has been begun: how many of each lesson are solved, and of all.
solved_by_lesson() {
  local folder file name count all line=""
  for folder in "$top"/work/[0-9][0-9]_*; do
    name=${folder##*/} count=0 all=0
    for file in "$top/tutorials/$name"/exercises/*_check.cpp; do
      [ -f "$file" ] || continue
      file=${file##*/} file=${file%_check.cpp} all=$((all + 1))
      ! solved_now "$top/tutorials/$name/exercises/$file" "$top/work/$name/$file" || count=$((count + 1))
    done
    [ "$all" = 0 ] || line="$line${line:+, }${name%%_*} $count of $all"
  done
  tell '' "solved: $solved of $listed; lesson $line" 4
}

# One hint a call; work/NN_name/.K_name.hints remembers how many were given.
exercise_hint() {
  local given="$top/work/$lesson/.$1.hints" count=0
  build "exercise.$lesson.$1"
  [ ! -f "$given" ] || count=$(wc -l <"$given")
  "$top/build/release/bin/exercises/exercise.$lesson.$1" --hint $((count + 1)) || return
  mkdir -p "$top/work/$lesson" && echo "hint $((count + 1))" >>"$given"
}

exercise_solution() {
  local file="tutorials/$lesson/exercises/$1.cpp"
  out '// %s\n%s\n' "$file" "$(cut_gap -v show=1 "$top/$file")"
}

exercise_grade() {
  [ -f "$top/work/$lesson/$1.cpp" ] || return 0
  graded=1
  exercise_check "$1"
}

exercise_check() {
  local copy="work/$lesson/$1.cpp" program="$top/build/release/bin/exercises/work.$lesson.$1" status="" code=0 verdict=""
  local of="$top/tutorials/$lesson/exercises/$1" task="" open=""
  if [ ! -e "$top/$copy" ]; then
    { mkdir -p "$top/work/$lesson" && begun "$of" >"$top/$copy"; } || fail "exercise: cannot write $copy"
    say "copied to $copy: fill its gap, then give the same command again"
  fi
  if unedited "$of" "$top/$copy"; then
    open=--unedited task=$(task_of "$of" | sed -e 's|^// \{0,1\}||')
    [ "$mode" = check ] && [ -z "$json" ] || task=""
    [ -z "$task" ] || out '%s\n\n' "$task"
  fi
  if ! try_build "work.$lesson.$1"; then
    grep -qF "FAILED: CMakeFiles/work.$lesson.$1" "$log" || grep -qF "FAILED: bin/exercises" "$log" || build_failed
    [ -n "$json" ] || out '%s\n' "$(grep -E -A 3 'error:|undefined reference' "$log" | sed -e 's|^[.][.]/[.][.]/||' -e '/^ninja:/d' | head -n 12 | cut -c 1-240)"
    code=1 status="does not compile"
  elif [ -n "$json" ]; then verdict=$("$program" --json $open </dev/null | tail -n 1) || code=$?
  else "$program" $open || code=$?; fi
  lost "$code"
  [ "$code$status" != 0 ] || state_of "$of" "$top/work/$lesson/$1" >"$top/work/$lesson/.$1.solved"
  [ "$code" -le 1 ] || status="crashed"
  if [ -z "$status" ] && [ -n "$json" ]; then
    case $verdict in \{*) ;; *) status="does not end within a minute" ;; esac
  fi
  if [ -z "$status" ]; then
    [ -z "$json" ] || exercise_graded "$1" "$verdict"
  else
    code=1 verdict="$copy $status"
    exercise_graded "$1" "{\"lesson\":\"${lesson%%_*}\",\"exercise\":${1%%_*},\"title\":\"${1#*_}\",\"status\":\"$status\",\"checks\":0,\"passed\":0,\"message\":\"$verdict\",\"mistake\":null}"
    [ -n "$json" ] || out 'Not yet: %s.\n' "$verdict"
  fi
  return "$code"
}

# Adds the object of one exercise to the grades, a line of its own, with its id and the number of hints that were given.
exercise_graded() {
  local given="$top/work/$lesson/.$1.hints" count=0
  [ ! -f "$given" ] || count=$(wc -l <"$given")
  grades="$grades,
{\"id\":\"${lesson%%_*}.${1%%_*}\",${2#\{}"
  grades="${grades%\}},\"hints\":$((count))}"
}
