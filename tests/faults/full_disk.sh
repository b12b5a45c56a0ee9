#!/usr/bin/env bash
# Runs `train`, `translate` and `embed` on disks with different amounts of free space. Space is freed while the program
# works, or after it has ended. Each program must end within 20 s with 0, or with 2 and a sentence. Its files must be
# complete, and what it printed must be the beginning of the output. --resume on the freed disk must give the same bits as
# an undisturbed run. $1: heed; 10 amounts, with --all 100.
set -u
# shellcheck source=tests/faults/faults.sh
. "$(dirname "$0")/faults.sh"
if [ -z "${HEED_OWN_MOUNTS:-}" ]; then  # in a namespace of its own, so that the mount ends with this process
  own=(unshare --mount)
  [ "$(id -u)" = 0 ] || own=(unshare --user --map-root-user --mount)
  "${own[@]}" true 2>/dev/null || skip 'no disk of limited size can be mounted here (no namespaces)'
  HEED_OWN_MOUNTS=1 exec "${own[@]}" bash "$0" "$@"
fi
width=24
begin "$@"
levels=10 debris=0
[ -z "$all" ] || levels=100
full='No space left on device'
mkdir disk
mount -t tmpfs -o size=4m tmpfs disk 2>err || skip "no disk of limited size can be mounted here: $(cat err)"
trap 'cd / && umount "$dir/disk"; rm -rf "$dir"' EXIT

"$heed" train "${small[@]}" --max-epochs 2 --out straight >/dev/null 2>err || miss "a training: $(tail -n 1 err)"
models kept 1 2
for i in $(seq 1200); do sed -n "$((i % 24 + 1))s/	.*//p" pairs.tsv; done >in.txt
for command in translate embed; do
  "$heed" $command --model straight --threads 1 <in.txt >$command.txt 2>err || miss "$command: $(tail -n 1 err)"
done
need=$(($(du -sk straight | cut -f 1) + 32))

only() {  # KIB: empties the disk and fills it, except for KIB, rounded to pages of 4 KiB
  rm -rf disk/*
  head -c $((4096 * 1024 - $1 * 1024)) /dev/zero >disk/filler
}
ended() {  # WHAT CODE
  sentences "$1" err.txt
  case $2 in
    0) ;;
    2) grep -q "$full" err.txt || miss "$1: $(tail -n 1 err.txt)" ;;
    *) miss "$1: exit $2, $(tail -n 1 err.txt)" ;;
  esac
}
later() { (sleep "$1"; rm -f disk/filler) & }

refused=0
for i in $(seq "$levels"); do
  free=$((need * i / levels))
  for freed in after during; do
    what="train, $free KiB free, freed $freed" code=0
    tried=$((tried + 1))
    only $free
    [ $freed = after ] || later "0.0$((i % 9 + 1))"
    timeout 20 "$heed" train "${small[@]}" --max-epochs 2 --out disk/run >out.txt 2>err.txt </dev/null || code=$?
    wait
    ended "$what" $code
    [ $code = 0 ] || refused=$((refused + 1))
    [ ! -d disk/run ] || whole "$what" disk/run kept
    rm -f disk/filler
    again=("${small[@]}")
    [ ! -e disk/run/config.json ] || again=(--resume --threads 1)
    timeout 20 "$heed" train "${again[@]}" --max-epochs 2 --out disk/run >out.txt 2>err.txt </dev/null || miss "$what, again: exit $?, $(tail -n 1 err.txt)"
    same "$what" straight disk/run
    for file in disk/run/.heed-*; do [ ! -e "$file" ] || miss "$what: $file is left"; done
  done

  # With `during`, the disk is freed after half of the input.
  for command in translate embed; do
    free=$(($(wc -c <$command.txt) * i / levels / 1024))
    for freed in after during; do
      what="$command, $free KiB free, freed $freed" code=0
      tried=$((tried + 1))
      only $free
      if [ $freed = during ]; then { head -n 600 in.txt; sleep 0.05; rm -f disk/filler; tail -n 600 in.txt; } else cat in.txt; fi |
        timeout 20 "$heed" $command --model straight --threads 1 >disk/out.txt 2>err.txt || code=$?
      ended "$what" $code
      [ $code = 0 ] || refused=$((refused + 1))
      cmp -s disk/out.txt <(head -c "$(wc -c <disk/out.txt)" $command.txt) || miss "$what: not the beginning of the output"
      [ $code != 0 ] || cmp -s disk/out.txt $command.txt || miss "$what: exit 0 with a part of the output"
    done
  done
done
[ "$refused" -gt "$levels" ] || miss "only $refused of $tried found no room"

printf '%d full disks, %d of which stopped the program\n' "$tried" "$refused"
finish
