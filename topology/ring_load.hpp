#pragma once

#include <map>
#include <optional>
#include <span>

#include "engine/schedule/ring_order.hpp"
#include "topology/transfer_path.hpp"

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

/// The number of times that messages cross each link.
class LinkLoads {
 public:
  explicit LinkLoads(const TransferPaths& paths) : paths_{&paths} {}

  /// Adds the crossings of messages from one rank to another, or with -1 removes them.
  void add(Rank from, Rank to, int messages = 1);
  /// Adds a message between each two neighbours of a path.
  void add_path(std::span<const Rank> path);
  /// The link that takes longest for one byte of every message; nothing if there is no link.
  [[nodiscard]] std::optional<LinkId> busiest() const;
  /// Seconds for one byte of every message on the busiest link.
  [[nodiscard]] double slowest() const;
  /// The sum over all links of the square of these seconds: less for the same crossings if they are
  /// spread over more links.
  [[nodiscard]] double squares() const;

 private:
  void add(const Leg& leg, int messages);
  [[nodiscard]] double seconds_of(const std::pair<const LinkId, int>& crossed) const;

  const TransferPaths* paths_;
  std::map<LinkId, int> crossings_;
};

}  // namespace detail

}  // namespace ringcast
