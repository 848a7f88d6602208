#pragma once

#include <functional>

#include "engine/collectives/collective_options.hpp"
#include "engine/contracts/collective.hpp"

/// The collective algorithms, as functions. Each source file begins with the algorithm's phases,
/// its cost and its source; allreduce_algorithms.cpp lists the all-reduces by name.
namespace ringcast {

/// One rank's part of a collective, from the first message to the last.
using RankPart = std::function<void(const CollectiveRequest& request, RankContext& self)>;
/// Returns the part of any rank under these options, which are checked(). What depends on the
/// options only is computed in this call, once for all ranks and runs.
using Algorithm = RankPart(CollectiveOptions options);

Algorithm ring_reduce_scatter;
Algorithm ring_all_gather;
Algorithm ring_allreduce;
Algorithm two_way_ring_allreduce;
Algorithm hierarchical_ring_allreduce;
Algorithm double_tree_allreduce;
Algorithm in_switch_allreduce;
Algorithm halving_doubling_allreduce;
Algorithm all_to_all_allreduce;
Algorithm single_reducer_reduce;
Algorithm single_reducer_broadcast;
Algorithm single_reducer_allreduce;
// The options of these are checked_with_servers().
Algorithm parameter_server_push;
Algorithm parameter_server_pull;
Algorithm parameter_server_allreduce;

/// How many messages one run of an all-reduce exchanges: see allreduce_message_count().
using MessageCount = double(const CollectiveOptions& options, std::uint64_t elements,
                            Bytes element_size);

MessageCount ring_messages;
MessageCount two_way_ring_messages;
MessageCount hierarchical_ring_messages;
MessageCount double_tree_messages;
MessageCount in_switch_messages;
MessageCount halving_doubling_messages;
MessageCount all_to_all_messages;
MessageCount single_reducer_messages;
MessageCount parameter_server_messages;

/// How many chunks an all-reduce cuts a buffer into: see allreduce_chunk_count().
using ChunkCount = std::uint64_t(const CollectiveOptions& options);

ChunkCount ring_chunks;
ChunkCount two_way_ring_chunks;
ChunkCount hierarchical_ring_chunks;
ChunkCount double_tree_chunks;
ChunkCount in_switch_chunks;
ChunkCount halving_doubling_chunks;
ChunkCount parameter_server_chunks;

/// The rings that an all-reduce consists of: see concurrent_rings().
using RingsOf = std::vector<RingOrder>(const CollectiveOptions& options);

RingsOf rings_of_ring;
RingsOf rings_of_two_way_ring;

/// The most scratch that a rank needs: see allreduce_scratch().
using ScratchSize = Bytes(const CollectiveOptions& options, std::uint64_t elements,
                          Bytes element_size);

ScratchSize double_tree_scratch;
ScratchSize in_switch_scratch;
ScratchSize all_to_all_scratch;
ScratchSize parameter_server_scratch;

/// Sends the root's buffer once around each channel's ring, segment by segment. Throws
/// ContractViolation if the root is no rank of the rings.
[[nodiscard]] std::unique_ptr<Collective> make_ring_broadcast(CollectiveOptions options, Rank root);

}  // namespace ringcast
