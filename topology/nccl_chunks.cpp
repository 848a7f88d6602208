#include "topology/nccl_chunks.hpp"

#include <algorithm>
#include <cmath>

namespace ringcast::detail {
namespace {

/// The size of a piece if `whole` is cut into `count`, at most as many as matter: beyond, the
/// pipeline fills within a few percent of the time.
Bytes pieces(double count, double whole) {
  constexpr double most = 256;
  return Bytes{static_cast<std::uint64_t>(
      std::max(64.0, std::ceil(whole / std::clamp(std::round(count), 1.0, most))))};
}

Bytes tree_segment(const NcclMachine& machine, const Protocol& protocol, double size) {
  const int per_node = machine.ranks / machine.nodes;
  const double depth = per_node + floor_log2(machine.nodes);
  // A chunk is an eighth of the channel's buffer, 4 MiB; LL128 and LL have smaller ones.
  double chunk = protocol.name == "Simple" ? 512 << 10 : 256 << 10;
  const auto shrink = [&](double loops, double least) {
    while (size / (machine.channels() * chunk) < loops && chunk > least) {
      chunk /= 2;
    }
  };
  shrink(depth * 8, 128 << 10);
  shrink(depth * 4, 64 << 10);
  shrink(depth, 32 << 10);
  return pieces(size / chunk / machine.channels(), size / machine.channels());
}

Bytes switched_segment(const NcclMachine& machine, double size) {
  const int per_node = machine.ranks / machine.nodes;
  // Channels of NVLS: 16, each with a head per rank of the node.
  const double concurrent = 16.0 * per_node;
  double chunk = machine.nodes >= 4 ? 64 << 10 : 128 << 10;
  const auto limit = [&](double loops, double most) {
    if (size < loops * concurrent * chunk) chunk = std::min(chunk, most);
  };
  if (machine.nodes == 1) {
    limit(64, 64 << 10);
    limit(8, 32 << 10);
    limit(2, 16 << 10);
    // A chunk is copied into the buffer that the switch sees, passes the switch both ways in one
    // pass of loads and stores, and is copied out: two chunks fill the pipeline, where the ways up,
    // to the owner, to the switch and down would take three.
    return pieces(1.5 * size / concurrent / chunk, size / per_node);
  }
  limit(4, 64 << 10);
  limit(1, 32 << 10);
  return pieces(size / concurrent / chunk, size / per_node / 2);
}

}  // namespace

std::optional<Bytes> nccl_segment(const NcclMachine& machine, const Protocol& protocol,
                                  Bytes size) {
  const auto bytes = static_cast<double>(size.count());
  if (protocol.algorithm == "tree") return tree_segment(machine, protocol, bytes);
  if (protocol.algorithm == "in-switch") return switched_segment(machine, bytes);
  return std::nullopt;
}

}  // namespace ringcast::detail
