#include "sim/model/sim_processor.hpp"

#include <gtest/gtest.h>

#include "engine/contracts/pending.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// A processor whose clock moves while its rank sleeps.
struct OneProcessor {
  explicit OneProcessor(double competition) : processor{competition, clock()} {}
  SimClock clock() {
    return {[this] { return now; }, [this](Seconds duration) { now += duration; }};
  }
  /// Waits for a computation; the time at which it has ended.
  double end_of(Pending computation) {
    computation.wait();
    return now.count();
  }

  Seconds now{0};
  SimProcessor processor;
};

TEST(SimProcessor, ComputesOneAfterTheOther) {
  OneProcessor one{0};
  static_cast<void>(one.processor.compute(Seconds{3}));

  EXPECT_DOUBLE_EQ(one.end_of(one.processor.compute(Seconds{2})), 5);
  one.now = Seconds{10};
  EXPECT_DOUBLE_EQ(one.end_of(one.processor.compute(Seconds{1})), 11);
}

// A quarter of a reduction of 4 s is lost: 8 s take 9 s, and what follows begins then.
TEST(SimProcessor, LosesAPartOfTheTimeOfAReduction) {
  OneProcessor one{0.25};
  static_cast<void>(one.processor.compute(Seconds{8}));
  Pending last = one.processor.compute(Seconds{1});

  one.processor.slow_computations(Seconds{4});

  EXPECT_DOUBLE_EQ(one.end_of(std::move(last)), 10);
}

// At half its speed the last second takes two, which end before the reduction of 4 s.
TEST(SimProcessor, LosesNoMoreThanItTakesAtTheLowerSpeed) {
  OneProcessor one{0.5};
  Pending computation = one.processor.compute(Seconds{5});
  one.now = Seconds{4};

  one.processor.slow_computations(Seconds{4});

  EXPECT_DOUBLE_EQ(one.end_of(std::move(computation)), 6);
}

// Nothing advances beside a reduction: 2 s later, but for a computation that has just ended.
TEST(SimProcessor, WaitsForAReductionThatTakesAllOfIt) {
  OneProcessor one{1};
  one.end_of(one.processor.compute(Seconds{1}));
  one.processor.slow_computations(Seconds{2});
  EXPECT_DOUBLE_EQ(one.end_of(one.processor.compute(Seconds{1})), 2);

  Pending computation = one.processor.compute(Seconds{1});
  one.processor.slow_computations(Seconds{2});
  EXPECT_DOUBLE_EQ(one.end_of(std::move(computation)), 5);
}

TEST(SimProcessor, RefusesImpossiblePartsAndNegativeWork) {
  EXPECT_THROW(OneProcessor{-0.1}, ContractViolation);
  EXPECT_THROW(OneProcessor{1.1}, ContractViolation);
  EXPECT_THROW(static_cast<void>(OneProcessor{0}.processor.compute(Seconds{-1})),
               ContractViolation);
  EXPECT_NO_THROW(static_cast<void>(OneProcessor{0}.processor.compute(Seconds{0})));
}

}  // namespace
}  // namespace ringcast
