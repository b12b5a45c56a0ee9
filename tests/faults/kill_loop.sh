#!/usr/bin/env bash
# Kills (SIGKILL) a training run at the nth flush or rename of a file, then kills its --resume too. The next --resume must
# end with the same bits as an undisturbed run. Where the system has namespaces, every process has the same process
# number, as in containers. $1: heed, $2: the library fail_nth. Tries five flushes and five renames in four epochs; with
# --all every one in ten epochs.
set -u
# shellcheck source=tests/faults/faults.sh
. "$(dirname "$0")/faults.sh"
begin "$@"
most=5 epochs=4
[ -z "$all" ] || most=1500 epochs=10
debris=0 kills=0

LD_PRELOAD=$library "$heed" score --help >/dev/null 2>err || skip "the library does not load here: $(head -n 1 err)"
# shellcheck disable=SC2016  # $@ is that of sh, which is process 1 and therefore not killed itself
alone=(unshare --pid --fork sh -c '"$@"; exit $?' sh)
[ "$(id -u)" = 0 ] || alone=(unshare --user --map-root-user "${alone[@]:1}")
"${alone[@]}" true 2>/dev/null || { alone=(); echo 'no namespaces here: process numbers do not repeat'; }

"$heed" train "${small[@]}" --max-epochs $epochs --out straight >/dev/null 2>err || miss "a training: $(tail -n 1 err)"
# shellcheck disable=SC2046  # numbers
models kept $(seq $epochs)

killed() {  # WHAT CALL AT ARGUMENTS...
  local what=$1 call=$2 at=$3 code=0
  shift 3
  { HEED_FAULT_CALL=$call HEED_FAULT_AT=$at HEED_FAULT_FOR=kill timeout 20 ${alone[@]+"${alone[@]}"} \
    env LD_PRELOAD="$library" "$heed" train "$@" --max-epochs $epochs --out run >out.txt 2>err.txt </dev/null; } 2>/dev/null || code=$?
  case $code in
    137) kills=$((kills + 1)) ;;
    0) ;;  # a resumed run may make fewer calls, and is then not killed
    *) miss "$what: exit $code, $(tail -n 1 err.txt)" ;;
  esac
  [ ! -d run ] || whole "$what" run kept
}

shape() { if [ -e run/config.json ]; then again=(--resume --threads 1); else again=("${small[@]}"); fi; }

for call in sync rename; do
  rm -rf run
  n=$(calls $call "$heed" train "${small[@]}" --max-epochs $epochs --out run)
  for at in $(spread "$n" "$most"); do
    what="kill at $call $at"
    tried=$((tried + 1))
    rm -rf run
    killed "$what" $call "$at" "${small[@]}"
    shape
    killed "$what, and again" sync $((1 + at % 8)) "${again[@]}"
    shape
    "$heed" train "${again[@]}" --max-epochs $epochs --out run >out.txt 2>err.txt </dev/null || miss "$what: exit $?, $(tail -n 1 err.txt)"
    same "$what" straight run
    for file in run/.heed-*; do [ ! -e "$file" ] || miss "$what: $file is left"; done
  done
  printf '%-7s %d calls in %d epochs\n' $call "$n" $epochs
done
[ "$kills" -ge "$tried" ] || miss "only $kills kills in $tried trainings"

printf '%d kills in %d trainings; %d temporary files were left for the next run to delete\n' "$kills" "$tried" "$debris"
finish
