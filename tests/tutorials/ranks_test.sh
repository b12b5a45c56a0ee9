#!/usr/bin/env bash
# heed train under mpirun: the curve of one process with two and with four ranks, sharded and not; what is refused at the
# start, by one rank; a rank that is killed ends the job within seconds, and the run goes on with another number of
# ranks; Ctrl-C saves once. The arguments are the program and mpirun.
heed=$1 mpirun=$2
# shellcheck source-path=SCRIPTDIR source=own_folder.sh
. "$(dirname "$0")/own_folder.sh"
RANDOM=7
# Root may start jobs, there are fewer cores than ranks, and no rank keeps a core to itself (Open MPI; others ignore it).
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_orte_base_help_aggregate=1

now() { echo $(($(date +%s%N) / 1000000)); }
sentences 410 1 train
sentences 30 2 valid
files=(--src train.s --tgt train.t --valid-src valid.s --valid-tgt valid.t)
small=(train "${files[@]}" --threads 1 --paper transformer --layers 1 --width 16 --heads 2 --inner 24 --activation gelu
  --dropout 0.2 --batch-size 16 --learning-rate 0.01 --warmup 20 --label-smoothing 0.1 --log-every 1 --measure bleu)

# numbers RUN: what a step and an epoch have in metrics.jsonl beside clocks, a number a line
numbers() { grep -oE '"(step|loss|train_loss|valid_loss|bleu)":[-+.0-9e]+' "$1/metrics.jsonl" | cut -d : -f 2; }
# same_curve A B BOUND WHAT: no number of a run is further from that of the other
same_curve() {
  paste <(numbers "$1") <(numbers "$2") | awk -v bound="$3" -v what="$4" '
    NF != 2 { bad = 1 } { d = $1 - $2; if (d < 0) d = -d; if (d > worst) worst = d }
    END { printf "%s: largest difference %.2g over %d numbers\n", what, worst, NR; exit bad || NR < 20 || worst > bound }' ||
    miss "$2: another curve than $1"
}

