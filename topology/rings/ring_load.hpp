#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/schedule/ring_order.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The busiest link of concurrent rings, and the bus bandwidth that it allows.
struct RingBottleneck {
  BytesPerSecond busbw;
  LinkId link;
};

/// The bottleneck of rings that carry equal shares of a buffer. Each ring sends 2(n-1)/n of its
/// share over each of its hops, so a link of bandwidth b that k rings cross c times in total limits
/// the bus bandwidth to b k / c. Without latencies and overheads; nothing for one rank.
[[nodiscard]] std::optional<RingBottleneck> ring_bottleneck(const TransferPaths& paths,
                                                            std::span<const RingOrder> orders);

namespace detail {

/// The links that count: all, or those that NCCL sees, which end at its nodes' NICs
/// (src/graph/topo.cc has no cables between switches).
enum class CountedLinks { all, of_nodes };

/// The number of times that messages cross each link. A change takes O(log links) per link of the
/// message, slowest() O(1).
class LinkLoads {
 public:
  explicit LinkLoads(const TransferPaths& paths, CountedLinks counted = CountedLinks::all);

  /// Adds the crossings of messages from one rank to another; -1 removes one message.
  void add(Rank from, Rank to, int messages = 1);
  void add(const TransferPath& path, int messages);
  /// Adds messages from each rank of a ring to the next; -1 removes one each.
  void add_ring(std::span<const Rank> ring, int messages = 1);
  [[nodiscard]] bool counts(LinkId link) const { return !ignored_[index_of(link)]; }
  [[nodiscard]] int crossings(LinkId link) const { return crossings_[index_of(link)]; }
  /// The link that takes longest for one byte of every message; nothing without crossings.
  [[nodiscard]] std::optional<LinkId> busiest() const;
  /// Seconds for one byte of every message on the busiest link.
  [[nodiscard]] double slowest() const { return slowest_[1]; }
  /// The sum over all links of the square of these seconds: the lower, the more evenly the same
  /// crossings are spread over links.
  [[nodiscard]] double squares() const { return squares_; }

 private:
  void add(const Leg& leg, int messages);

  const TransferPaths* paths_;
  std::vector<bool> ignored_;   // by link
  std::vector<int> crossings_;  // by link
  /// A tournament tree: node i has the larger of the values of nodes 2i and 2i + 1; leaf
  /// leaves_ + link has the link's seconds.
  std::vector<double> slowest_;
  std::size_t leaves_ = 1;
  double squares_ = 0;
};

}  // namespace detail

}  // namespace ringcast
