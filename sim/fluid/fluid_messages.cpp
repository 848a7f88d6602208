#include "sim/fluid/fluid_messages.hpp"

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
  constexpr std::size_t least_known = 8;
  constexpr std::size_t most_known = 1024;
  constexpr Known none{{Rank{-1}, Rank{-1}, Tag{-1}}, -1};
  if (known_.empty()) known_.assign(least_known, none);
  const auto place = [&]() -> Known& { return known_[StreamKeyHash{}(key) % known_.size()]; };
  if (place().key == key) return place().stream;
  const int found = self_.job.stream_of.find(key);
  expect(found >= 0, "no stream from rank {} to {} under tag {}", index_of(key.from),
         index_of(key.to), static_cast<int>(key.tag));
  if (place().stream >= 0 && known_.size() < most_known) {
    known_.assign(2 * known_.size(), none);
  }
  place() = {key, found};
  return found;
}

}  // namespace ringcast
