#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/report/job_map.hpp"

namespace ringcast {

/// A file that makes another program use the rings.
struct RingFile {
  std::string host;  // empty: the same file for all hosts
  std::string text;
};

/// Rings of a job, as the formats need them.
struct ExportedRings {
  const TransferPaths& paths;
  const JobMap& map;
  const std::vector<RingOrder>& rings;  // at least one, of equal shares
  BytesPerSecond busbw;                 // of all rings together
};

/// `ringcast`, `nccl-graph`, `hostfile`, `rankfile`, `slurm`, `torchrun`
[[nodiscard]] const std::vector<std::string>& ring_export_formats();

/// The rings in one of the formats; one file, or one for each host. Throws ScenarioError
/// "--export FORMAT: ..." for rings that the format cannot express.
///
/// - ringcast: YAML for a scenario's `ring_order`: all rings.
/// - nccl-graph: NCCL_GRAPH_FILE: the part of each ring within a host. The order of the hosts is
///   that of the ranks, for which there are the other formats.
/// - hostfile, torchrun: the hosts in the order of the first ring, which visits each once.
/// - rankfile, slurm: the ranks in the order of the first ring.
///
/// A single ring also orders the GPUs of each host (CUDA_VISIBLE_DEVICES); the insides of several
/// are in nccl-graph only.
[[nodiscard]] std::vector<RingFile> exported(std::string_view format, const ExportedRings& of);

/// What a message says of a format that has one order of hosts, where the rings have several; else
/// empty.
[[nodiscard]] std::string note_of_export(std::string_view format, const ExportedRings& of);

namespace detail {

[[nodiscard]] std::vector<RingFile> nccl_graphs(const ExportedRings& of);

}  // namespace detail

}  // namespace ringcast
