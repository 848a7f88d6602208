#include "real/gpu/device_compute.hpp"

#include <new>

#include "engine/contracts/contract_checks.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// Work on this rank's device.
class DeviceWork final : public Pending::Operation {
 public:
  DeviceWork(std::unique_ptr<InFlight> work, std::function<void()> meanwhile)
      : work_{std::move(work)}, meanwhile_{std::move(meanwhile)} {}
  void wait() override { wait_for(*work_, meanwhile_); }
  void cancel() noexcept override {}  // its stream's destructor waits for it

 private:
  std::unique_ptr<InFlight> work_;
  std::function<void()> meanwhile_;
};

Pending pending(
    std::unique_ptr<InFlight> work, std::function<void()> meanwhile = [] {}) {
  return Pending{std::make_unique<DeviceWork>(std::move(work), std::move(meanwhile))};
}

/// An operation that completed when it was started.
class Completed final : public InFlight {
 public:
  [[nodiscard]] bool done() override { return true; }
};

}  // namespace

Pending DeviceReducer::accumulate(Slice into, Slice from) {
  expect_combinable(into, from, size_of(tools_.reduction.type));
  std::byte* const mine = memory_->find(into).address;
  const std::byte* const theirs = memory_->find(from).address;
  if (into.length == Bytes{0}) {
    return pending(std::make_unique<Completed>());
  }
  auto work =
      std::make_unique<Pipeline>(accumulate_pipeline(tools_, mine, theirs, into.length, *stream_));
  work->advance();
  return pending(std::move(work));
}

Pending DeviceReducer::finish(Slice into, int ranks) {
  expect_whole_elements(into, size_of(tools_.reduction.type));
  expect(ranks > 0, "a reduction over {} ranks", ranks);
  std::byte* const address = memory_->find(into).address;
  if (into.length == Bytes{0} || tools_.reduction.operation != Operation::avg) {
    return pending(std::make_unique<Completed>());
  }
  stream_->finish(tools_.reduction, address, into.length, ranks);
  return pending(stream_->mark());
}

DeviceProcessor::DeviceProcessor(Device& device, std::function<void()> meanwhile)
    : meanwhile_{std::move(meanwhile)},
      stop_{device.allocate_pinned(Bytes{sizeof(int)})},
      stream_{device.make_stream()} {
  new (stop_.get()) int{0};
}

DeviceProcessor::~DeviceProcessor() {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): an int was made there
  *reinterpret_cast<volatile int*>(stop_.get()) = 1;
}

Pending DeviceProcessor::compute(Seconds work) {
  constexpr Seconds longest{1e9};  // some thirty years, still representable in nanoseconds
  expect(work >= Seconds{0} && work <= longest, "a computation of {} s", work.count());
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): an int was made there
  stream_->spin(work, reinterpret_cast<const volatile int*>(stop_.get()));
  return pending(stream_->mark(), meanwhile_);
}

}  // namespace ringcast
