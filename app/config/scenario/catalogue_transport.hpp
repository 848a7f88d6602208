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
/// (nccl_of()). Throws ScenarioError for an unknown name.
[[nodiscard]] InputNode named_transport(const InputNode& node, const std::filesystem::path& folder,
                                        const ClusterSpec& cluster);
/// The same for the text of an option `--transport`.
[[nodiscard]] InputNode transport_option(std::string_view text, const ClusterSpec& cluster);

/// The catalogue's name of NCCL on this cluster:
/// - `rccl` on AMD's GPUs, by the links between them or their model;
/// - `nccl-slingshot` on Slingshot, where sites set variables of NCCL;
/// - `nccl-efa` on EFA with PCIe 4.0, where plugin_allows_simple_alone(): P4d;
/// - `nccl-efa-without-rdma` there with PCIe 3.0 and older: P3dn, G4dn;
/// - `nccl-sockets` on Ethernet to 10 Gb/s, whose NICs rarely have RDMA;
/// - `nccl` on all others.
[[nodiscard]] std::string_view nccl_of(const ClusterSpec& cluster);
/// The default transport of a cluster, for read_transport(): NCCL for GPUs; for processes MPI in
/// host memory, or shared memory if all of the job's ranks are on one host.
[[nodiscard]] std::filesystem::path default_transport_file(const ClusterSpec& cluster);

/// A note for users of the default transport: a fabric that the cluster file names as plain
/// Ethernet, nowhere as RoCE, is assumed to carry RDMA. Empty: not so here.
[[nodiscard]] std::string note_on_ethernet(const InputNode& file, const ClusterSpec& cluster);

/// A contradiction between the cluster and the transport: RCCL on NVIDIA's GPUs, NCCL on
/// AMD's GPUs, NCCL for EFA or Slingshot on another network. Empty: none is known.
[[nodiscard]] std::string note_on_transport(const TransportProfile& transport,
                                            const ClusterSpec& cluster);

/// Whether NCCL's network plugin allows the protocol Simple only:
/// - AWS's for EFA sets NCCL_PROTO=simple, except on P5 and later, whose GPUs have NVLink 4
///   (platform_init() in src/platform-aws.c of aws/aws-ofi-nccl);
/// - Google's for GPUDirect-TCPXO requires NCCL_PROTO=Simple (its guest configuration checker and
///   the recipes in GoogleCloudPlatform/cluster-toolkit); its settings for GPUDirect-TCPX contain
///   it (gpudirect-tcpx/nccl-config.yaml in GoogleCloudPlatform/container-engine-accelerators).
[[nodiscard]] bool plugin_allows_simple_alone(const LinkClassNames& classes);

}  // namespace ringcast
