#pragma once

#include "engine/collectives/collective_options.hpp"
#include "engine/collectives/fifo.hpp"
#include "engine/contracts/endpoint.hpp"
#include "engine/schedule/chunks.hpp"

namespace ringcast {

/// A range of a buffer and the segments it travels in. No segment is empty; an empty range has
/// none.
class Segments {
 public:
  Segments(BufferId buffer, ElementRange range, const CollectiveOptions& options,
           Bytes element_size);
  [[nodiscard]] int count() const { return count_; }
  /// How many segments from this one on have its length.
  [[nodiscard]] int as_long_from(int segment) const;
  /// The first is one of the largest.
  [[nodiscard]] Slice operator[](int segment) const;
  /// How many of them a pipeline has in flight (CollectiveOptions::in_flight).
  [[nodiscard]] int window() const { return window_; }
  [[nodiscard]] Slice whole() const { return slice_of(buffer_, range_, element_size_); }

 private:
  BufferId buffer_;
  ElementRange range_;
  Bytes element_size_;
  int count_;
  Chunks chunks_;  // of an empty range one, which is empty too
  int window_;
};

/// Transfers in flight, oldest first: at most max_in_flight of them.
class Window {
 public:
  /// Waits for the oldest if there are too many now.
  void add(Pending transfer);
  void wait_all();

 private:
  Fifo<Pending> in_flight_;
};

/// Transfer all segments, which cross the network one after the other, and wait for them.
void send_all(Endpoint& network, Rank to, const Segments& segments, Tag tag, Returns returns = {});
void recv_all(Endpoint& network, Rank from, const Segments& segments, Tag tag);
void recv_accumulate_all(Endpoint& network, Rank from, const Segments& segments, Tag tag);

/// The number of messages that carry `elements` elements. A double, since it weighs work and must
/// not overflow.
[[nodiscard]] double message_count(std::uint64_t elements, const CollectiveOptions& options,
                                   Bytes element_size);

}  // namespace ringcast
