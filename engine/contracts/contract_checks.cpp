#include "engine/contracts/contract_checks.hpp"

#include "engine/numbers/error.hpp"

namespace ringcast {

void expect_valid_message(const Endpoint& network, Rank peer, Slice slice) {
  const int rank = index_of(network.rank());
  expect(index_of(peer) >= 0 && index_of(peer) < network.size(), "rank {} of {} names rank {}",
         rank, network.size(), index_of(peer));
  expect(peer != network.rank(), "rank {} exchanges with itself", rank);
  expect(slice.length > Bytes{0}, "rank {} exchanges no bytes with rank {}", rank, index_of(peer));
}

void expect_whole_elements(Slice slice, Bytes element_size) {
  expect(slice.length.count() % element_size.count() == 0,
         "accumulating {} bytes in elements of {}", slice.length.count(), element_size.count());
}

void expect_combinable(Slice into, Slice from, Bytes element_size) {
  expect(into.length == from.length, "accumulating {} bytes into {}", from.length.count(),
         into.length.count());
  expect_whole_elements(into, element_size);
  const bool apart = into.buffer != from.buffer || into.offset + into.length <= from.offset ||
                     from.offset + from.length <= into.offset;
  expect(apart || into.length == Bytes{0}, "accumulating overlapping slices of buffer {}",
         static_cast<int>(into.buffer));
}

void expect_same_size(Slice slice, std::size_t bytes) {
  expect(slice.length.count() == bytes, "a slice of {} bytes copied with a span of {}",
         slice.length.count(), bytes);
}

}  // namespace ringcast