# --- one curve
"$heed" "${small[@]}" --max-epochs 5 --out one >/dev/null 2>err.txt || miss "one process: $(tail -n 1 err.txt)"
for job in "2" "2 --shard" "4 --accumulate 1"; do
  read -ra words <<<"$job"
  out=ranks_${#job}
  "$mpirun" -n "${words[0]}" "$heed" "${small[@]}" --max-epochs 5 "${words[@]:1}" --out "$out" >out.txt 2>err.txt ||
    miss "$job ranks: exit $? $(tail -n 3 err.txt)"
  same_curve one "$out" 1e-5 "$job ranks"
  [ "$(grep -c 'validation perplexity' out.txt)" = 1 ] || miss "$job ranks: not one result"
  grep -q '^most memory by rank .*MB, .*MB' out.txt || miss "$job ranks: no memory by rank"
done

# --- published models: a decoder and an encoder from nothing, with smooth functions
cut -d ' ' -f 1-4 train.s train.t >text.txt
for kind in llama bert; do
  tune=(train --new "$kind" --text text.txt --threads 1 --max-epochs 4 --log-every 1 --width 16 --layers 1 --heads 2)
  "$heed" "${tune[@]}" --out "$kind" >/dev/null 2>err.txt || miss "$kind: $(tail -n 1 err.txt)"
  "$mpirun" -n 2 "$heed" "${tune[@]}" --out "$kind.2" >out.txt 2>err.txt || miss "$kind, 2 ranks: exit $? $(tail -n 3 err.txt)"
  [ "$(grep -c '^validation perplexity' out.txt)" = 1 ] || miss "$kind, 2 ranks: not one result"
  same_curve "$kind/training" "$kind.2/training" 1e-5 "$kind, 2 ranks"
done

# --- refused at the start, in one sentence
refused() {  # WHAT PATTERN: of the last job, in err.txt
  [ "$(grep -c "$2" err.txt)" = 1 ] || miss "$1: not one sentence: $(head -n 3 err.txt)"
  [ ! -e refused/config.json ] || miss "$1: a configuration was written"
}
"$mpirun" -n 1 "$heed" "${small[@]}" --out refused : -n 1 "$heed" "${small[@]}" --seed 2 --out refused >/dev/null 2>err.txt &&
  miss "other options were taken"
refused options 'ranks: all must have the same options; got another than rank 0.s on rank 1 ('
{ cat "$heed"; echo; } >other && chmod +x other
"$mpirun" -n 2 "$heed" "${small[@]}" --out refused : -n 1 ./other "${small[@]}" --out refused >/dev/null 2>err.txt &&
  miss "another program was taken"
refused program 'ranks: all must have the same program; got another than rank 0.s on rank 2 ('
"$mpirun" -n 3 "$heed" train --pairs none.tsv --out refused >/dev/null 2>err.txt && miss "a missing file was taken"
refused "a missing file" 'none.tsv'
"$mpirun" -n 3 "$heed" train --pairs none.tsv --out refused --layers x >/dev/null 2>err.txt && miss "--layers x was taken"
refused "--layers x" 'layers'

# --- a rank that is killed
hydra() { grep -q HYDRA <<<"$("$mpirun" --version)"; }  # MPICH's launcher
running() {  # the processes of all ranks, on whichever host
  local process
  for process in $(pgrep -x "$(basename "$heed" | cut -c 1-15)"); do
    [ "$(readlink "/proc/$process/cwd")" != "$PWD" ] || echo "$process"
  done
}
long=("${small[@]}" --max-epochs 24 --save-minutes 0.0005)
"$heed" "${long[@]}" --out straight >/dev/null 2>err.txt || miss "straight: $(tail -n 1 err.txt)"
ranks=2 kills=0 tries=0 most=${KILLS:-3}
"$mpirun" -n 2 "$heed" "${long[@]}" --out killed >err.txt 2>&1 &
job=$!
for _ in $(seq 200); do [ ! -s killed/last.safetensors ] || break; sleep 0.05; done
while [ "$kills" -lt "$most" ] && [ "$tries" -lt 40 ]; do
  tries=$((tries + 1))
  sleep "$(awk -v r="$RANDOM" 'BEGIN { print 0.2 + r / 32767 / 3 }')"
  kill -0 "$job" 2>/dev/null || break
  ! hydra || grep -q 'rank 0 is process' err.txt || continue
  victim=$(running | sed -n "$((1 + RANDOM % ranks))p")
  [ -n "$victim" ] || continue
  kill -KILL "$victim" 2>/dev/null || continue
  begin=$(now)
  wait "$job" && miss "a job without a rank succeeded"
  [ $(($(now) - begin)) -lt 30000 ] || miss "a job without a rank went on for $(($(now) - begin)) ms"
  # MPICH's launcher names the process, and heed which rank that is.
  process=$(sed -nE "s/^.* PID ([0-9]+) RUNNING AT.*/\1/p" err.txt | head -n 1)
  grep -qE "rank [0-9]+ (.*(signal 9|Killed)|is process ${process:-none} on )" err.txt || miss "nobody named the rank: $(tail -n 5 err.txt)"
  kills=$((kills + 1)) ranks=$((2 + kills % 3))
  shard=(--resume)
  [ $((kills % 2)) = 0 ] || shard=(--resume --shard)
  "$mpirun" -n "$ranks" "$heed" train --threads 1 --out killed "${shard[@]}" >err.txt 2>&1 &
  job=$!
done
wait "$job" || miss "the run that was killed: exit $? $(tail -n 3 err.txt)"
# Another number of ranks adds up in another order, and training makes of that what two orders on one machine become.
sed -i -E 's/"bleu":[^,}]*/"bleu":0/' straight/metrics.jsonl killed/metrics.jsonl
same_curve straight killed 1e-2 "killed $kills times"
[ "$kills" -gt 1 ] || miss "only $kills kills"

# --- Ctrl-C
"$mpirun" -n 2 "$heed" "${small[@]}" --max-epochs 500 --out stopped >/dev/null 2>err.txt &
job=$!
for _ in $(seq 100); do [ ! -s stopped/metrics.jsonl ] || break; sleep 0.1; done
kill -INT "$job"
wait "$job" && ! hydra && miss "a job that was stopped succeeded"  # MPICH's says nothing
[ "$(grep -c 'interrupted: saved at step' err.txt)" = 1 ] || miss "Ctrl-C: not saved once: $(tail -n 3 err.txt)"
"$heed" train --out stopped --resume --max-minutes 0.001 >/dev/null 2>err.txt || miss "after Ctrl-C: $(tail -n 1 err.txt)"
grep -q 'going on at step' err.txt || miss "after Ctrl-C: no step"

printf '%d missed\n' "$failures"
[ "$failures" = 0 ]
