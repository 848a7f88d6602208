#include "sim/model/sim_processor.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {

class SimProcessor::Computation final : public Pending::Operation {
 public:
  Computation(const SimClock& clock, std::shared_ptr<Ends> ends, std::size_t number)
      : clock_{&clock}, ends_{std::move(ends)}, number_{number} {}
  void wait() override {
    // A reduction may have moved the end while this slept.
    while ((*ends_)[number_] > clock_->now() + clock_precision) {
      clock_->sleep((*ends_)[number_] - clock_->now());
    }
  }
  void cancel() noexcept override {}  // nobody waits for it, and those behind it keep their place

 private:
  const SimClock* clock_;
  std::shared_ptr<Ends> ends_;
  std::size_t number_;
};

SimProcessor::SimProcessor(double competition, SimClock clock)
    : competition_{competition}, clock_{std::move(clock)}, ends_{std::make_shared<Ends>()} {
  expect(competition >= 0 && competition <= 1, "a competition of {}", competition);
}

Pending SimProcessor::compute(Seconds work) {
  expect(work >= Seconds{0}, "a computation of {} s", work.count());
  const Seconds now = clock_.now();
  const Seconds begin = ends_->empty() ? now : std::max(ends_->back(), now);
  ends_->push_back(begin + work);
  return Pending{std::make_unique<Computation>(clock_, ends_, ends_->size() - 1)};
}

void SimProcessor::slow_computations(Seconds reduction) {
  if (competition_ == 0) {
    return;
  }
  // A computation runs at the lower speed for `reduction`, and then at full speed; one that ends
  // earlier ends at the lower speed.
  const Seconds now = clock_.now();
  for (auto end = ends_->rbegin(); end != ends_->rend() && *end > now; ++end) {
    const Seconds left = *end - now;
    const Seconds lost = competition_ * reduction;
    *end += competition_ < 1 ? std::min(lost, competition_ / (1 - competition_) * left) : lost;
  }
}

}  // namespace ringcast
