#include "sim/model/simulated_reducer.hpp"

#include <fmt/format.h>

#include "engine/contracts/contract_checks.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

Pending SimulatedReducer::reduce(Seconds duration) const {
  own_.processor->slow_computations(duration);
  return execute_(duration);
}

Pending SimulatedReducer::accumulate(Slice into, Slice from) {
  expect_combinable(into, from, size_of(own_.reduction.type));
  own_.expect_inside(into);
  own_.expect_inside(from);
  if (own_.data != nullptr) {
    accumulate_bytes(own_.reduction, own_.data->find(into), own_.data->find(from));
  }
  return reduce(own_.cost.after_receive(into.length));
}

Pending SimulatedReducer::finish(Slice into, int ranks) {
  expect_whole_elements(into, size_of(own_.reduction.type));
  own_.expect_inside(into);
  if (own_.data != nullptr) {
    finish_bytes(own_.reduction, own_.data->find(into), ranks);
  }
  const bool divides = own_.reduction.operation == Operation::avg;
  return reduce(divides ? own_.cost.after_receive(into.length) : Seconds{0});
}

void finish_recv(const RankReduction& own, const ArrivedMessage& message, Slice into,
                 bool accumulating) {
  if (message.length != into.length) {
    throw TransportError{
        fmt::format("rank {}: recv of {} bytes from rank {} under tag {} met a send of {} bytes",
                    index_of(message.to), into.length.count(), index_of(message.from),
                    static_cast<int>(message.tag), message.length.count())};
  }
  if (accumulating) {
    // Charged to computations at the end of the fused reduction: its begin was not known.
    own.processor->slow_computations(own.cost.in_receive(into.length));
  }
  if (own.data == nullptr) {
    return;
  }
  if (accumulating) {
    accumulate_bytes(own.reduction, own.data->find(into), message.bytes);
  } else {
    own.data->write(into, message.bytes);
  }
}

}  // namespace ringcast
