#pragma once

#include "engine/contracts/endpoint.hpp"

namespace ringcast {

/// The checks that all backends share: the bullets of Endpoint, Reducer and Memory on peers and
/// sizes. Each throws ContractViolation.
void expect_valid_message(const Endpoint& network, Rank peer, Slice slice);
void expect_whole_elements(Slice slice, Bytes element_size);
void expect_combinable(Slice into, Slice from, Bytes element_size);
/// For read() and write() of a Memory: the span must be as long as the slice.
void expect_same_size(Slice slice, std::size_t bytes);

}  // namespace ringcast
