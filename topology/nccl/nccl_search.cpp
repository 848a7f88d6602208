#include "topology/nccl/nccl_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "topology/nccl/nccl_tables.hpp"
#include "topology/nccl/rccl_tables.hpp"

namespace ringcast::detail {
namespace {

// GB/s.
constexpr std::array<double, 13> within_first{40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
constexpr std::array<double, 11> within_hopper{60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
constexpr std::array<double, 11> within_blackwell{90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18};
constexpr std::array<double, 12> within_newer{90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
constexpr std::array<double, 19> across_first{48, 30, 28, 24, 20, 18,  15,  12,   10,  9,
                                              7,  6,  5,  4,  3,  2.4, 1.2, 0.24, 0.12};
constexpr std::array<double, 17> across_hopper{48, 45, 42, 40, 30,  24,  22,   20,  17.5,
                                               15, 12, 6,  3,  2.4, 1.2, 0.24, 0.12};
constexpr std::array<double, 17> across_blackwell{96,   48, 45.1, 42, 40, 30,  24,  22,  20,
                                                  17.5, 15, 12,   6,  3,  2.4, 1.2, 0.24};
constexpr std::array<double, 19> across_newer{96, 86,   80, 48, 45.1, 42, 40,  30,  24,  22,
                                              20, 17.5, 15, 12, 6,    3,  2.4, 1.2, 0.24};

/// The fastest rate up to `limit`; the slowest rate if all exceed it.
double searched_rate(const NcclMachine& machine, double limit) {
  constexpr double rounding = 1 + 1e-9;
  const SearchRates rates = search_rates(machine);
  const auto carried =
      std::ranges::find_if(rates, [=](double rate) { return rate * 1e9 <= limit * rounding; });
  return (carried == rates.end() ? rates.back() : *carried) * 1e9;
}

/// Rings through PCIe or xGMI keep the rate of their links.
bool has_searched_rates(const NcclMachine& machine) {
  return machine.nvlink && !machine.xgmi_mesh;
}

}  // namespace

SearchRates search_rates(const NcclMachine& machine) {
  const bool alone = machine.nodes == 1;
  switch (machine.gpus.generation) {
    case GpuGeneration::hopper:
      return alone ? SearchRates{within_hopper} : SearchRates{across_hopper};
    case GpuGeneration::blackwell:
      if (machine.version >= nccl_tables::first_more_rates) {
        return alone ? SearchRates{within_newer} : SearchRates{across_newer};
      }
      return alone ? SearchRates{within_blackwell} : SearchRates{across_blackwell};
    default:
      return alone ? SearchRates{within_first} : SearchRates{across_first};
  }
}

int search_parts(const NcclMachine& machine, int channels, double rate) {
  if (const int listed = rccl_tables::listings(machine); listed > 1) return listed;
  const bool few = machine.gpus.generation < GpuGeneration::hopper || channels <= 4;
  return rate >= 50e9 || (few && rate >= 25e9) ? 2 : 1;
}

void take_searched_rings(NcclMachine& machine, BytesPerSecond within, int rings) {
  const bool alone = machine.nodes == 1;
  const bool tables = has_searched_rates(machine);
  const double fastest = search_rates(machine).front() * 1e9;
  const double nic = machine.expected_network().value() / rings;
  if (tables && !alone && within < machine.expected_network() && nic <= fastest) {
    // If the NICs are faster than the NVLinks, there are only as many rings as the NVLinks carry.
    const double rate = searched_rate(machine, nic);
    rings = std::clamp(static_cast<int>(within.value() / rate), 1, rings);
  }
  const double total = alone ? within.value() : std::min(within.value(), rings * nic);
  const int searched = rings * std::max(1, static_cast<int>(std::round(total / rings / fastest)));
  const double rate =
      tables ? searched_rate(machine, total / searched) : std::min(fastest, total / searched);
  const int halves = search_parts(machine, searched, rate);
  machine.search.rings = halves * searched;
  machine.search.ring_rate = BytesPerSecond{rate / halves};
}

NcclMachine as_searched(NcclMachine machine) {
  if (!has_searched_rates(machine) || machine.search.ring_rate == BytesPerSecond{0}) return machine;
  (machine.nodes == 1 ? machine.in_node : machine.between) =
      machine.search.rings * machine.search.ring_rate;
  return machine;
}

SwitchedRates searched_switch_rates(const NcclMachine& machine) {
  const int heads = std::min(machine.heads(), nccl_tables::most_heads);
  const double most = machine.switch_link.value() / (heads + 1);
  if (machine.nodes == 1) {
    return {heads, searched_rate(machine, most), search_rates(machine).front() * 1e9};
  }
  const double nic = machine.nic_rate();
  return {heads, searched_rate(machine, std::min(most, nic)), searched_rate(machine, nic)};
}

bool has_balanced_trees(const TransferPaths& paths, std::optional<PathLevel> farthest) {
  const Topology& topology = paths.topology();
  const std::vector<Vertex>& vertices = topology.cluster().vertices;
  const auto node_of = [&](int vertex) { return vertices[static_cast<std::size_t>(vertex)].node; };
  const int first = node_of(paths.places().front());
  std::vector<int> gpus;
  for (std::size_t i = 0; i < paths.places().size(); ++i)
    if (paths.nodes()[i] == paths.nodes().front()) gpus.push_back(paths.places()[i]);
  const bool boards_have_switches = farthest.value_or(PathLevel::pxb) <= PathLevel::pxn;
  for (int nic = 0; nic < static_cast<int>(vertices.size()); ++nic) {
    if (node_of(nic) != first) continue;
    if (vertices[static_cast<std::size_t>(nic)].kind != VertexKind::nic) continue;
    const auto level = [&](int gpu) { return nic_level(topology, gpu, nic, boards_have_switches); };
    const PathLevel limit = farthest ? *farthest : level(std::ranges::min(gpus, {}, level));
    const auto is_near = [&](int gpu) { return level(gpu) <= limit; };
    const auto first_near = std::ranges::find_if(gpus, is_near);
    if (first_near != gpus.end() && std::none_of(first_near + 1, gpus.end(), is_near)) return false;
  }
  return true;
}

}  // namespace ringcast::detail
