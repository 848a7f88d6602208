#pragma once

#include <optional>
#include <span>
#include <vector>

#include "topology/links/link_class.hpp"
#include "topology/routes/topology.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// The distance of two devices of one node. Throws ContractViolation for two nodes.
[[nodiscard]] PathLevel level_between(const Topology& topology, int a, int b);

/// The same for a GPU and its NIC. Two cases past one root complex count as near:
/// - A GPU that NVLink-C2C connects to the processor of the NIC, where GPUDirect RDMA is NCCL's
///   default (NCCL_NET_GDR_C2C, its src/graph/paths.cc).
/// - With `boards_have_switches`, a NIC at the root complex of a GPU on a board
///   (Vertex::on_board). PCIe switches connect such boards to hosts and NICs (NVIDIA's DGX A100
///   and DGX H100 user guides, AMD's Instinct MI300X platform); the description then omits them.
[[nodiscard]] PathLevel nic_level(const Topology& topology, int gpu, int nic,
                                  bool boards_have_switches = true);

/// Whether the GPU reaches host memory over NVLink-C2C.
[[nodiscard]] bool has_c2c(const Topology& topology, int gpu);

/// Whether `level` is within the limit `allowed`; false if that is absent.
[[nodiscard]] bool reaches(std::optional<PathLevel> allowed, PathLevel level);

/// The known classes of cables in order, without consecutive repetitions.
[[nodiscard]] std::vector<const LinkClass*> link_classes_on(const Topology& topology,
                                                            std::span<const LinkId> cables);
/// Whether sites enable GPUDirect RDMA through root complexes on this network.
[[nodiscard]] bool gdr_past_root(std::span<const LinkClass* const> network);
/// The farthest level of GPUDirect RDMA: `allowed`, with `past_root` at least that of a root
/// complex.
[[nodiscard]] std::optional<PathLevel> gdr_level(std::optional<PathLevel> allowed, bool past_root);

}  // namespace ringcast
