#include "app/predict/bands.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "app/config/cluster/degradation.hpp"
#include "app/predict/spreads.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

/// The fractions by which a time may be shorter, and longer.
struct Spread {
  double shorter;
  double longer;
  std::string of;
};

constexpr std::string_view kernel_copies = ", kernel copies";

/// The cable that a link is a direction or a limit of; null: none, a socket's memory.
const Cable* cable_of_link(std::string_view link, const Cluster& cluster) {
  const auto ends = cable_ends(link.substr(0, link.find(", ")));
  if (!ends) return nullptr;
  const auto& [from, to] = *ends;
  const auto is = [&cluster](int vertex, std::string_view name) {
    return cluster.vertex(vertex).name == name;
  };
  for (const Cable& cable : cluster.cables) {
    if ((is(cable.a, from) && is(cable.b, to)) || (is(cable.a, to) && is(cable.b, from))) {
      return &cable;
    }
  }
  return nullptr;
}

/// For a cable without a class.
LinkClass typical_class(const Cable* cable, const Cluster& cluster) {
  const auto node_of = [&cluster](int vertex) { return cluster.vertex(vertex).node; };
  const bool is_network =
      cable != nullptr && (node_of(cable->a) < 0 || node_of(cable->a) != node_of(cable->b));
  // All classes of networks have one spread.
  return is_network ? *std::ranges::find_if(link_classes(), &LinkClass::is_network) : LinkClass{};
}

Spread spread_of(const LinkLoad& link, const Topology& topology) {
  // 3.5 to 6.4 GB/s of 4.3 (the samples of epyc_staging in topology/links/measured_links.cpp).
  if (link.link_class == "staged reads") return {0.33, 0.23, link.link_class};
  const Cluster& cluster = topology.cluster();
  const Cable* const cable = cable_of_link(link.name, cluster);
  const LinkClass* const known = cable != nullptr ? find_link_class(cable->base_class) : nullptr;
  const LinkClass link_class = known != nullptr ? *known : typical_class(cable, cluster);
  const bool by_kernels = link.name.ends_with(kernel_copies);
  const double part = by_kernels ? link_class.kernel_spread : link_class.spread;
  return {part, part, link.link_class + std::string{by_kernels ? kernel_copies : ""}};
}

Spread scaled(double part, const Spread& spread) {
  return {part * spread.shorter, part * spread.longer,
          fmt::format("{:.0f} % of the time is {}, -{:.0f} to +{:.0f} %", 100 * part, spread.of,
                      100 * spread.shorter, 100 * spread.longer)};
}

}  // namespace

Band band_of(const Row& row, const Topology& topology) {
  const double busy = row.busiest.empty() ? 0 : row.busiest.front().utilisation;
  const Spread link = row.busiest.empty() ? Spread{0, 0, {}}
                                          : scaled(busy, spread_of(row.busiest.front(), topology));
  const Spread rest =
      scaled(1 - busy, {overheads_shorter, overheads_longer, "latencies, overheads and waiting"});
  const bool mostly_link = link.shorter + link.longer > rest.shorter + rest.longer;
  return {(1 - link.shorter - rest.shorter) * row.time, (1 + link.longer + rest.longer) * row.time,
          mostly_link ? link.of : rest.of};
}

void add_bands(Result& result, const Topology& topology) {
  for (Row& row : result.rows) {
    if (row.time > Seconds{0}) row.band = {band_of(row, topology)};
  }
}

}  // namespace ringcast
