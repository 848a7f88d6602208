#include "topology/rings/cut_text.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {
namespace {

/// The kind of a limit that is lower than the bandwidth of the cable's class.
std::string_view limit_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::both_ways:
      return " both ways";
    case LinkKind::peer_traffic:
      return " for peer traffic";
    case LinkKind::kernel_copies:
      return " for kernel copies";
    default:
      return "";
  }
}

}  // namespace

std::string classes_of(const Topology& topology, const std::vector<LinkId>& links) {
  std::map<std::string, int> counts;
  for (const LinkId link : links) {
    ++counts[fmt::format("{}{}", topology.class_of(link),
                         limit_of(topology.links()[index_of(link)].kind))];
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, name);
  }
  return text;
}

std::string describe(const Topology& topology, const TransferCut& cut) {
  const std::string rate = to_text(cut.capacity);
  const std::vector<LinkId>& links = cut.links;
  if (links.size() == 1) {
    return fmt::format("{} ({})", topology.name_of(links.front()), rate);
  }
  const auto all_at = [&](int (Topology::*end)(LinkId) const) {
    return std::ranges::all_of(links, [&](LinkId link) {
      return topology.links()[index_of(link)].kind == LinkKind::direction &&
             (topology.*end)(link) == (topology.*end)(links.front());
    });
  };
  const auto name = [&](int vertex) { return topology.cluster().vertices[index(vertex)].name; };
  if (all_at(&Topology::begin_of)) {
    return fmt::format("the {} cables from {} ({})", links.size(),
                       name(topology.begin_of(links.front())), rate);
  }
  if (all_at(&Topology::end_of)) {
    return fmt::format("the {} cables to {} ({})", links.size(),
                       name(topology.end_of(links.front())), rate);
  }
  return fmt::format("the {} cables of the cut at {} ({}: {})", links.size(),
                     topology.name_of(links.front()), classes_of(topology, links), rate);
}

}  // namespace ringcast::detail
