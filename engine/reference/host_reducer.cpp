#include "engine/reference/host_reducer.hpp"

#include "engine/contracts/contract_checks.hpp"

namespace ringcast {
namespace {

/// An operation that completed when it was started.
class Completed final : public Pending::Operation {
 public:
  void wait() override {}
  void cancel() noexcept override {}
};

}  // namespace

Pending HostReducer::accumulate(Slice into, Slice from) {
  expect_combinable(into, from, size_of(reduction_.type));
  accumulate_bytes(reduction_, memory_->find(into), memory_->find(from));
  return Pending{std::make_unique<Completed>()};
}

Pending HostReducer::finish(Slice into, int ranks) {
  finish_bytes(reduction_, memory_->find(into), ranks);
  return Pending{std::make_unique<Completed>()};
}

}  // namespace ringcast
