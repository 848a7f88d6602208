#pragma once

#include "engine/collectives/collective_options.hpp"
#include "engine/collectives/fifo.hpp"
#include "engine/contracts/endpoint.hpp"
#include "engine/schedule/chunks.hpp"

namespace ringcast {

/// A range of a buffer, cut into the segments in which it is sent. No segment is empty; an empty
/// range has none.
class Segments {
 public:
  Segments(BufferId buffer, ElementRange range, const CollectiveOptions& options,
           Bytes element_size);
  [[nodiscard]] int count() const { return count_; }
  /// The number of consecutive segments, from this one on, of its length.
  [[nodiscard]] int as_long_from(int segment) const;
  /// Longer segments come first.
  [[nodiscard]] Slice operator[](int segment) const;
  /// The number of segments in flight in a pipeline (CollectiveOptions::in_flight).
  [[nodiscard]] int window() const { return window_; }
  [[nodiscard]] Slice whole() const { return slice_of(buffer_, range_, element_size_); }

 private:
  BufferId buffer_;
  ElementRange range_;
  Bytes element_size_;
  int count_;
  Chunks chunks_;  // one empty chunk for an empty range
  int window_;
};

/// Transfers in flight, oldest first: at most max_in_flight of them.
class Window {
 public:
  /// Adds a transfer, and waits for the oldest one if there are too many.
  void add(Pending transfer);
  void wait_all();

 private:
  Fifo<Pending> in_flight_;
};

/// Transfer all segments, in order, and wait for them.
void send_all(Endpoint& network, Rank to, const Segments& segments, Tag tag, Returns returns = {});
void recv_all(Endpoint& network, Rank from, const Segments& segments, Tag tag);
void recv_accumulate_all(Endpoint& network, Rank from, const Segments& segments, Tag tag);

/// The number of messages for `elements` elements. A double, which does not overflow: it is a
/// weight of work.
[[nodiscard]] double message_count(std::uint64_t elements, const CollectiveOptions& options,
                                   Bytes element_size);

}  // namespace ringcast
