# shellcheck shell=bash disable=SC2154  # top, preset, log, build, refuse, say, out and try_build are those of ./heed, which sources this
# ./heed translate --mine [PARTS] and ./heed generate --mine [PARTS]: builds the model with the learner's functions
# (work/NN_name/K_name.cpp), and runs it. Without PARTS: with those that the learner has begun. parts.inc lists the
# parts, the exercise of each, and the models that have it.

# mine_rows USE: NAME LESSON EXERCISE of the parts of the model r, t or g.
mine_rows() {
  local name lesson exercise uses
  while read -r name lesson exercise uses; do
    case $uses in *"$1"*) printf '%s %s %s\n' "$name" "$lesson" "$exercise" ;; esac
  done < <(sed -n 's/[{}",]//gp' "$top/tutorials/app/mine/parts.inc" | grep -v '^//')
}

# Prints one line about a part that cannot be used: NAME LESSON EXERCISE SENTENCE
mine_not_yet() {
  out 'mine: %-16s %s.%s  not yet: %s\n' "$1" "${2%%_*}" "${3%%_*}" "$4"
}

# Whether the learner has made something of the gap: LESSON EXERCISE
mine_begun() {
  local file="$top/work/$1/$2.cpp"
  [ -f "$file" ] && ! grep -q '^int main(' "$file" &&
    ! awk -f "$top/tutorials/common/cut.awk" "$top/tutorials/$1/exercises/$2.cpp" | cmp -s - "$file"
}

# mine_is_list COMMAND WORD: whether the word after --mine is a list of parts, and not the text that generate goes on with.
mine_is_list() {
  case $2 in ""|-*) return 1 ;; all|none) return 0 ;; esac
  [ "$1" = translate ] || case ",$names," in *",${2%%,*},"*) ;; *) return 1 ;; esac
}

# cmd_mine translate|generate OPTION..
cmd_mine() {
  local command=$1 word previous="" list="" given="" names="" use=r name lesson exercise file missing="" code=0 binary
  local -a rest=() run=()
  shift
  for word; do
    case $previous=$word in --paper=transformer|*=--paper=transformer) use=t ;; esac
    previous=$word
  done
  if [ "$command" = generate ]; then use=g run=(generate); fi
  while read -r name lesson exercise; do names="$names$name,"; done < <(mine_rows "$use")
  names=${names%,}
  previous=""
  for word; do
    if [ "$previous" = --mine ] && [ -z "$given" ] && mine_is_list "$command" "$word"; then list=$word given=1; previous=$word; continue; fi
    case $word in
      --mine=*) list=${word#*=} given=1 ;;
      --mine) ;;
      --help|-h)
        build heed_mine_gaps
        exec "$top/build/$preset/bin/heed_mine_gaps" "${run[@]}" --help ;;
      *) rest+=("$word") ;;
    esac
    previous=$word
  done
  if [ -z "$given" ]; then
    while read -r name lesson exercise; do
      if mine_begun "$lesson" "$exercise"; then list="$list${list:+,}$name"; fi
    done < <(mine_rows "$use")
    list=${list:-none}
  fi
  case $list in "") refuse "$command --mine: must be all, none or a list of $names; got nothing" ;; all) list=$names ;; esac
  for word in ${list//,/ }; do
    case ",$names,none," in *",$word,"*) ;; *) refuse "$command --mine: must be all, none or a list of $names; got \"$word\"" ;; esac
  done
  while read -r name lesson exercise; do
    case ",$list," in *",$name,"*) ;; *) continue ;; esac
    file=work/$lesson/$exercise.cpp
    if [ ! -f "$top/$file" ]; then
      mine_not_yet "$name" "$lesson" "$exercise" "there is no $file; ./heed exercise ${lesson%%_*} ${exercise%%_*} copies its gap there"
      missing=1
    elif grep -q '^int main(' "$top/$file"; then
      mine_not_yet "$name" "$lesson" "$exercise" "$file has a main of its own; move it away, and ./heed exercise ${lesson%%_*} ${exercise%%_*} copies the gap anew"
      missing=1
    fi
  done < <(mine_rows "$use")
  [ -z "$missing" ] || exit 1
  mine_configure "$list"
  if ! try_build heed_mine; then
    while read -r name lesson exercise; do
      grep -qF "FAILED: CMakeFiles/heed_mine.dir/work/$lesson/$exercise.cpp" "$log" || continue
      out '%s\n' "$(grep -E -A 3 "work/$lesson/$exercise.cpp.*error:" "$log" | sed -e 's|^[.][.]/[.][.]/||' -e '/^ninja:/d' | head -n 12 | cut -c 1-240)"
      mine_not_yet "$name" "$lesson" "$exercise" "work/$lesson/$exercise.cpp does not compile"
      missing=1
    done < <(mine_rows "$use")
    if grep -qE 'multiple definition|undefined reference' "$log"; then
      out '%s\n' "$(grep -E 'multiple definition|undefined reference' "$log" | cut -c 1-240 | head -n 4)"
      say "mine: your files are linked into one program: each must define its function, and other functions need different names or static"
      missing=1
    fi
    [ -z "$missing" ] || exit 1
    build_failed
  fi
  binary="$top/build/$preset/bin/heed_mine"
  "$binary" "${run[@]}" --mine "$list" "${rest[@]}" || code=$?
  if [ "$code" -ge 128 ] && [ "$code" != 130 ]; then
    say "mine: the program crashed in the part after the last one above; ./heed exercise checks that part alone"
    code=1
  fi
  exit "$code"
}

# Tells CMake the parts, if they have changed.
mine_configure() {
  local folder="$top/build/$preset"
  try_build closure || build_failed  # configures a folder that is new, or of another tree
  grep -qx "HEED_MINE:STRING=$1" "$folder/CMakeCache.txt" ||
    cmake -DHEED_MINE="$1" "$folder" </dev/null >"$folder/heed.log" 2>&1 || { log="$folder/heed.log"; build_failed; }
}
