#!/usr/bin/env bash
# run.sh SECONDS [READER...]: runs the fuzz targets of these readers, or of all, each for SECONDS.
# The corpus of a target is kept in build/fuzz/corpus/READER; an input that fails is written to
# build/fuzz/found/ and its name is printed.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
seconds="${1:?expected SECONDS}"
shift
readers=("$@")
if ((${#readers[@]} == 0)); then
  readers=(scenario cluster transport model gpu published result nccl_tests osu hwloc nvidia_smi nccl_xml
    ibnetdiscover slurm)
fi

# The folders with seed inputs: of the catalogue, or tests/fuzz/seeds.
seeds_of() {
  case "$1" in
    scenario) echo scenarios scenarios/training ;;
    cluster | transport | model | gpu) echo "scenarios/$1s" ;;
    published) echo scenarios/published ;;
    *) echo "tests/fuzz/seeds/$1" ;;
  esac
}

mkdir -p build/fuzz/found
# Every word of the catalogue and the seeds, for libFuzzer to insert.
grep -rhoE --include='*.yaml' --include='*.json' --include='*.xml' '[A-Za-z_]{3,24}' scenarios tests/fuzz/seeds |
  sort | uniq -c | awk '$1 > 3 { printf "\"%s\"\n", $2 }' > build/fuzz/words.dict

failed=0
for reader in "${readers[@]}"; do
  corpus="build/fuzz/corpus/$reader"
  log="build/fuzz/$reader.log"
  mkdir -p "$corpus"
  # Only files: libFuzzer would descend into folders.
  for folder in $(seeds_of "$reader"); do
    find "$folder" -maxdepth 1 -type f -size -16k -exec cp -t "$corpus" {} +
  done
  # Fails after 5 s, or for an allocation of 500 MB.
  if "build/fuzz/bin/fuzz_$reader" -max_total_time="$seconds" -max_len=16384 -timeout=5 \
    -malloc_limit_mb=500 -rss_limit_mb=2048 -dict=build/fuzz/words.dict -print_final_stats=1 \
    -artifact_prefix="build/fuzz/found/$reader-" "$corpus" > "$log" 2>&1; then
    echo "$reader: $(sed -n 's/stat::number_of_executed_units: *//p' "$log") runs"
  else
    grep -E 'ERROR|SUMMARY|Test unit written' "$log" | sed "s/^/$reader: /"
    failed=1
  fi
done
exit "$failed"
