#pragma once

#include <vector>

#include "engine/chunks.hpp"
#include "engine/endpoint.hpp"
#include "engine/ring_options.hpp"

namespace ringcast {

/// A range of a buffer and the segments it travels in. No segment is empty; an empty range has
/// none.
class Segments {
 public:
  Segments(BufferId buffer, ElementRange range, const RingOptions& options, Bytes element_size);
  [[nodiscard]] int count() const { return count_; }
  /// The first is one of the largest.
  [[nodiscard]] Slice operator[](int segment) const;
  [[nodiscard]] Slice whole() const { return slice_of(buffer_, range_, element_size_); }

 private:
  BufferId buffer_;
  ElementRange range_;
  Bytes element_size_;
  int count_;
};

/// Start the transfer of all segments; they cross the network one after the other.
[[nodiscard]] std::vector<Pending> send_all(Endpoint& network, Rank to, const Segments& segments,
                                            Tag tag);
[[nodiscard]] std::vector<Pending> recv_all(Endpoint& network, Rank from, const Segments& segments,
                                            Tag tag);
[[nodiscard]] std::vector<Pending> recv_accumulate_all(Endpoint& network, Rank from,
                                                       const Segments& segments, Tag tag);
void wait_all(std::vector<Pending> transfers);

/// How many messages carry so many elements.
[[nodiscard]] std::uint64_t message_count(std::uint64_t elements, const RingOptions& options,
                                          Bytes element_size);

}  // namespace ringcast
