#pragma once

#include <optional>
#include <vector>

#include "engine/contracts/endpoint.hpp"
#include "engine/schedule/ring_order.hpp"

namespace ringcast {

/// The options of a collective: one ring order per channel, each with its share of the buffer, and
/// the size of a segment (absent: whole chunks). With segments, transfer and reduction overlap.
/// Algorithms that do not divide the buffer among channels take their order of ranks from the first
/// one.
struct CollectiveOptions {
  std::vector<RingOrder> channels;
  std::optional<Bytes> segment_size;
  /// The node of each rank, by any number; empty: all ranks are on one node.
  std::vector<int> node_of = {};
  /// The ranks that are parameter servers; empty: the first rank of each node. Ranks beyond those
  /// of the ring orders are dedicated servers: they contribute nothing, and are in no ring.
  std::vector<Rank> servers = {};
  /// Parameter servers: false: a server receives the workers' pushes one after the other. True: all
  /// at once, each into a buffer of its own, which is faster if each worker has its own cable to
  /// the server.
  bool serve_at_once = false;
  /// Trees: the reduction ends before the broadcast begins; otherwise they overlap.
  bool reduce_first = false;
  /// Trees on one node: a chain of its ranks, as within each of several nodes; otherwise binary
  /// trees.
  bool chain_on_one_node = false;
  /// Trees: the bytes that a rank has in flight on each link, in 16 to max_in_flight segments.
  /// Absent: 1 MiB, in at most 32.
  std::optional<Bytes> in_flight = {};
};

/// The most segments that a rank has in flight on a channel; in recursive halving and doubling, in
/// both directions together. It bounds the memory for tiny segments, and limits the bandwidth only
/// if the transfer of this many segments takes less than the latency of one.
inline constexpr int max_in_flight = 256;

/// The options as given. Throws ContractViolation without channels, with rings of different sizes,
/// a zero segment, nodes of more or fewer ranks than the rings have, or a server that is no rank or
/// is repeated.
[[nodiscard]] CollectiveOptions checked(CollectiveOptions options);
/// The most elements of a segment; zero for whole chunks. A segment holds at least one element.
[[nodiscard]] std::uint64_t segment_elements(const CollectiveOptions& options, Bytes element_size);
/// Throws ContractViolation unless the rings are of all ranks of the job.
void expect_whole_job(const CollectiveOptions& options, const Endpoint& network);

}  // namespace ringcast
