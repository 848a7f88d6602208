#include "topology/transfers/nccl_links.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "topology/links/link_class.hpp"

namespace ringcast::detail {
namespace {

/// The class of the cable that the link is a direction of; null for others.
const LinkClass* class_of(const Topology& topology, LinkId link) {
  const std::vector<Cable>& cables = topology.cluster().cables;
  const std::size_t cable = index_of(link) / 2;
  return cable < cables.size() ? find_link_class(cables[cable].base_class) : nullptr;
}

/// What NCCL expects of an NVLink, GB/s by generation (SM60_NVLINK_BW to RUBIN_NVLINK_BW,
/// src/graph/topo.h).
constexpr std::array<double, 6> expected_nvlinks{18, 20, 20, 20.6, 40.1, 31.2};

/// PCI_BW of the line rate of PCIe 3.0, 16 lanes.
constexpr double pcie_share = 12 / 15.75;

/// Between sockets (BDW_QPI_BW, ..., ARM_BW), GB/s; processors with UPI 24 count as those with UPI
/// 16 (up to 2.30, by their model number in src/graph/topo.cc). Until 2.27 all of
/// AMD's are equal; xgmi-2 counts as Zen 2, xgmi-3 as Zen 4. The other classes of imported
/// topologies have theirs.
constexpr std::array<std::pair<std::string_view, double>, 13> socket_rates{{{"qpi-", 6},
                                                                            {"upi-10", 10},
                                                                            {"upi-11", 10},
                                                                            {"upi-16", 22},
                                                                            {"upi-20", 40},
                                                                            {"upi-24", 22},
                                                                            {"xgmi-2", 16},
                                                                            {"xgmi-3", 24},
                                                                            {"host-amd-zen2", 16},
                                                                            {"host-amd-zen3", 24},
                                                                            {"host-amd-zen4", 24},
                                                                            {"host-amd-zen5", 32},
                                                                            {"cnvlink", 6}}};

/// Intel's links have rates by generation (src/graph/topo.h): not in 2.24.3, where all since
/// Skylake have its rate, but in 2.28.9.
double socket_rate(std::string_view link_class, double rate, NcclVersion version) {
  constexpr NcclVersion first_newer_upi{2, 26};
  constexpr NcclVersion first_newer_amd{2, 28};
  constexpr double skylake = 10;
  constexpr double amd = 16;
  if (version < first_newer_upi && link_class.starts_with("upi-")) rate = skylake;
  const bool is_amd = link_class.starts_with("xgmi-") || link_class.starts_with("host-amd-");
  if (version < first_newer_amd && is_amd) rate = amd;
  return rate * 1e9;
}

}  // namespace

double search_link_rate(const Topology& topology, LinkId link, NcclVersion version) {
  const LinkClass* const own = class_of(topology, link);
  const double rate = topology.links()[index_of(link)].bandwidth.value();
  if (own == nullptr) {
    // NCCL knows no limit of a root complex.
    const auto kind_of = [&](int end) { return topology.cluster().vertex(end).kind; };
    const std::set ends{kind_of(topology.begin_of(link)), kind_of(topology.end_of(link))};
    const bool on_die = ends == std::set{VertexKind::cpu, VertexKind::root_complex};
    return on_die ? std::numeric_limits<double>::infinity() : rate;
  }
  if (pcie_generation(own->name)) return pcie_share * own->raw.value();
  if (own->is_network) {
    return std::max(1.0, std::round(rate / own->achievable.value())) * own->raw.value();
  }
  const auto* const socket = std::ranges::find_if(
      socket_rates, [&](const auto& each) { return own->name.starts_with(each.first); });
  return socket != socket_rates.end() ? socket_rate(own->name, socket->second, version)
                                      : nominal_rate(topology, link);
}

double nominal_rate(const Topology& topology, LinkId link, bool through_intel) {
  constexpr double derate = 12.0 / 12.5;
  const double rate = topology.links()[index_of(link)].bandwidth.value();
  const LinkClass* const own = class_of(topology, link);
  if (own == nullptr) return rate;
  const double achievable = own->achievable.value();
  if (own->is_network) return rate * std::max(1.0, derate * own->raw.value() / achievable);
  if (through_intel && pcie_generation(own->name)) {
    return std::min(rate, pcie_share * own->raw.value() * 5 / 6);
  }
  const std::optional<int> nvlink = nvlink_generation(own->name);
  if (!nvlink || own->direct_achievable == BytesPerSecond{0}) return rate;
  const Cable& cable = topology.cable_of(link);
  const auto is_gpu = [&](int end) {
    return topology.cluster().vertex(end).kind == VertexKind::gpu;
  };
  const bool direct = is_gpu(cable.a) && is_gpu(cable.b);
  return rate * expected_nvlinks.at(static_cast<std::size_t>(*nvlink) - 1) * 1e9 /
         (direct ? own->direct_achievable.value() : achievable);
}

int nics_of(const Topology& topology, LinkId link, NcclVersion version) {
  constexpr NcclVersion first_to_merge{2, 20};
  const LinkClass* const own = class_of(topology, link);
  if (own == nullptr || !own->is_network || own->name.starts_with("efa") ||
      version >= first_to_merge)
    return 1;
  const double rate = topology.links()[index_of(link)].bandwidth.value();
  return std::max(1, static_cast<int>(std::round(rate / own->achievable.value())));
}

}  // namespace ringcast::detail
