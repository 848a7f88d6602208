#pragma once

#include <optional>
#include <string_view>

#include "topology/nccl/nccl_tuner.hpp"

namespace ringcast {

/// The first release that loads tuner plugins (src/include/nccl_tuner.h).
inline constexpr NcclVersion first_with_tuner_plugins{2, 19};

/// Instances of Amazon EC2 with eight GPUs for which the plugin for EFA has a tuner of its own.
enum class AwsInstance { p5, p5en, p6_b200, p6_b300 };

/// The algorithm and protocol, such as tree/LL128, that the plugin chooses for an all-reduce on two
/// instances or more, in place of NCCL's tuner; nothing where it leaves the choice to NCCL.
///
/// The plugin's regions in the plane of sizes and ranks: aws/aws-ofi-nccl,
/// src/tuner/nccl_ofi_regions.cpp. Gaps between two of them that are narrower than 5 % of the size
/// are closed.
[[nodiscard]] std::optional<std::string_view> aws_choice(AwsInstance instance, int nodes, int ranks,
                                                         Bytes size);

}  // namespace ringcast
