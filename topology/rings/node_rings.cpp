#include "topology/rings/node_rings.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "topology/cluster/index.hpp"
#include "topology/rings/disjoint_cycles.hpp"
#include "topology/rings/ring_load.hpp"

namespace ringcast::detail {

namespace {

using Ring = std::vector<Rank>;

/// One set of rings replaces another if it is faster by more than this fraction.
constexpr double least_gain = 0.001;

/// Rings of at most this size are compared with all other orders: 5,040 for 8 ranks.
constexpr std::size_t most_for_all_orders = 8;

/// The ranks depth first through the PCIe tree, so that a ring enters and leaves each of its
/// subtrees once.
Ring tree_order(const TransferPaths& paths, const std::vector<Rank>& ranks) {
  std::vector<std::pair<std::vector<int>, Rank>> keyed;
  keyed.reserve(ranks.size());
  for (const Rank rank : ranks) {
    keyed.emplace_back(tree_path(paths, rank), rank);
  }
  std::ranges::sort(keyed);
  Ring ring;
  ring.reserve(keyed.size());
  for (const auto& [key, rank] : keyed) {
    ring.push_back(rank);
  }
  return ring;
}

/// The rates of direct NVLinks between the ranks at two positions of a ring; zero without one.
using Rates = std::vector<std::vector<double>>;

enum class Fabric { pcie, mesh, nvswitch };

struct NvlinkRates {
  Fabric fabric = Fabric::pcie;
  Rates rates;
};

bool is_direct(const TransferPath& path) {
  return path.kind == PathKind::nvlink && path.main.links.size() == 1;
}

NvlinkRates nvlink_rates(const TransferPaths& paths, const Ring& ring) {
  NvlinkRates found{Fabric::pcie, Rates(ring.size(), std::vector<double>(ring.size(), 0))};
  bool all_nvlink = true;
  for (std::size_t a = 0; a < ring.size(); ++a) {
    for (std::size_t b = 0; b < ring.size(); ++b) {
      if (a == b) {
        continue;
      }
      const TransferPath& path = paths.between(ring[a], ring[b]);
      found.rates[a][b] = is_direct(path) ? 1 / path.time_per_byte.count() : 0;
      all_nvlink = all_nvlink && path.kind == PathKind::nvlink;
    }
  }
  const auto joined = [](const std::vector<double>& from) {
    return std::ranges::any_of(from, [](double rate) { return rate > 0; });
  };
  if (all_nvlink) {
    found.fabric = std::ranges::any_of(found.rates, joined) ? Fabric::mesh : Fabric::nvswitch;
  } else if (std::ranges::all_of(found.rates, joined)) {
    found.fabric = Fabric::mesh;  // perhaps connected through other GPUs only
  }
  return found;
}

/// The common divisor of all rates, within 1 %: for bundles of two and of three links, the rate of
/// one link. Without a divisor it is half of the lowest rate, and rates are rounded down to its
/// multiples.
double unit_of(const Rates& rates) {
  double lowest = 0;
  for (const std::vector<double>& from : rates) {
    for (const double rate : from) {
      if (rate > 0 && (lowest == 0 || rate < lowest)) {
        lowest = rate;
      }
    }
  }
  const auto divides = [&](double unit) {
    const auto is_multiple = [unit](double rate) {
      return std::abs(rate / unit - std::round(rate / unit)) < 0.01;
    };
    return std::ranges::all_of(
        rates, [&](const auto& from) { return std::ranges::all_of(from, is_multiple); });
  };
  for (const int parts : {1, 2, 3, 4}) {
    if (divides(lowest / parts)) {
      return lowest / parts;
    }
  }
  return lowest / 2;
}

ArcCapacities capacities(const Rates& rates, double unit) {
  ArcCapacities capacity(rates.size(), std::vector<int>(rates.size()));
  for (std::size_t a = 0; a < rates.size(); ++a) {
    for (std::size_t b = 0; b < rates.size(); ++b) {
      capacity[a][b] = static_cast<int>(rates[a][b] / unit + 0.01);
    }
  }
  return capacity;
}

/// Divides the multiplicities of a sorted list of cycles by their greatest common divisor.
std::vector<Cycle> reduced(const std::vector<Cycle>& cycles) {
  std::ptrdiff_t divisor = 0;
  for (const Cycle& cycle : cycles) {
    divisor = std::gcd(divisor, std::ranges::count(cycles, cycle));
  }
  std::vector<Cycle> kept;
  for (std::size_t i = 0; i < cycles.size(); i += index(static_cast<int>(divisor))) {
    kept.push_back(cycles[i]);
  }
  return kept;
}

/// Rings over NVLinks without a switch; none if the NVLinks contain no ring.
std::vector<Ring> mesh_rings(const Ring& ring, const Rates& rates) {
  const double unit = unit_of(rates);
  std::vector<Cycle> best = disjoint_cycles(capacities(rates, unit));
  // Four fully connected GPUs have capacity for two rings at the rate of a link, or for six at half
  // of that.
  std::vector<Cycle> halves = disjoint_cycles(capacities(rates, unit / 2));
  if (halves.size() > 2 * best.size()) {
    best = std::move(halves);
  }
  std::vector<Ring> rings;
  for (const Cycle& cycle : reduced(best)) {
    Ring& made = rings.emplace_back();
    for (const int position : cycle) {
      made.push_back(ring[index(position)]);
    }
  }
  return rings;
}

double slowest_link(const TransferPaths& paths, const std::vector<Ring>& rings) {
  LinkLoads loads{paths};
  for (const Ring& ring : rings) {
    loads.add_ring(ring);
  }
  return loads.slowest();
}

Ring reversed_ring(const Ring& ring) {
  return {ring.rbegin(), ring.rend()};
}

/// Compares all orders of a ring by the busiest link of the ring and its reverse together, branch
/// and bound.
class AllOrders {
 public:
  AllOrders(const TransferPaths& paths, const Ring& first)
      : loads_{paths},
        order_{first},
        best_{first},
        slowest_{slowest_link(paths, {first, reversed_ring(first)})} {}

