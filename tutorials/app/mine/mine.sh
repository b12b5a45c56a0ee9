# shellcheck shell=bash disable=SC2154  # top, preset, log, build, refuse, say, out and try_build are those of ./heed, which sources this
# ./heed translate --mine PARTS: builds the translator with the learner's functions (work/NN_name/K_name.cpp), and runs
# it. parts.txt lists the parts and the exercise of each.

mine_rows() { grep -v '^#' "$top/tutorials/app/mine/parts.txt"; }

# Prints one line about a part that cannot be used: NAME LESSON EXERCISE SENTENCE
mine_not_yet() {
  out 'mine: %-16s %s.%s  not yet: %s\n' "$1" "${2%%_*}" "${3%%_*}" "$4"
}

cmd_mine() {
  local word previous="" list="" names="" name lesson exercise file missing="" help="" code=0 binary
  for word; do
    case $word in
      --mine=*) list=${word#*=} ;;
      --help|-h) help=1 ;;
      *) [ "$previous" != --mine ] || list=$word ;;
    esac
    previous=$word
  done
  if [ -n "$help" ]; then
    build heed_mine_gaps
    exec "$top/build/$preset/bin/heed_mine_gaps" --help
  fi
  while read -r name lesson exercise; do names="$names$name,"; done < <(mine_rows)
  names=${names%,}
  case $list in ""|-*) refuse "translate --mine: needs all or a list of $names" ;; esac
  [ "$list" != all ] || list=$names
  for word in ${list//,/ }; do
    case ",$names," in *",$word,"*) ;; *) refuse "translate --mine: must be all or a list of $names; got \"$word\"" ;; esac
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
  done < <(mine_rows)
  [ -z "$missing" ] || exit 1
  mine_configure "$list"
  if ! try_build heed_mine; then
    while read -r name lesson exercise; do
      grep -qF "FAILED: CMakeFiles/heed_mine.dir/work/$lesson/$exercise.cpp" "$log" || continue
      out '%s\n' "$(grep -E -A 3 "work/$lesson/$exercise.cpp.*error:" "$log" | sed -e 's|^[.][.]/[.][.]/||' -e '/^ninja:/d' | head -n 12 | cut -c 1-240)"
      mine_not_yet "$name" "$lesson" "$exercise" "work/$lesson/$exercise.cpp does not compile"
      missing=1
    done < <(mine_rows)
    if grep -qE 'multiple definition|undefined reference' "$log"; then
      out '%s\n' "$(grep -E 'multiple definition|undefined reference' "$log" | cut -c 1-240 | head -n 4)"
      say "mine: your files are linked into one program: each must define its function, and other functions need different names or static"
      missing=1
    fi
    [ -z "$missing" ] || exit 1
    build_failed
  fi
  binary="$top/build/$preset/bin/heed_mine"
  "$binary" "$@" || code=$?
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
