#include "real/mpi/mpi_endpoint.hpp"

#include <mpi.h>

#include "engine/contracts/contract_checks.hpp"
#include "real/mpi/mpi_native.hpp"

namespace ringcast {

MpiEndpoint::MpiEndpoint(const Communicator& data, SharedMessages* shared, MpiMessages& messages,
                         AddressableMemory& memory, Reducer& reducer)
    : rank_{data.rank()},
      size_{data.size()},
      data_{&data},
      element_size_{size_of(reducer.reduction().type)},
      shared_{shared},
      messages_{&messages},
      memory_{&memory},
      accumulate_{*this, memory, reducer} {}

Pending MpiEndpoint::send(Rank to, Slice source, Tag tag, Returns returns) {
  expect_valid_message(*this, to, source);
  return shares_memory_with(to) ? shared_->send(to, source, tag, returns)
                                : messages_->send(to, source, tag);
}

Pending MpiEndpoint::recv(Rank from, Slice destination, Tag tag) {
  expect_valid_message(*this, from, destination);
  return shares_memory_with(from) ? shared_->recv(from, destination, tag, false)
                                  : messages_->recv(from, destination, tag);
}

Pending MpiEndpoint::recv_accumulate(Rank from, Slice into, Tag tag) {
  expect_valid_message(*this, from, into);
  expect_whole_elements(into, element_size_);
  static_cast<void>(memory_->find(into));  // before it waits for the message
  return shares_memory_with(from) ? shared_->recv(from, into, tag, true)
                                  : accumulate_.start(from, into, tag);
}

}  // namespace ringcast
