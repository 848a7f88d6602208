#include "topology/routes/nic_ports.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {

NicPorts::NicPorts(const Cluster& cluster, const std::vector<std::uint64_t>& numbers)
    : cluster_{&cluster},
      numbers_{&numbers},
      leaves_(cluster.vertices.size(), -1),
      rates_(cluster.vertices.size(), BytesPerSecond{0}) {
  find_leaves();
  find_nics();
  find_rails();
  find_slow_rails();
}

void NicPorts::find_leaves() {
  for (const Cable& cable : cluster_->cables) {
    for (const auto& [at, far] : {std::pair{cable.a, cable.b}, std::pair{cable.b, cable.a}}) {
      if (cluster_->vertex(far).node >= 0) continue;
      leaves_[index(at)] = far;
      if (cluster_->vertex(at).kind == VertexKind::nic) {
        rates_[index(at)] = std::max(rates_[index(at)], cable.bandwidth);
      }
    }
  }
}

void NicPorts::find_nics() {
  for (int at = 0; index(at) < rates_.size(); ++at) {
    const int node = cluster_->vertex(at).node;
    if (node < 0 || rate_of(at) == BytesPerSecond{0}) continue;
    nics_.resize(std::max(nics_.size(), index(node) + 1));
    nics_[index(node)].push_back(at);
  }
}

void NicPorts::find_rails() {
  rails_.resize(std::ranges::max(*numbers_) + 1);
  std::iota(rails_.begin(), rails_.end(), std::uint64_t{0});
  for (const std::vector<int>& nics : nics_) {
    std::map<int, int> first;  // by switch
    for (const int nic : nics) {
      const std::uint64_t here = rail_of(nic);
      const std::uint64_t there = rail_of(first.try_emplace(leaf_of(nic), nic).first->second);
      std::ranges::replace(rails_, std::max(here, there), std::min(here, there));
    }
  }
}

int NicPorts::leaf_of(int vertex) const {
  return leaves_[index(vertex)];
}

std::uint64_t NicPorts::rail_of(int nic) const {
  return rails_[(*numbers_)[index(nic)]];
}

std::uint64_t NicPorts::place_of(int nic) const {
  const std::span before = std::span{rails_}.first((*numbers_)[index(nic)]);
  return static_cast<std::uint64_t>(std::ranges::count(before, rail_of(nic)));
}

BytesPerSecond NicPorts::rate_of(int vertex) const {
  return rates_[index(vertex)];
}

BytesPerSecond NicPorts::least_rate(int node, BytesPerSecond fastest) const {
  constexpr std::size_t few = 4;
  const std::size_t count = nics_[index(node)].size();
  const auto n = static_cast<double>(count);
  return (count <= few ? 0.5 : (n - 1) / n) * fastest;
}

void NicPorts::find_slow_rails() {
  const auto rate = [this](int nic) { return rate_of(nic); };
  for (std::size_t node = 0; node < nics_.size(); ++node) {
    const std::vector<int>& own = nics_[node];
    if (own.empty()) continue;
    const auto at = static_cast<int>(node);
    const BytesPerSecond least = least_rate(at, rate(*std::ranges::max_element(own, {}, rate)));
    for (const int nic : own) {
      if (rate(nic) < least) slow_rails_.insert({at, leaf_of(nic)});
    }
    for (const int nic : own) {
      if (rate(nic) >= least) slow_rails_.erase({at, leaf_of(nic)});
    }
  }
}

void NicPorts::leave_out_slow(std::vector<int>& vertices) const {
  const auto rate = [this](int at) { return rate_of(at); };
  const int fastest = *std::ranges::max_element(vertices, {}, rate);
  if (rate(fastest) == BytesPerSecond{0}) return;
  const BytesPerSecond least = least_rate(cluster_->vertex(fastest).node, rate(fastest));
  std::erase_if(vertices, [&](int at) { return rate(at) > BytesPerSecond{0} && rate(at) < least; });
}

void NicPorts::leave_out_slow_rails_of(int node, std::vector<int>& vertices) const {
  const auto is_slow = [&](int at) { return slow_rails_.contains({node, leaf_of(at)}); };
  if (!std::ranges::all_of(vertices, is_slow)) std::erase_if(vertices, is_slow);
}

}  // namespace ringcast::detail
