#pragma once

#include <optional>
#include <set>
#include <string_view>

#include "topology/nccl/nccl_tuner.hpp"

namespace ringcast {

/// The first release that loads tuner plugins (src/include/nccl_tuner.h).
inline constexpr NcclVersion first_with_tuner_plugins{2, 19};
/// The first release that shows plugins what NCCL_ALGO, NCCL_PROTO and NCCL_NVLS_ENABLE leave
/// (aws/aws-ofi-nccl, pull request 524). Before, the plugin for EFA chooses nothing where the first
/// two are set (src/tuner/nccl_ofi_tuner.cpp).
inline constexpr NcclVersion first_with_cost_tables{2, 22};

/// Instances of Amazon EC2 with eight GPUs for which the plugin for EFA has a tuner of its own.
enum class AwsInstance { p5, p5en, p6_b200, p6_b300 };

/// The algorithm and protocol, such as tree/LL128, that the plugin chooses for an all-reduce in
/// place of NCCL's tuner; nothing where it leaves the choice to NCCL.
///
/// The plugin's regions in the plane of sizes and ranks: aws/aws-ofi-nccl,
/// src/tuner/nccl_ofi_regions.cpp. Gaps between two of them that are narrower than 5 % of the size
/// are closed. The regions begin at three instances, in plugins from July 2024 (pull request 475)
/// to February 2025 (pull requests 778 and 779) at two; P6 has had them since May 2025 (900). The
/// regions here are of 2025 in both cases.
[[nodiscard]] std::optional<std::string_view> aws_choice(AwsInstance instance, EfaTuner tuner,
                                                         int nodes, int ranks, Bytes size);

/// The latency of the network that the plugin reports to NCCL, for a job on these classes of links;
/// zero without EFA. It steers NCCL's choice alone: messages take less.
///
/// By instance (src/platform-aws.cpp): 150 us on P3dn; 35 us on P5en and P6, 75 us before May 2025
/// (pull request 901); 75 us on P4d, P4de, P5, P5e, G5 and all that the plugin does not list. The
/// classes do not tell P5 from P5e, nor an older plugin from a newer. Plugins for other networks
/// report none: NCCL's own for InfiniBand and sockets, and this one outside of EC2
/// (OFI_NCCL_NET_LATENCY is 0).
[[nodiscard]] Seconds aws_latency(const std::set<std::string_view>& links);

/// Whether the plugin sets NCCL_BUFFSIZE to 8 MiB: on P5 and later (platform_data_map in
/// src/platform-aws.c). Newer ones do it on P4d and P4de, too, but pairs of these show 4 MiB.
[[nodiscard]] bool aws_sets_buffers(const std::set<std::string_view>& links);

}  // namespace ringcast
