#include "real/mpi_endpoint.hpp"

#include <mpi.h>

#include "engine/contract_checks.hpp"
#include "real/mpi_native.hpp"

namespace ringcast {

MpiEndpoint::MpiEndpoint(const Communicator& data, RunWatch& watch, AddressableMemory& memory,
                         Reducer& reducer, bool is_crowded)
    : rank_{data.rank()},
      size_{data.size()},
      data_{&data},
      element_size_{size_of(reducer.reduction().type)},
      messages_{data, watch, memory, is_crowded},
      accumulate_{*this, memory, reducer} {}

Pending MpiEndpoint::send(Rank to, Slice source, Tag tag) {
  expect_valid_message(*this, to, source);
  return messages_.send(to, source, tag);
}

Pending MpiEndpoint::recv(Rank from, Slice destination, Tag tag) {
  expect_valid_message(*this, from, destination);
  return messages_.recv(from, destination, tag);
}

Pending MpiEndpoint::recv_accumulate(Rank from, Slice into, Tag tag) {
  expect_valid_message(*this, from, into);
  expect_whole_elements(into, element_size_);
  return accumulate_.start(from, into, tag);
}

}  // namespace ringcast
