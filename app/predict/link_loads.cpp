#include "app/predict/link_loads.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

// The errors of simulated times: relative, and by SimGrid's precision of 1e-12 s per step, ten
// nanoseconds over the steps of thousands of ranks.
constexpr double rounding_margin = 1e-9;
constexpr Seconds precision{1e-8};

bool is_of_nvswitch(LinkId link, const Topology& topology) {
  if (topology.links()[index_of(link)].kind != LinkKind::direction) return false;
  const auto is_nvswitch = [&](int vertex) {
    return topology.cluster().vertex(vertex).kind == VertexKind::nvswitch;
  };
  return is_nvswitch(topology.begin_of(link)) || is_nvswitch(topology.end_of(link));
}

/// `node0.gpu0 -> node0.nvswitch`, or the same with `, in-switch channels`.
std::string name_of(LinkId link, const TransferPaths& paths) {
  const auto& protocols = paths.profile().protocols;
  const bool by_channels =
      !protocols.empty() && protocols.front().by_channels && is_of_nvswitch(link, paths.topology());
  return paths.topology().name_of(link) + (by_channels ? ", in-switch channels" : "");
}

}  // namespace

std::vector<LinkLoad> link_loads(const std::vector<Bytes>& carried, Seconds time,
                                 const TransferPaths& paths) {
  const Topology& topology = paths.topology();
  struct Load {
    std::size_t link;
    double utilisation;
  };
  std::vector<Load> loads;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    if (carried[i] == Bytes{0}) {
      continue;
    }
    const Link& link = topology.links()[i];
    const Seconds busy = carried[i] / link.bandwidth;
    const bool fits = busy <= time * (1 + rounding_margin) + precision;
    if (!fits) {  // formatting the arguments for each of many links would take seconds
      expect(fits, "{} carried {} in {}, more than {} allow",
             topology.name_of(LinkId{static_cast<int>(i)}), to_text(carried[i]), to_text(time),
             to_text(link.bandwidth));
    }
    loads.push_back({i, std::min(busy / time, 1.0)});
  }
  // Ties keep the cluster's order of links.
  const auto kept =
      loads.begin() + static_cast<std::ptrdiff_t>(std::min(most_link_loads, loads.size()));
  std::partial_sort(loads.begin(), kept, loads.end(), [](const Load& a, const Load& b) {
    return a.utilisation != b.utilisation ? a.utilisation > b.utilisation : a.link < b.link;
  });
  std::vector<LinkLoad> all;
  for (auto load = loads.begin(); load != kept; ++load) {
    const LinkId id{static_cast<int>(load->link)};
    all.push_back({name_of(id, paths), std::string{topology.class_of(id)},
                   topology.links()[load->link].bandwidth, carried[load->link], load->utilisation});
  }
  return all;
}

void expect_above(const LowerBound& bound, Seconds time) {
  expect(time >= bound.time * (1 - rounding_margin) - precision,
         "a predicted time of {} is below the physical bound of {} ({})", to_text(time),
         to_text(bound.time), bound.reason);
}

}  // namespace ringcast
