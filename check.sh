#!/usr/bin/env bash
# Runs every check that a change has to pass. `check.sh nightly` adds those that take longer:
# clang-tidy on all files, races, fuzzed readers, a build without unity batches, headers that
# compile by themselves, rings on a thousand random machines, simulations of a thousand random
# clusters, all scenarios with both fidelities, commands killed at random moments.
# CHECK_STAGES="format tree" runs these stages only. The tests come last, in one run of ctest.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
source cmake/packages.sh

every_change=(format tree tidy release asan tests)
nightly=(format tree tidy_all headers tsan fuzz dev rings oracle release fidelity chaos asan tests)
known=" ${every_change[*]} ${nightly[*]} "
case "${1:-}" in
  "") read -r -a stages <<< "${CHECK_STAGES:-${every_change[*]}}" ;;
  nightly) stages=("${nightly[@]}") ;;
  *)
    echo "check.sh: unknown argument $1 (expected nothing, or nightly)" >&2
    exit 2
    ;;
esac
jobs="$(nproc)"
logs=build/check
python="$(PATH="/usr/bin:$PATH" command -v python3 || true)"
git=(git -c safe.directory='*')

# Lets ccache reuse objects between the folders of presets.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=true

# The sanitizers of gcc 12 fail occasionally with the kernel's address space randomization.
fixed_addresses=(setarch "$(uname -m)" --addr-no-randomize)
"${fixed_addresses[@]}" true 2> /dev/null || fixed_addresses=()

build() { # PRESET TARGET...
  "${fixed_addresses[@]}" cmake --build --preset "$1" --parallel "$jobs" --target "${@:2}"
}

stage_format() {
  "${git[@]}" ls-files -z '*.cpp' '*.hpp' '*.h' '*.cu' |
    xargs -0 --no-run-if-empty --max-procs="$jobs" --max-args=20 clang-format-14 --dry-run -Werror
}
stage_tree() { "$python" tests/check_tree.py; }
# The release build, and the tests that start its programs.
stage_release() {
  ./quickstart.sh
  cmake --preset release -DRINGCAST_TESTS=SYSTEM
  build release all
}
# The C++ tests. The preset does not check stacks (asan-stack=0): those of SimGrid's actors are on
# the heap, and exceptions that unwind one cause false alarms. The sources of the tests are built
# without the pointer checks, which would take a quarter of their compile time.
stage_asan() {
  cmake --preset asan
  build asan test_programs
}
# Runs clang-tidy on the unity batches of the files named on standard input. That takes a fifth of
# the time for the single files, most of which is spent on headers. A batch includes .cpp files,
# which is intended.
tidy() {
  local wanted
  wanted="$(sort -u)"
  cmake --preset tidy
  build tidy ringcast_version
  {
    sed "s|.*|#include \"$PWD/&\"|" <<< "$wanted" |
      grep --recursive --line-regexp --fixed-strings --files-with-matches --file=- \
        --include='unity_*.cxx' build/tidy || true
    # not in a unity batch
    sed -n "s|.*\"file\": \"$PWD/\(.*\)\".*|\1|p" build/tidy/compile_commands.json | sort -u |
      comm -12 - <(printf '%s\n' "$wanted")
  } |
    xargs --no-run-if-empty --max-procs="$jobs" --max-args=1 \
      clang-tidy-14 --quiet --checks=-bugprone-suspicious-include -p build/tidy
}
stage_tidy_all() { "${git[@]}" ls-files '*.cpp' | tidy; }
# Sources that differ from the commit before the last one, or whose header does.
stage_tidy() {
  local base=HEAD~1
  "${git[@]}" rev-parse --quiet --verify "$base" > /dev/null || base=HEAD
  "${git[@]}" diff --name-only "$base" -- '*.cpp' '*.hpp' | sed 's/\.hpp$/.cpp/' | tidy
}
# Compiles each header by itself.
stage_headers() {
  local -a flags
  read -r -a flags <<< "$(pkg-config --cflags simgrid hwloc) $(mpicc --showme:compile)"
  # mpi_native.hpp is for sources that have included <mpi.h>.
  "${git[@]}" ls-files -z 'app/*.hpp' 'engine/*.hpp' 'real/*.hpp' 'sim/*.hpp' 'topology/*.hpp' \
    ':!*/mpi_native.hpp' | xargs -0 --max-procs="$jobs" --replace \
    c++ -std=c++20 -fsyntax-only -Werror -I. "${flags[@]}" -include {} -x c++ /dev/null
}
# Only the reference transport has threads; the conformance suites test it.
stage_tsan() {
  cmake --preset tsan
  build tsan engine_tests
  "${fixed_addresses[@]}" ctest --preset tsan --parallel "$jobs"
}
# Fuzzes each reader of files for a minute.
stage_fuzz() {
  cmake --preset fuzz
  build fuzz fuzz_programs
  tests/fuzz/run.sh 60
}
# Without unity batches, with warnings as errors; the benchmarks' programs, too.
stage_dev() {
  cmake --preset dev
  build dev all simulation_speed reduction_bandwidth allreduce_speed ring_search_speed
}

