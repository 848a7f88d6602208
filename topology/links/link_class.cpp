#include "topology/links/link_class.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "topology/links/derived_classes.hpp"
#include "topology/links/line_rate.hpp"
#include "topology/links/measured_constants.hpp"
#include "topology/links/network_classes.hpp"
#include "topology/links/socket_classes.hpp"

namespace ringcast {

namespace {

using detail::gigabytes;
using detail::LineCode;
using detail::pcie_latency;
using detail::raw_rate;
using detail::uncoded;

// A step of NCCL's ring over NVLink under its LL protocol: 0.6 us (nccl src/graph/tuning.cc). A
// step through an NVSwitch crosses two cables.
constexpr Seconds nvlink_latency{0.6e-6 / 2};

constexpr std::string_view pcie_latency_source =
    "latency: half of 0.36 us GPU to GPU over two gen 5 cables (voipmonitor/rtx6kpro "
    "hardware/topology.md), taken for every generation";

void add_pcie(std::vector<LinkClass>& table, std::string_view left_out) {
  struct Generation {
    std::string_view name;
    double line_gbits_per_s;
    LineCode code;
    double achievable_x16;  // GB/s
    std::string_view source;
    double nccl_x16;       // GB/s, kvDictPciGen
    double peers_x16 = 0;  // GB/s
  };
  constexpr std::string_view nccl = "NCCL's rate per lane (src/graph/topo.cc, kvDictPciGen)";
  const auto measured = [&](std::string_view name) { return measured_constant(name, left_out); };
  // NVIDIA/nccl#814 and five published sets, which measured_links.cpp names.
  const double kernels = measured("pcie, share of kernels in host memory");
  const Generation generations[] = {
      {"1.0", 2.5, detail::code_8b10b, 3.0, nccl, 3.0},
      {"2.0", 5, detail::code_8b10b, 6.0, nccl, 6.0},
      {"3.0", 8, detail::code_128b130b, measured("pcie-3.0-x16 bandwidth"),
       "DeepBench, GTX 1080 Ti: 12.2 GB/s between two GPUs on one PCIe switch, 8.8 GB/s in a ring "
       "of eight past the root complex",
       12.0, measured("pcie-3.0-x16 peer_bandwidth")},
      {"4.0", 16, detail::code_128b130b, measured("pcie-4.0-x16 bandwidth"),
       "rings of RTX 3090 and 4090 on nine machines, 24.7 to 25.7 GB/s; 20 GB/s in a ring of three "
       "A100 past root complexes (NVIDIA/nccl-tests#178)",
       24.0, 20.0},
      {"5.0", 32, detail::code_128b130b, 55.0,
       "55 to 56 GB/s GPU to GPU in one NUMA domain (voipmonitor/rtx6kpro "
       "hardware/pcie-bandwidth.md); 5/6 of it past a root complex (INTEL_P2P_OVERHEAD in NCCL's "
       "src/graph/topo.h)",
       48.0, 55.0 * 5 / 6},
      {"6.0", 64, detail::code_pcie_flit, 96.0, nccl, 96.0},
  };
  for (const Generation& generation : generations) {
    for (const int lanes : {4, 8, 16}) {
      const std::string_view scaled = lanes == 16 ? "" : ", for x16, scaled by lanes";
      table.push_back({fmt::format("pcie-{}-x{}", generation.name, lanes),
                       raw_rate(lanes, generation.line_gbits_per_s, generation.code),
                       gigabytes(generation.achievable_x16 * lanes / 16), pcie_latency,
                       fmt::format("{}{}; kernels through host memory 0.65 of NCCL's rate, on "
                                   "eight machines 0.43 to 0.88; {}",
                                   generation.source, scaled, pcie_latency_source),
                       gigabytes(generation.peers_x16 * lanes / 16),
                       gigabytes(kernels * generation.nccl_x16 * lanes / 16)});
    }
  }
}

// The rates are those of kernels, whose NVLink packets carry 128 bytes. Those of copy engines carry
// 256 bytes (NVIDIA/nccl-tests#149) and reach more: on A100 1.17 times as much through a switch,
// 1.29 times from GPU to GPU.
void add_nvlink(std::vector<LinkClass>& table, std::string_view left_out) {
  struct Generation {
    std::string_view name;
    int lanes;
    double line_gbits_per_s;
    double achievable;  // GB/s
    std::string_view constant;
    double direct;  // GB/s, from GPU to GPU
    std::string_view direct_source;
  };
  const double share =
      measured_constant("nvlink without a switch, share of the line rate", left_out);
  const Generation generations[] = {
      {"1.0", 8, 20, 18.0, "SM60_NVLINK_BW", share * 20, "0.9 of the line rate"},
      {"2.0", 8, 25, 20.0, "SM70_NVLINK_BW", share * 25, "0.9 of the line rate"},
      {"3.0", 4, 50, 235.0 / 12, "limit of 235 GB/s for 12 links (src/graph/tuning.cc, 2.8)",
       measured_constant("nvlink-3.0 without a switch, GB/s", left_out),
       "the mean of three machines"},
      {"4.0", 2, 100, 20.6, "SM90_NVLINK_BW",
       measured_constant("nvlink-4.0 without a switch, GB/s", left_out),
       "the mean of five machines"},
      {"5.0", 2, 200, 40.1, "SM100_NVLINK_BW", 40.1, "as much"},
      {"6.0", 2, 200, 31.2, "RUBIN_NVLINK_BW", 31.2, "as much"},
  };
  for (const Generation& generation : generations) {
    table.push_back(
        {fmt::format("nvlink-{}", generation.name),
         raw_rate(generation.lanes, generation.line_gbits_per_s, uncoded),
         gigabytes(generation.achievable), nvlink_latency,
         fmt::format("one link through a switch, NCCL's {} (src/graph/topo.h); from GPU to GPU {}; "
                     "latency: a step of NCCL's ring over NVLink, 0.6 us (src/graph/tuning.cc), "
                     "halved as it crosses two cables",
                     generation.constant, generation.direct_source),
         BytesPerSecond{}, BytesPerSecond{}, gigabytes(generation.direct)});
  }
  table.push_back(
      {"nvlink-3.0-rtx", raw_rate(4, 28.125, uncoded), gigabytes(12.0), nvlink_latency,
       "one of the four links of the NVLink bridge of RTX 3090, RTX A6000 and A40, 14.06 "
       "GB/s each way (NVIDIA's GA102 white paper), of which kernels reach NCCL's SM86_NVLINK_BW "
       "(src/graph/topo.h); latency: as NVLink"});
}

/// NVLink-C2C between a Grace processor and its GPU.
void add_c2c(std::vector<LinkClass>& table) {
  table.push_back({"nvlink-c2c", gigabytes(450), gigabytes(0.9 * 450), nvlink_latency,
                   "450 GB/s each way (NVIDIA's Grace Hopper data sheet), 0.9 of it as NVLink; "
                   "latency: as NVLink"});
}

/// AMD's xGMI links between GPUs.
void add_infinity_fabric(std::vector<LinkClass>& table, std::string_view left_out) {
  const double achieved = measured_constant("xgmi, share of the line rate", left_out);
  // GB/s of one link and direction, from AMD's data sheets, which give both directions of one link
  // or of all links of a GPU.
  constexpr std::pair<std::string_view, double> lines[] = {
      {"xgmi-mi250x", 50}, {"xgmi-mi210", 50},  {"xgmi-mi100", 46},   {"xgmi-mi300x", 64},
      {"xgmi-mi300a", 64}, {"xgmi-mi325x", 64}, {"xgmi-mi355x", 76.8}};
  for (const auto& [name, line] : lines) {
    table.push_back(
        {std::string{name}, gigabytes(line), gigabytes(achieved * line), nvlink_latency,
         "one Infinity Fabric link between two GPUs: 47.7 of 64 GB/s between two MI300X "
         "(stas00/ml-engineering, network/README.md); latency: as NVLink"});
  }
}

/// A derived class, with a stable address; null if there is none.
const LinkClass* kept_class(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, LinkClass, std::less<>> kept;
  const std::scoped_lock lock{mutex};
  if (const auto found = kept.find(name); found != kept.end()) return &found->second;
  const auto derived = detail::derived_class(link_classes(), name);
  return derived ? &kept.emplace(name, *derived).first->second : nullptr;
}

/// The digit after the family's name.
std::optional<int> generation_after(std::string_view family, std::string_view link_class) {
  if (!link_class.starts_with(family) || link_class.size() == family.size()) return std::nullopt;
  const char digit = link_class[family.size()];
  return digit >= '0' && digit <= '9' ? std::optional{digit - '0'} : std::nullopt;
}

std::vector<LinkClass> built_table(std::string_view left_out) {
  std::vector<LinkClass> table;
  add_pcie(table, left_out);
  add_nvlink(table, left_out);
  add_c2c(table);
  add_infinity_fabric(table, left_out);
  detail::add_socket_links(table, left_out);
  detail::add_networks(table, left_out);
  return table;
}

}  // namespace

std::span<const LinkClass> link_classes() {
  static const std::vector<LinkClass> table = built_table({});
  return table;
}

std::vector<LinkClass> link_classes_without(std::string_view set) {
  return built_table(set);
}

BytesPerSecond kernel_limit(const LinkClass& link_class, BytesPerSecond bandwidth, int pcie,
                            std::string_view left_out) {
  return link_class.is_network ? detail::staged_by_kernels(bandwidth, pcie, left_out)
                               : BytesPerSecond{};
}

const LinkClass* find_link_class(std::string_view name) {
  const std::span<const LinkClass> table = link_classes();
  const auto found = std::ranges::find(table, name, &LinkClass::name);
  return found == table.end() ? kept_class(name) : &*found;
}

LinkClass link_class_in(std::span<const LinkClass> table, std::string_view name,
                        std::string_view left_out) {
  const auto found = std::ranges::find(table, name, &LinkClass::name);
  const auto derived =
      found == table.end() ? detail::derived_class(table, name, left_out) : std::optional{*found};
  expect(derived.has_value(), "no link class {}", name);
  return *derived;
}

std::optional<int> pcie_generation(std::string_view link_class) {
  return generation_after("pcie-", link_class);
}

std::optional<int> nvlink_generation(std::string_view link_class) {
  return generation_after("nvlink-", link_class);
}

bool is_xgmi_mesh(std::string_view link_class) {
  return link_class == "xgmi-mi300a" || link_class == "xgmi-mi300x" ||
         link_class == "xgmi-mi325x" || link_class == "xgmi-mi355x";
}

}  // namespace ringcast
