# Sourced by quickstart.sh and check.sh: the Debian packages that ringcast needs, and need_packages.
# shellcheck shell=bash disable=SC2034  # the lists are used by the sourcing scripts

# Each line: package, and what proves on other systems that it is installed.
build_packages=(
  "build-essential        command:c++"
  "cmake                  command:cmake"
  "ninja-build            command:ninja"
  "pkg-config             command:pkg-config"
  "git                    command:git"
  "ca-certificates        none"
  "libsimgrid-dev         header:simgrid/s4u.hpp"
  "libopenmpi-dev         command:mpicxx"
  "openmpi-bin            command:mpirun"
  "libboost-context-dev   header:boost/context/fiber.hpp"
  "libboost-graph-dev     header:boost/graph/adjacency_list.hpp"
  "libyaml-cpp-dev        header:yaml-cpp/yaml.h"
  "libcli11-dev           header:CLI/CLI.hpp"
  "nlohmann-json3-dev     header:nlohmann/json.hpp"
  "libfmt-dev             header:fmt/format.h"
  "libhwloc-dev           header:hwloc.h"
  "libpugixml-dev         header:pugixml.hpp"
  "coinor-libclp-dev      header:coin/ClpSimplex.hpp"
  "libssl-dev             header:openssl/evp.h"
  "libsqlite3-dev         header:sqlite3.h"
  "python3                command:python3"
  "python3-matplotlib     python:matplotlib"
  "graphviz               command:dot"
  "ccache                 command:ccache"
)
test_packages=(
  "libgtest-dev           header:gtest/gtest.h"
  "clang-format-14        command:clang-format-14"
  "iproute2               command:tc"
  "clang-tidy-14          command:clang-tidy-14"
)

nightly_packages=(
  "clang-14               command:clang++-14"
  "libclang-rt-14-dev     none"
)

# need_packages LINE...: installs what is missing; exit 3 where that cannot be done.
need_packages() {
  local -a missing installer=()
  local program
  program="$(basename "$0")"
  if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    mapfile -t missing < <(_missing_by_proof "$@")
    if ((${#missing[@]} > 0)); then
      echo "$program: no apt-get here; install what Debian calls: ${missing[*]}" >&2
      exit 3
    fi
    return
  fi
  mapfile -t missing < <(_missing_by_dpkg "$@")
  if ((${#missing[@]} == 0)); then
    return
  fi
  if ((EUID != 0)); then
    if ! command -v sudo > /dev/null; then
      echo "$program: not root and no sudo; install as root: apt-get install ${missing[*]}" >&2
      exit 3
    fi
    installer=(sudo)
    echo "$program: installing needs root: sudo may ask for your password"
  fi
  # sudo clears the environment, so env sets debconf's variables after it.
  installer+=(env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -qq)
  echo "$program: installing ${missing[*]}"
  if ! "${installer[@]}" update || ! "${installer[@]}" install --no-install-recommends --yes \
    "${missing[@]}"; then
    echo "$program: apt-get could not install: ${missing[*]}" >&2
    exit 3
  fi
}

_missing_by_dpkg() {
  local -A installed=()
  local line name state
  while read -r name state; do
    if [[ "$state" == ii* ]]; then
      installed["$name"]=yes
    fi
  done < <(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' "${@%% *}" 2> /dev/null || true)
  for line in "$@"; do
    if [[ -z "${installed[${line%% *}]:-}" ]]; then
      echo "${line%% *}"
    fi
  done
}

_missing_by_proof() {
  local line name proof
  for line in "$@"; do
    read -r name proof <<< "$line"
    if ! _proven "${proof%%:*}" "${proof#*:}"; then
      echo "$name"
    fi
  done
}

_proven() {
  case "$1" in
    command) command -v "$2" > /dev/null ;;
    header) echo "#include <$2>" | c++ -std=c++20 -fsyntax-only -x c++ - 2> /dev/null ;;
    python) python3 -c "import $2" 2> /dev/null || /usr/bin/python3 -c "import $2" 2> /dev/null ;;
    none) true ;;
  esac
}
