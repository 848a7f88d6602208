#!/usr/bin/env bash
# From a fresh checkout to a first prediction and its picture. Quick when run again.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
source cmake/packages.sh

need_packages "${build_packages[@]}"

# Without the tests: check.sh adds them to the same folder, and nothing is built twice.
cmake --preset release -DRINGCAST_TESTS=OFF
cmake --build --preset release --parallel "$(nproc)"

mkdir -p results
build/release/bin/ringcast predict scenarios/baidu-40gpu.yaml --output results/baidu-40gpu.json
build/release/bin/ringcast plot results/baidu-40gpu.json --output results/baidu-40gpu.png

echo
echo "numbers: $PWD/results/baidu-40gpu.json"
echo "picture: $PWD/results/baidu-40gpu.png"
