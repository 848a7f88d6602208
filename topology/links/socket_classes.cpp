#include "topology/links/socket_classes.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "topology/links/line_rate.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast::detail {
namespace {

// To the other socket 0.44 us, over the same two PCIe cables and a socket link (the same source).
constexpr Seconds socket_latency{0.44e-6 - 0.36e-6};
constexpr std::string_view socket_latency_source =
    "latency: 0.44 us GPU to GPU across sockets less 0.36 us within one, EPYC Turin "
    "(voipmonitor/rtx6kpro hardware/topology.md), taken for every socket link";

/// A link between two sockets.
struct SocketLink {
  std::string_view name;
  int lanes;
  double line_gbits_per_s;
  double achievable;  // GB/s
  std::string source;
  double peers = 0;  // GB/s; 0: `achievable`
};

void add_buses(std::vector<LinkClass>& table, std::string_view left_out) {
  // QPI and UPI carry 16 data bits beside their check bits; xGMI has 16 lanes. Boards with two EPYC
  // have three or four xGMI links. Two rings of kernels reach 30.9 GB/s between two sockets with
  // xGMI-2 (four A100, Azure NC96ads v4), as much as two GPUs reach with host memory; what
  // one GPU writes reaches less than one link.
  constexpr int xgmi_links = 3;
  const double xgmi = measured_constant("xgmi, share of the line rate", left_out) * xgmi_links;
  const std::string xgmi_source = "three links, at the share of the line rate of GPUs' xGMI";
  const double qpi = measured_constant("qpi-8.0 bandwidth", left_out);
  const SocketLink links[] = {
      {"qpi-6.4", 16, 6.4, qpi * 6.4 / 8.0, "DeepBench's 6.0 GB/s over QPI 8.0, scaled by rate"},
      {"qpi-8.0", 16, 8.0, qpi, "DeepBench, two sockets of E5-2650 v2: 6.0 to 6.2 GB/s"},
      {"qpi-9.6", 16, 9.6, qpi * 9.6 / 8.0, "DeepBench's 6.0 GB/s over QPI 8.0, scaled by rate"},
      {"upi-10.4", 16, 10.4, 10.0, "NCCL's SKL_QPI_BW (src/graph/topo.h)"},
      {"upi-11.2", 16, 11.2, 10.0 * 11.2 / 10.4, "NCCL's SKL_QPI_BW for UPI 10.4, scaled by rate"},
      {"upi-16", 16, 16, 22.0, "NCCL's SRP_QPI_BW (src/graph/topo.h)"},
      {"upi-20", 16, 20, 40.0, "NCCL's ERP_QPI_BW (src/graph/topo.h)"},
      {"upi-24", 16, 24, 40.0, "NCCL's ERP_QPI_BW for UPI 20 (src/graph/topo.h)"},
      {"xgmi-2", 16 * xgmi_links, 18, xgmi * 36,
       xgmi_source + " of 18 GT/s; peers: 20.6 GB/s from each RTX 4090, 20.4 from each MI100, in "
                     "rings of eight",
       measured_constant("xgmi-2 peer_bandwidth", left_out)},
      {"xgmi-3", 16 * xgmi_links, 32, xgmi * 64,
       xgmi_source + " of 32 GT/s; peers: NCCL's AMD_ZEN34_BW (src/graph/topo.h)", 24.0},
  };
  for (const SocketLink& link : links) {
    table.push_back({std::string{link.name}, raw_rate(link.lanes, link.line_gbits_per_s, uncoded),
                     gigabytes(link.achievable), socket_latency,
                     fmt::format("{}; {}", link.source, socket_latency_source),
                     gigabytes(link.peers)});
  }
}

/// Between two Grace processors.
void add_cnvlink(std::vector<LinkClass>& table) {
  const LinkClass& nvlink = *std::ranges::find(table, "nvlink-4.0", &LinkClass::name);
  const BytesPerSecond raw = gigabytes(100);
  const double share = nvlink.direct_achievable.value() / nvlink.raw.value();
  table.push_back(
      {"cnvlink", raw, share * raw, socket_latency,
       fmt::format("100 GB/s each way between two Grace (JSC, configuration of JUPITER), "
                   "at the share of nvlink-4.0 from GPU to GPU; {}",
                   socket_latency_source)});
}

/// The link between two sockets of a processor family: AMD's xGMI; elsewhere NCCL's bandwidth, for
/// any number of links.
void add_hosts(std::vector<LinkClass>& table) {
  struct Host {
    std::string_view name;
    double achievable;  // GB/s
    std::string_view constant;
  };
  constexpr Host hosts[] = {
      {"host-intel-broadwell", 6.0, "BDW_QPI_BW"},
      {"host-intel-skylake", 10.0, "SKL_QPI_BW"},
      {"host-intel-sapphire-rapids", 22.0, "SRP_QPI_BW"},
      {"host-intel-emerald-rapids", 40.0, "ERP_QPI_BW"},
      {"host-power9", 32.0, "P9_BW"},
      {"host-arm", 6.0, "ARM_BW"},
      {"host-zhaoxin", 6.0, "ZPI_BW"},
      {"host-zhaoxin-yongfeng", 9.0, "YONGFENG_ZPI_BW"},
  };
  for (const Host& host : hosts) {
    table.push_back({std::string{host.name}, gigabytes(host.achievable), gigabytes(host.achievable),
                     socket_latency,
                     fmt::format("NCCL's {} (src/graph/topo.h), also as the line rate; {}",
                                 host.constant, socket_latency_source)});
  }
  for (const auto& [name, xgmi] : {std::pair{"host-amd-zen2", "xgmi-2"},
                                   {"host-amd-zen3", "xgmi-2"},
                                   {"host-amd-zen4", "xgmi-3"},
                                   {"host-amd-zen5", "xgmi-3"}}) {
    LinkClass added = *std::ranges::find(table, xgmi, &LinkClass::name);
    added.name = name;
    added.source = fmt::format("as {}: {}", xgmi, added.source);
    table.push_back(std::move(added));
  }
}

}  // namespace

void add_socket_links(std::vector<LinkClass>& table, std::string_view left_out) {
  add_buses(table, left_out);
  add_cnvlink(table);
  add_hosts(table);
}

}  // namespace ringcast::detail
