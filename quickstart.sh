#!/usr/bin/env bash
# Builds a fresh checkout, predicts a scenario and draws its picture.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
source cmake/packages.sh

log=build/quickstart.log

# Shows the build's `[n/m] ...` lines on a terminal, each in place of the previous one.
progress() {
  local line
  while IFS= read -r line; do
    if [[ -t 1 && "$line" == \[* ]]; then printf '\r\033[K%.79s' "$line"; fi
  done
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
}

# Runs a command with its output in the log, and shows the end of the log if the command fails.
logged() {
  if ! "$@" 2>&1 | tee -a "$log" | progress; then
    tail -n 50 "$log" >&2
    echo "quickstart.sh: $* failed after $SECONDS s (whole output: $PWD/$log)" >&2
    exit 1
  fi
}

need_packages "${build_packages[@]}"

mkdir -p build results
: > "$log"
echo "quickstart.sh: building with $(nproc) jobs (log: $log)"
# Without the tests, which check.sh adds to the same build folder.
logged cmake --preset release -DRINGCAST_TESTS=OFF
logged cmake --build --preset release --parallel "$(nproc)"
echo "quickstart.sh: built after $SECONDS s"
echo

build/release/bin/ringcast predict scenarios/baidu-40gpu.yaml --output results/baidu-40gpu.json
build/release/bin/ringcast plot results/baidu-40gpu.json --output results/baidu-40gpu.png

echo
echo "numbers: $PWD/results/baidu-40gpu.json"
echo "picture: $PWD/results/baidu-40gpu.png"
echo "quickstart.sh: done in $SECONDS s"
