# shellcheck shell=bash disable=SC2034  # what the scripts that source this use
# What the fault tests share: a corpus, the options of a tiny training run, and checks of a run that was disturbed.
# Usage: . faults.sh; begin "$@"     with the arguments HEED [LIBRARY [LESSON]] [--all]. begin sets $heed, $library, $lesson
# and $all, and changes to a new temporary folder. The environment variable HEED_EXHAUSTIVE has the effect of --all.
begin() {
  heed=$1 library="" lesson="" all=${HEED_EXHAUSTIVE:-}
  shift
  for argument; do
    case $argument in --all) all=1 ;; *) if [ -z "$library" ]; then library=$argument; else lesson=$argument; fi ;; esac
  done
  # In memory if possible, because flushing files to a disk would take most of the time.
  if [ -w /dev/shm ]; then dir=$(mktemp -d -p /dev/shm); else dir=$(mktemp -d); fi
  trap 'rm -rf "$dir"' EXIT
  cd "$dir" || exit 3
  chmod 755 .
  export LC_ALL=C NO_COLOR=1
  failures=0 tried=0
  local i
  for i in $(seq 24); do printf 'a b %s\tc d %s\n' $((i % 7)) $((i % 5)); done >pairs.tsv
  # The caller may set width.
  small=(--pairs pairs.tsv --preset rnn-fixed --hidden "${width:-4}" --embedding "${width:-4}" --min-frequency 1 --schedule noam --log-every 1 --threads 1)
}

skip() { echo "skipped: $*"; exit 77; }
# Prints at most 40 lines: a fault that shows at every n would print a line for each.
miss() {
  failures=$((failures + 1))
  [ "$failures" -gt 40 ] || printf 'MISS %s\n' "$*"
}
finish() {
  printf '%d missed\n' "$failures"
  [ "$failures" = 0 ]
  exit
}

# disturbed CALL AT once|good|kill COMMAND...: runs the command for at most 20 s with the library loaded. The call number
# AT of that kind fails (once), or it and all later ones (good, "for good"), or the process is killed there.
disturbed() {
  local call=$1 at=$2 how=$3 error=28  # ENOSPC
  shift 3
  case $call in read | sync) error=5 ;; open) error=24 ;; esac  # EIO, EMFILE
  timeout 20 env HEED_FAULT_CALL="$call" HEED_FAULT_AT="$at" HEED_FAULT_FOR="$how" HEED_FAULT_ERRNO=$error LD_PRELOAD="$library" "$@"
}

# calls KIND COMMAND...: how many calls of that kind it makes
calls() {
  local kind=$1
  shift
  HEED_FAULT_COUNT=counts LD_PRELOAD=$library "$@" </dev/null >/dev/null 2>&1 || return 1
  sed -n "s/^$kind //p" counts
}

# spread COUNT MOST: the numbers 1 to COUNT; if there are more than MOST, only MOST of them, from the first to the last
# and evenly spaced
spread() { awk -v n="$1" -v most="$2" 'BEGIN { if (n < most) most = n
  for (i = 0; i < most; ++i) print 1 + (most > 1 ? int(i * (n - 1) / (most - 1)) : 0) }'; }

timeless() { sed -E 's/"(seconds|tokens_per_second)":[^,}]*//g' "$1"; }

# same WHAT WANTED FOUND: checks that two finished runs have the same weights, metrics and samples
same() {
  local file
  for file in model.safetensors samples.jsonl; do cmp -s "$2/$file" "$3/$file" || miss "$1: another $file"; done
  cmp -s <(timeless "$2/metrics.jsonl") <(timeless "$3/metrics.jsonl") || miss "$1: other metrics"
}

# sentences WHAT FILE: checks that besides progress, standard error has at most 3 lines and 3000 bytes in all
sentences() {
  local lines bytes
  lines=$(grep -cv '^epoch [0-9]' "$2")
  bytes=$(wc -c <"$2")
  { [ "$lines" -le 3 ] && [ "$bytes" -le 3000 ]; } || miss "$1: $lines lines, $bytes bytes on standard error: $(head -n 3 "$2")"
}

# whole WHAT FOLDER KEPT: checks that no file of the run is incomplete, and that the model is one of those in the folder
# KEPT, which has one model per epoch
whole() {
  local file model found=""
  if [ -e "$2/model.safetensors" ]; then
    for model in "$3"/*; do cmp -s "$model" "$2/model.safetensors" && found=1; done
    [ -n "$found" ] || miss "$1: model.safetensors is none that training makes"
  fi
  if [ -e "$2/config.json" ] && [ "$(tail -n 1 "$2/config.json")" != '}' ]; then miss "$1: half of config.json"; fi
  if [ -e "$2/report.html" ] && ! tail -n 3 "$2/report.html" | grep -q '</html>\|</script>'; then miss "$1: half of report.html"; fi
  for file in "$2"/.heed-*; do [ ! -e "$file" ] || debris=$((debris + 1)); done
}

# models FOLDER EPOCHS...: trains for each of these numbers of epochs, and keeps the models in FOLDER
models() {
  local folder=$1 epochs
  shift
  mkdir "$folder"
  for epochs; do
    rm -rf one
    "$heed" train "${small[@]}" --max-epochs "$epochs" --out one >/dev/null 2>err || miss "a training: $(tail -n 1 err)"
    mv one/model.safetensors "$folder/$epochs"
  done
}