  Ring best() {
    extend(1);
    return best_;
  }

 private:
  void add(Rank from, Rank to, int messages) {
    loads_.add(from, to, messages);
    loads_.add(to, from, messages);
  }

  /// Tries all orders of the ranks from position `length` on.
  void extend(std::size_t length) {
    const Rank last = order_[length - 1];
    if (length == order_.size()) {
      add(last, order_.front(), 1);
      if (is_better()) {
        best_ = order_;
        slowest_ = loads_.slowest();
      }
      add(last, order_.front(), -1);
      return;
    }
    for (std::size_t i = length; i < order_.size(); ++i) {
      std::swap(order_[length], order_[i]);
      const Rank next = order_[length];
      add(last, next, 1);
      if (is_better()) {
        extend(length + 1);
      }
      add(last, next, -1);
      std::swap(order_[length], order_[i]);
    }
  }

  [[nodiscard]] bool is_better() const { return loads_.slowest() < slowest_ * (1 - least_gain); }

  LinkLoads loads_;
  Ring order_;
  Ring best_;
  double slowest_;
};

/// Between sockets of AMD NCCL's rings over PCIe are equal (sameChannels, src/graph/search.cc).
/// With NVLinks in a node they are not: both directions of four A100 with two bridges reach twice
/// the rate of one (4xa100-nc96.yaml), and RCCL lists both of eight MI100 (rome_model_48).
bool has_equal_rings(const TransferPaths& paths, const Ring& ring) {
  const Topology& topology = paths.topology();
  std::set<int> hosts;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Rank rank = ring[i];
    if (paths.between(rank, ring[(i + 1) % ring.size()]).kind == PathKind::nvlink) return false;
    hosts.insert(topology.host_of(paths.places().at(index(index_of(rank)))));
  }
  return hosts.size() > 1 && topology.cluster().vertex(*hosts.begin()).amd;
}

std::vector<Ring> tree_rings(const TransferPaths& paths, Ring ring) {
  if (ring.size() <= most_for_all_orders) {
    ring = AllOrders{paths, ring}.best();
  }
  Ring reverse = reversed_ring(ring);
  const double one = slowest_link(paths, {ring});
  const double both = slowest_link(paths, {ring, reverse});
  std::vector<Ring> rings{std::move(ring)};
  if (both < 2 * one * (1 - least_gain) && !has_equal_rings(paths, rings.front())) {
    rings.push_back(std::move(reverse));
  }
  return rings;
}

}  // namespace

std::vector<int> tree_path(const TransferPaths& paths, Rank rank) {
  const Topology& topology = paths.topology();
  const int place = paths.places().at(index(index_of(rank)));
  std::vector<int> path;
  const int host = topology.host_of(place);
  path.push_back(host);
  for (const LinkId link : topology.route_between(host, place).links) {
    path.push_back(topology.end_of(link));
  }
  return path;
}

std::vector<std::vector<Rank>> node_rings(const TransferPaths& paths,
                                          const std::vector<Rank>& ranks) {
  Ring ring = tree_order(paths, ranks);
  if (ring.size() < 2) {
    return {ring};
  }
  const NvlinkRates nvlinks = nvlink_rates(paths, ring);
  if (nvlinks.fabric == Fabric::nvswitch) {
    return {ring};
  }
  if (nvlinks.fabric == Fabric::mesh) {
    std::vector<Ring> rings = mesh_rings(ring, nvlinks.rates);
    if (!rings.empty()) {
      return rings;
    }
  }
  return tree_rings(paths, std::move(ring));
}

}  // namespace ringcast::detail
