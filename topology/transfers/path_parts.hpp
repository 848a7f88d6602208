#pragma once

#include <optional>

#include "topology/transfers/leg.hpp"
#include "topology/transfers/path_level.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast::detail {

[[nodiscard]] VertexKind kind_of(const Topology& topology, int vertex);
[[nodiscard]] bool is_gpu(const Topology& topology, int vertex);
[[nodiscard]] bool is_process(const Topology& topology, int vertex);
/// The socket whose memory holds the buffers of a process, or of a rank on the socket itself.
[[nodiscard]] int memory_of(const Topology& topology, int place);
/// Whether devices at this distance communicate through a root complex.
[[nodiscard]] PcieTraffic peers_past_root(PathLevel level);

/// Combines the legs of a path: pipelined into one, or in sequence.
void arrange(TransferPath& path, std::optional<Leg> down, Leg between, std::optional<Leg> up,
             const Topology& topology, bool pipelined);

}  // namespace ringcast::detail
