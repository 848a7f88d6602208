#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// A standard kind of cable; rates are per direction.
struct LinkClass {
  std::string name;           // e.g. "pcie-3.0-x16", "infiniband-fdr-4x"
  BytesPerSecond raw;         // line rate after encoding
  BytesPerSecond achievable;  // rate of large messages, which predictions use
  Seconds latency{0};         // of one cable, for a small message
  std::string source;         // of the achievable rates and the latency
  /// Cable::peer_bandwidth and kernel_bandwidth; zero: no separate value is known.
  BytesPerSecond peer_achievable{0};
  BytesPerSecond kernel_achievable{0};
  /// Rate of an NVLink between two GPUs without an NVSwitch; zero: `achievable`.
  BytesPerSecond direct_achievable{0};
  /// A link between nodes: its kernel_achievable is a fraction of its bandwidth.
  bool is_network = false;
  /// NCCL uses GPUDirect RDMA through root complexes (PHB), which it does not by default.
  bool gdr_past_root = false;
  /// With any library, longer messages begin with a handshake (cxi_rendezvous in
  /// measured_constants.hpp).
  std::optional<Bytes> eager_limit = {};
  /// Relative spread of the rate, and of kernel_achievable, among published machines of the class,
  /// up and down. From the published sets' rows of 256 MiB and more (docs/validation.md), and for
  /// kernels on networks from the samples in measured_links.cpp.
  double spread = 0.08;
  double kernel_spread = 0.08;
};

/// The table, ordered by family and rate.
[[nodiscard]] std::span<const LinkClass> link_classes();
/// The same table without the measurements of the published set of this file name.
[[nodiscard]] std::vector<LinkClass> link_classes_without(std::string_view set);
/// A class of such a table, or one that is scaled from it as find_link_class() does.
[[nodiscard]] LinkClass link_class_in(std::span<const LinkClass> table, std::string_view name,
                                      std::string_view left_out);
/// The generation of PCIe for which kernel_achievable of a network holds: 3 and older.
inline constexpr int oldest_pcie = 3;
/// Cable::kernel_bandwidth of a cable of this class with an overridden bandwidth, for GPUs on PCIe
/// of this generation, without the measurements of the set `left_out`; zero: no limit.
[[nodiscard]] BytesPerSecond kernel_limit(const LinkClass& link_class, BytesPerSecond bandwidth,
                                          int pcie = oldest_pcie, std::string_view left_out = {});
/// A class of the table, or one that is scaled from it: `ethernet-30g`, `pcie-3.0-x1`, `upi-14.4`.
/// Null if there is no such class.
[[nodiscard]] const LinkClass* find_link_class(std::string_view name);
/// The 4 of `pcie-4.0-x16`; absent: the class is not PCIe.
[[nodiscard]] std::optional<int> pcie_generation(std::string_view link_class);
/// The 4 of `nvlink-4.0`; absent for other classes, NVLink-C2C among them.
[[nodiscard]] std::optional<int> nvlink_generation(std::string_view link_class);
/// Whether the class is xGMI of MI300 or later, which connects each pair of eight GPUs, or of four
/// MI300A. RCCL's models of such nodes have mscclEnabled (src/graph/rome_models.cc), or it runs
/// them alike (8 MI350X, 4 MI300A).
[[nodiscard]] bool is_xgmi_mesh(std::string_view link_class);

}  // namespace ringcast
