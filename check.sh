#!/usr/bin/env bash
# Everything that has to hold before a change is merged. `check.sh nightly` adds what takes longer:
# clang-tidy on all files, races, fuzzed readers, a build without unity batches, headers that compile
# by themselves, rings on a thousand random machines, simulations of a thousand random clusters,
# all scenarios in both ways, commands killed at random moments.
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

# The folders of two presets share what they compile alike.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=true

# The sanitizers of gcc 12 fail now and then where the kernel randomises addresses widely.
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
# The programs as users build them, and the tests that start them.
stage_release() {
  ./quickstart.sh
  cmake --preset release -DRINGCAST_TESTS=SYSTEM
  build release all
}
# The C++ tests. The preset leaves stacks out (asan-stack=0): SimGrid's actors have theirs on the
# heap, and an exception that unwinds one gives false alarms. The tests themselves do without the
# checks of pointers, of which their macros have thousands; these take a quarter of their compilation.
stage_asan() {
  cmake --preset asan
  build asan test_programs
}
# clang-tidy reads what the compiler would be given; it compiles nothing. It reads the unity batches
# of the files named on standard input, in a fifth of the time that it takes for all their files one
# by one: most of that goes into headers. A batch includes sources, which is no mistake here.
tidy() {
  local wanted
  wanted="$(sort -u)"
  cmake --preset tidy
  build tidy ringcast_version
  {
    sed "s|.*|#include \"$PWD/&\"|" <<< "$wanted" |
      grep --recursive --line-regexp --fixed-strings --files-with-matches --file=- \
        --include='unity_*.cxx' build/tidy || true
    # compiled alone
    sed -n "s|.*\"file\": \"$PWD/\(.*\)\".*|\1|p" build/tidy/compile_commands.json | sort -u |
      comm -12 - <(printf '%s\n' "$wanted")
  } |
    xargs --no-run-if-empty --max-procs="$jobs" --max-args=1 \
      clang-tidy-14 --quiet --checks=-bugprone-suspicious-include -p build/tidy
}
stage_tidy_all() { "${git[@]}" ls-files '*.cpp' | tidy; }
# Sources that differ from the commit before the last one, and those whose header does.
stage_tidy() {
  local base=HEAD~1
  "${git[@]}" rev-parse --quiet --verify "$base" > /dev/null || base=HEAD
  "${git[@]}" diff --name-only "$base" -- '*.cpp' '*.hpp' | sed 's/\.hpp$/.cpp/' | tidy
}
# Each header compiles by itself.
stage_headers() {
  local -a flags
  read -r -a flags <<< "$(pkg-config --cflags simgrid hwloc) $(mpicc --showme:compile)"
  # mpi_native.hpp is for sources that have included <mpi.h>.
  "${git[@]}" ls-files -z 'app/*.hpp' 'engine/*.hpp' 'real/*.hpp' 'sim/*.hpp' 'topology/*.hpp' \
    ':!*/mpi_native.hpp' | xargs -0 --max-procs="$jobs" --replace \
    c++ -std=c++20 -fsyntax-only -Werror -I. "${flags[@]}" -include {} -x c++ /dev/null
}
# Threads run in the reference transport only; its tests are the conformance suites.
stage_tsan() {
  cmake --preset tsan
  build tsan engine_tests
  "${fixed_addresses[@]}" ctest --preset tsan --parallel "$jobs"
}
# Each reader of files, for a minute.
stage_fuzz() {
  cmake --preset fuzz
  build fuzz fuzz_programs
  tests/fuzz/run.sh 60
}
# Without unity batches, with warnings as errors.
stage_dev() {
  cmake --preset dev
  build dev all
}

# Ring search against brute force and branch and bound, on more machines than the tests take.
stage_rings() {
  RINGCAST_RANDOM_CASES=1000 build/dev/tests/bin/topology_tests --gtest_filter='RingSearch.*'
}
# Simulations of random clusters: the ring against an oracle, other clusters each day; folded jobs
# against all their ranks, and fluid flows against SimGrid.
stage_oracle() {
  RINGCAST_ORACLE_CLUSTERS=1000 RINGCAST_ORACLE_SEED="$(date +%j)" RINGCAST_RANDOM_JOBS=300 \
    build/dev/tests/bin/sim_tests --gtest_filter='RingOracle.*:Folding.*:FluidTransport.AgreesWith*'
}

# Each row of the catalogue that SimGrid can simulate, in the cheapest way and in SimGrid.
stage_fidelity() {
  RINGCAST_BIN=build/release/bin RINGCAST_ALL_ROWS=1 "$python" tests/scenarios/fidelity_test.py -v
}

# Commands killed at random moments, and files with mistakes, other ones each day.
stage_chaos() {
  RINGCAST_BIN=build/release/bin "$python" tests/chaos/mutation_test.py --runs 2000 --seed "$(date +%j)"
  RINGCAST_BIN=build/release/bin "$python" tests/chaos/chaos_test.py --runs 200 --seed "$(date +%j)"
}

# Prints the slowest tests before ctest's summary, which stays last.
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

# One run of ctest over both builds. One test more than cores, as there is nearly always one that
# waits (ringcast_waits). Sanitizers that keep the stack of each allocation take a third of the time of
# short simulations: their reports name one frame here, and all if the program is started alone.
run_tests() {
  printf 'subdirs("%s" "%s")\n' "$PWD/build/release" "$PWD/build/asan" > "$logs/CTestTestfile.cmake"
  ASAN_OPTIONS="malloc_context_size=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}" \
    "${fixed_addresses[@]}" ctest --test-dir "$logs" --parallel "$((jobs + 1))" --output-on-failure \
    --no-tests=error | with_slowest
}

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
