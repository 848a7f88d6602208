#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/config/cluster/cluster_cables.hpp"
#include "app/config/yaml/input_node.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// The value of a key `transport`: the map itself, a YAML file relative to `folder`, or the name of
/// a file in the catalogue: `RCCL`, `nccl-efa`, or `nccl` for the library as it runs on the cluster
/// (nccl_of()). Throws ScenarioError for a name that is none.
[[nodiscard]] InputNode named_transport(const InputNode& node, const std::filesystem::path& folder,
                                        const ClusterSpec& cluster);
/// The same for the text of an option `--transport`.
[[nodiscard]] InputNode transport_option(std::string_view text, const ClusterSpec& cluster);

/// The catalogue's name of NCCL on this cluster:
/// - `rccl` on AMD's GPUs, where nothing else runs;
/// - `nccl-slingshot` on Slingshot, whose sites set variables;
/// - `nccl-efa` on EFA with PCIe 4.0 and older, where plugin_allows_simple_alone(): P4d, G4dn;
/// - `nccl-sockets` on Ethernet to 10 Gb/s, whose cards rarely have RDMA;
/// - `nccl` on all others.
[[nodiscard]] std::string_view nccl_of(const ClusterSpec& cluster);
/// The default transport of a cluster, for read_transport(): NCCL, or for processes the shared
/// memory of one host, and between several MPI of host memory.
[[nodiscard]] std::filesystem::path default_transport_file(const ClusterSpec& cluster);

/// What a user of the default transport should know: a fabric that the cluster file names as plain
/// Ethernet, nowhere as RoCE, is taken to carry RDMA. Empty: nothing.
[[nodiscard]] std::string note_on_ethernet(const InputNode& file, const ClusterSpec& cluster);

/// Where the link classes of the cluster contradict the transport: RCCL beside NVLink, NCCL on
/// AMD's GPUs, NCCL over EFA or Slingshot on another network. Empty: nowhere, or not known.
[[nodiscard]] std::string note_on_transport(const TransportProfile& transport,
                                            const ClusterSpec& cluster);

/// Whether NCCL's plugin for the network between nodes allows the protocol Simple alone:
/// - AWS's for EFA sets NCCL_PROTO=simple but on P5 and later, whose GPUs have NVLink 4
///   (platform_init() in src/platform-aws.c of aws/aws-ofi-nccl);
/// - Google's for GPUDirect-TCPXO requires NCCL_PROTO=Simple (its guest configuration checker and
///   the recipes in GoogleCloudPlatform/cluster-toolkit); its settings for GPUDirect-TCPX contain
///   it (gpudirect-tcpx/nccl-config.yaml in GoogleCloudPlatform/container-engine-accelerators).
[[nodiscard]] bool plugin_allows_simple_alone(const LinkClassNames& classes);

}  // namespace ringcast
