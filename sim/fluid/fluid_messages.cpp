#include "sim/fluid/fluid_messages.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {

namespace {

class FluidExecution final : public Pending::Operation {
 public:
  FluidExecution(const FluidRank& self, Seconds duration)
      : self_{self}, end_{self.simulation.own_time() + duration} {}
  void wait() override { self_.simulation.sleep(self_.index, end_ - self_.simulation.own_time()); }
  void cancel() noexcept override {}

 private:
  FluidRank self_;
  Seconds end_;
};

}  // namespace

Pending execute_on(const FluidRank& self, Seconds duration) {
  return Pending{std::make_unique<FluidExecution>(self, duration)};
}

int FluidMessages::stream(const StreamKey& key) {
  const auto known = std::ranges::find(known_, key, &Known::key);
  if (known != known_.end()) {
    return known->stream;
  }
  const auto found = self_.job.stream_of.find(key);
  expect(found != self_.job.stream_of.end(), "no stream from rank {} to {} under tag {}",
         index_of(key.from), index_of(key.to), static_cast<int>(key.tag));
  constexpr std::size_t most_known = 32;
  if (known_.size() < most_known) {
    known_.push_back({key, found->second});
  }
  return found->second;
}

}  // namespace ringcast
