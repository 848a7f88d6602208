#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/report/job_map.hpp"

namespace ringcast {

/// A configuration file for another program.
struct RingFile {
  std::string host;  // empty: the same file for all hosts
  std::string text;
};

/// The input of the formats.
struct ExportedRings {
  const TransferPaths& paths;
  const JobMap& map;
  const std::vector<RingOrder>& rings;  // at least one; all have equal shares of the buffer
  BytesPerSecond busbw;                 // of all rings together
};

/// `ringcast`, `nccl-graph`, `hostfile`, `rankfile`, `slurm`, `torchrun`
[[nodiscard]] const std::vector<std::string>& ring_export_formats();

/// The rings in one of the formats; one file, or one for each host. Throws ScenarioError
/// "--export FORMAT: ..." for rings that the format cannot express.
///
/// - ringcast: YAML for a scenario's `ring_order`: all rings.
/// - nccl-graph: NCCL_GRAPH_FILE: the part of each ring within a host. The order of the hosts is
///   that of the ranks, which the other formats set.
/// - hostfile, torchrun: the hosts in the order of the first ring, which visits each once.
/// - rankfile, slurm: the ranks in the order of the first ring.
///
/// A single ring also gives the order of the GPUs of each host (CUDA_VISIBLE_DEVICES); only
/// nccl-graph expresses the order within hosts for several rings.
[[nodiscard]] std::vector<RingFile> exported(std::string_view format, const ExportedRings& of);

/// A note if the format has one order of hosts, or of the ranks of a host, but the rings have
/// several, or no GPUs for a single ring; else empty.
[[nodiscard]] std::string note_of_export(std::string_view format, const ExportedRings& of);

namespace detail {

[[nodiscard]] std::vector<RingFile> nccl_graphs(const ExportedRings& of);

}  // namespace detail

}  // namespace ringcast
