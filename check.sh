#!/usr/bin/env bash
# All that has to hold before a change is merged. CHECK_STAGES="format dev" runs these stages only;
# `dev` runs every test and comes last, so that its summary ends the output.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
source cmake/packages.sh

all_stages=(format tree release asan tsan tidy dev)
read -r -a stages <<< "${CHECK_STAGES:-${all_stages[*]}}"
jobs="$(nproc)"
logs=build/check
python="$(PATH="/usr/bin:$PATH" command -v python3 || true)"

# The folders of two presets share what they compile alike.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=true

# The sanitizers of gcc 12 fail now and then where the kernel randomises addresses widely.
fixed_addresses=(setarch "$(uname -m)" --addr-no-randomize)
"${fixed_addresses[@]}" true 2> /dev/null || fixed_addresses=()

build() { # PRESET TARGET...
  cmake --preset "$1" -DRINGCAST_TESTS=ON
  "${fixed_addresses[@]}" cmake --build --preset "$1" --parallel "$jobs" --target "${@:2}"
}

run_tests() { # PRESET OPTION...
  "${fixed_addresses[@]}" ctest --preset "$1" --parallel "$jobs" "${@:2}"
}

stage_format() {
  git -c safe.directory='*' ls-files -z '*.cpp' '*.hpp' '*.h' '*.cu' |
    xargs -0 --no-run-if-empty --max-procs="$jobs" --max-args=20 clang-format-14 --dry-run -Werror
}
stage_tree() { "$python" tests/check_tree.py; }
stage_release() {
  ./quickstart.sh
  build release ringcast
  run_tests release --label-regex golden
}
# The preset leaves stacks out (asan-stack=0): SimGrid's actors have theirs on the heap, and an
# exception that unwinds one gives false alarms. The library's own assertions check containers there.
stage_asan() {
  build asan tests_unit tests_sim
  run_tests asan
}
# Threads run in the reference transport only; its tests are the conformance suites.
stage_tsan() {
  build tsan engine_tests
  run_tests tsan
}
# Reads what the compiler would be given; compiles nothing.
stage_tidy() {
  cmake --preset tidy
  cmake --build --preset tidy --target ringcast_version
  run-clang-tidy-14 -quiet -p build/tidy -j "$jobs" '/(app|engine|real|sim|topology)/.*\.cpp$'
}
stage_dev() { build dev all; }

# Runs a stage with its output in a file, which is shown if the stage fails.
run_stage() {
  local log="$logs/$1.log" begin="$SECONDS" failed=0
  echo "check.sh: $1 ..."
  # In a shell of its own: `set -e` does not act inside a condition.
  set +e
  (set -e; "stage_$1") > "$log" 2>&1
  failed=$?
  set -e
  if ((failed != 0)); then
    tail -n 100 "$log"
    echo "check.sh: $1 failed after $((SECONDS - begin)) s (all of it: $PWD/$log)" >&2
    exit 1
  fi
  echo "check.sh: $1 fine, $((SECONDS - begin)) s"
}

for stage in "${stages[@]}"; do
  if [[ " ${all_stages[*]} " != *" $stage "* ]]; then
    echo "check.sh: no stage $stage (expected some of: ${all_stages[*]})" >&2
    exit 2
  fi
done
need_packages "${build_packages[@]}" "${test_packages[@]}"
mkdir -p "$logs"

with_dev=no
for stage in "${stages[@]}"; do
  if [[ "$stage" == dev ]]; then
    with_dev=yes
  else
    run_stage "$stage"
  fi
done
if [[ "$with_dev" == yes ]]; then
  run_stage dev
  echo "check.sh: all tests, $SECONDS s since the start"
  run_tests dev
fi
