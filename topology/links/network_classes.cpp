#include "topology/links/network_classes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "topology/links/measured_constants.hpp"

namespace ringcast::detail {

namespace {

// One byte from host to host takes 1.18 us over EDR: osu_latency, hpc-cofc/generic-benchmarks,
// network/infiniband/osu-mpi-benchmarks/initial/latency/gpu001.log. That is two PCIe cables, and
// two network cables with one switch between them.
constexpr Seconds network_latency{(1.18e-6 - 2 * pcie_latency.count()) / 2};
constexpr std::string_view network_latency_source =
    "latency: 1.18 us host to host over EDR (osu_latency, hpc-cofc/generic-benchmarks) less two "
    "PCIe cables, halved for the two cables at one switch, taken for every rate";

// NCCL's NET_BW: 12.0 GB/s of the 12.5 GB/s of a 100 Gb/s NIC.
constexpr double derate = 12.0 / 12.5;

void add_network(std::vector<LinkClass>& table, std::string name, BytesPerSecond raw,
                 BytesPerSecond achievable, const std::string& source) {
  table.push_back({std::move(name), raw, achievable, network_latency, source});
  table.back().is_network = true;
}

constexpr auto generations = std::to_array<InfinibandGeneration>({
    {"xdr", 200, true, 212.5, code_rs544},
    {"ndr", 100, true, 106.25, code_rs544, 48.5, "48.5 GB/s of a ConnectX-7 (SimAI calbusbw.h)"},
    {"hdr", 50, true, 53.125, code_rs544, 24.0, "24 GB/s (nccl-tests#160)"},
    {"edr", 25, false, 25.78125, code_64b66b, 12.0,
     "NCCL's NET_BW (src/graph/topo.h, nccl-tests#119)"},
    {"fdr", 14, false, 14.0625, code_64b66b, 6.5, "6.5 GB/s host to host (openucx/ucx#3984)"},
    {"fdr10", 10.3125, false, 10.3125, code_64b66b},
    {"qdr", 10, false, 10, code_8b10b},
    {"ddr", 5, false, 5, code_8b10b},
    {"sdr", 2.5, false, 2.5, code_8b10b},
});

void add_infiniband(std::vector<LinkClass>& table, const InfinibandGeneration& generation) {
  const double achievable_4x = generation.achievable_4x;
  const bool published = achievable_4x > 0;
  const std::string_view source =
      published
          ? generation.source
          : "no figure for this rate: derated by 12.0/12.5, as NCCL does at 100 Gb/s (NET_BW, "
            "src/graph/topo.h)";
  for (const int lanes : {4, 2, 1}) {  // the most common first, for suggestions
    const BytesPerSecond raw = raw_rate(lanes, generation.line_gbits_per_s, generation.code);
    const std::string_view scaled = lanes < 4 && published ? ", for 4x, scaled by lanes" : "";
    add_network(table, fmt::format("infiniband-{}-{}x", generation.name, lanes), raw,
                published ? gigabytes(achievable_4x * lanes / 4) : derate * raw,
                fmt::format("{}{}; {}", source, scaled, network_latency_source));
  }
}

// A full frame takes 1538 bytes on the wire (with preamble and gap), of which TCP with time stamps
// carries 1448. A packet of RoCE v2 has 82 bytes beside its data, at most the path MTU: 20 of
// preamble and gap, 18 of Ethernet, 20 of IP, 8 of UDP, 12 of BTH, 4 of ICRC.
constexpr double tcp_payload = 1448.0 / 1538.0;

void add_ethernet(std::vector<LinkClass>& table) {
  // Ethernet's name is its rate after encoding.
  for (const int gbits_per_s : {1, 10, 25, 40, 50, 100, 200, 400, 800}) {
    const BytesPerSecond raw = raw_rate(1, gbits_per_s, uncoded);
    add_network(table, fmt::format("ethernet-{}g", gbits_per_s), raw, tcp_payload * raw,
                fmt::format("payload of TCP with time stamps in frames of 1500 bytes: "
                            "1448/1538 = 0.941, by arithmetic; RoCE v2 would reach 1024/1106 = "
                            "0.926 with a path MTU of 1024 bytes, 4096/4178 = 0.980 with 4096; {} "
                            "(RoCE; the cost of a TCP stack belongs to the transport profile)",
                            network_latency_source));
  }
}

/// Fabrics with one rate per port.
void add_other_fabrics(std::vector<LinkClass>& table, std::string_view left_out) {
  struct Fabric {
    std::string_view name;
    int gbits_per_s;
    double share;  // of the line rate
    std::string_view source;
    double message = 0;  // latency from GPU to GPU, us; 0: as InfiniBand
  };
  const auto measured = [&](std::string_view name) { return measured_constant(name, left_out); };
  constexpr std::string_view derated =
      "no figure for this fabric: derated by 12.0/12.5, as NCCL does at 100 Gb/s (NET_BW, "
      "src/graph/topo.h)";
  const double efa = measured("efa-100g, share of the line rate");
  constexpr double efa_message = 20;
  // The third and the fourth version of EFA.
  const double late_efa_message = measured("efa-200g, us of a message");
  constexpr std::string_view efa_source =
      "10.7 GB/s of each of four NICs (p4d.24xlarge and p4de.24xlarge), 12.4 of one "
      "(g7e.8xlarge); latency: 20 us of a message (TUNER_NET_LATENCY of aws/aws-ofi-nccl)";
  const std::string late_efa_source =
      fmt::format("{}; latency: 10 us of a message (p6-b200.48xlarge)", derated);
  // With TCPX, GPUs receive the payload and the kernel's TCP stack the headers; TCPXO bypasses the
  // kernel.
  constexpr std::string_view tcpx_source =
      "payload of TCP, as ethernet-200g; latency: 39 us of a message, as over TCP sockets: headers "
      "go through the same kernel (Linux, Documentation/networking/devmem.rst)";
  constexpr std::string_view tcpxo_source =
      "payload of TCP, as ethernet-200g; latency: 29.4 us of a message (a3-megagpu-8g)";
  const Fabric fabrics[] = {
      {"omni-path-100", 100, derate, derated},
      {"omni-path-400", 400, derate, derated},  // Cornelis CN5000
      {"slingshot-10", 100, derate, derated},
      {"slingshot-11", 200, measured("slingshot-11, share of the line rate"),
       "22.9 GB/s (Alps, one NIC; Kestrel, two)"},
      {"efa-50g", 50, efa, efa_source, efa_message},
      {"efa-100g", 100, efa, efa_source, efa_message},
      {"efa-200g", 200, derate, late_efa_source, late_efa_message},
      {"efa-400g", 400, derate, late_efa_source, late_efa_message},
      {"tcpx-200g", 200, tcp_payload, tcpx_source, measured(tcp_message)},
      {"tcpxo-200g", 200, tcp_payload, tcpxo_source, measured(tcpxo_message)},
  };
  for (const auto& [name, gbits_per_s, share, source, message] : fabrics) {
    const BytesPerSecond raw = raw_rate(1, gbits_per_s, uncoded);
    add_network(table, std::string{name}, raw, share * raw,
                fmt::format("{}; {}", source, network_latency_source));
    LinkClass& added = table.back();
    if (message > 0) {
      added.latency = (Seconds{message * 1e-6} - 2 * pcie_latency) / 2;
      added.source = fmt::format(
          "{}, less two PCIe cables and halved for the two cables at one switch", source);
    }
    if (name == "slingshot-11") {  // the NICs of slingshot-10 are ConnectX-5, without CXI
      // CSCS, NERSC, Argonne and HPE set NCCL_NET_GDR_LEVEL=PHB.
      added.gdr_past_root = true;
      // FI_CXI_RDZV_THRESHOLD and FI_CXI_RDZV_GET_MIN (fi_cxi(7)); 18 KiB in libfabric 2.4.
      added.eager_limit = 4_KiB;
    }
  }
}

}  // namespace

std::span<const InfinibandGeneration> infiniband_generations() {
  return generations;
}

BytesPerSecond staged_by_kernels(BytesPerSecond bandwidth, int pcie, std::string_view left_out) {
  const double share =
      pcie < 4 ? measured_constant("network, share of messages staged by kernels", left_out) : 1;
  // Measured on PCIe 4.0; assumed to grow with the rate of PCIe.
  const double most = measured_constant("network, GB/s of messages staged by kernels", left_out) *
                      (pcie < 5 ? 1 : 2);
  return std::min(share * bandwidth, gigabytes(most));
}

void add_networks(std::vector<LinkClass>& table, std::string_view left_out) {
  std::for_each(generations.rbegin(), generations.rend(),
                [&](const InfinibandGeneration& each) { add_infiniband(table, each); });
  add_ethernet(table);
  add_other_fabrics(table, left_out);
  for (LinkClass& each : table) {
    if (!each.is_network) continue;
    each.kernel_achievable = staged_by_kernels(each.achievable, oldest_pcie, left_out);
    each.spread = 0.12;
    each.kernel_spread = 0.35;
  }
}

}  // namespace ringcast::detail