# Compares ring search with brute force and branch and bound, on more machines than the unit tests.
stage_rings() {
  RINGCAST_RANDOM_CASES=1000 build/dev/tests/bin/topology_tests --gtest_filter='RingSearch.*'
}
# Simulates random clusters, different ones each day: the ring against an oracle, folded jobs
# against all their ranks, and fluid flows against SimGrid.
stage_oracle() {
  RINGCAST_ORACLE_CLUSTERS=1000 RINGCAST_ORACLE_SEED="$(date +%j)" RINGCAST_RANDOM_JOBS=300 \
    build/dev/tests/bin/sim_tests --gtest_filter='RingOracle.*:Folding.*:FluidTransport.AgreesWith*'
}

# Compares --fidelity auto with SimGrid for each row of the catalogue that SimGrid can simulate.
stage_fidelity() {
  RINGCAST_BIN=build/release/bin RINGCAST_ALL_ROWS=1 "$python" tests/scenarios/fidelity_test.py -v
}

# Kills commands at random moments, and gives them files with mistakes, different ones each day.
stage_chaos() {
  RINGCAST_BIN=build/release/bin "$python" tests/chaos/mutation_test.py --runs 2000 --seed "$(date +%j)"
  RINGCAST_BIN=build/release/bin "$python" tests/chaos/chaos_test.py --runs 200 --seed "$(date +%j)"
}

# Prints the slowest tests before ctest's summary.
with_slowest() {
  awk '
    /% tests passed/ { summary = 1 }
    summary { held[++lines] = $0; next }
    { print }
    NF > 1 && $(NF - 1) ~ /^[0-9.]+$/ && $NF == "sec" && match($0, /Test +#[0-9]+: [^ ]+/) {
      name = substr($0, RSTART, RLENGTH); sub(/.*: /, "", name)
      printf "%9.2f s  %s\n", $(NF - 1), name > slow
    }
    END {
      close(slow)
      print "\nThe slowest tests:"
      sort = "sort -rn " slow
      while (++shown <= 20 && (sort | getline) > 0) print
      print ""
      for (line = 1; line <= lines; ++line) print held[line]
    }' slow="$logs/times.txt"
}

# One run of ctest over both builds. Runs one test more than cores, as one test usually waits
# (ringcast_waits). Recording the stack of each allocation would take a third of the time of short
# simulations: sanitizer reports have one frame here, and all frames if the program is started
# alone.
run_tests() {
  printf 'subdirs("%s" "%s")\n' "$PWD/build/release" "$PWD/build/asan" > "$logs/CTestTestfile.cmake"
  ASAN_OPTIONS="malloc_context_size=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}" \
    "${fixed_addresses[@]}" ctest --test-dir "$logs" --parallel "$((jobs + 1))" --output-on-failure \
    --no-tests=error | with_slowest
}

# Runs a stage with its output in a file, and shows the file if the stage fails.
run_stage() {
  local log="$logs/$1.log" begin="$SECONDS" failed=0
  echo "check.sh: $1 ..."
  # In a subshell: `set -e` has no effect inside a condition.
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
  if [[ "$known" != *" $stage "* ]]; then
    echo "check.sh: no stage $stage (expected some of:$known)" >&2
    exit 2
  fi
done
need_packages "${build_packages[@]}" "${test_packages[@]}"
if [[ " ${stages[*]} " == *" fuzz "* ]]; then
  need_packages "${nightly_packages[@]}"
fi
mkdir -p "$logs"

with_tests=no
for stage in "${stages[@]}"; do
  if [[ "$stage" == tests ]]; then
    with_tests=yes
  else
    run_stage "$stage"
  fi
done
if [[ "$with_tests" == yes ]]; then
  echo "check.sh: tests, $SECONDS s since the start"
  run_tests
fi
