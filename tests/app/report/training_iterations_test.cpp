#include "app/report/training_iterations.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

Row iteration_of(double seconds, double error_bound) {
  Row row;
  row.iteration.emplace();
  row.time = row.time_min = row.time_max = Seconds{seconds};
  row.time_error_bound = error_bound;
  return row;
}

// 21 repetitions of 1 s to 21 s: 5 % of them are 1.05, 50 % 10.5 and 95 % 19.95, those of 2, 11 and
// 20 s.
TEST(TrainingIterations, AreMergedIntoTheirMedianBetweenTwoPercentiles) {
  std::vector<Row> repetitions;
  for (int seconds = 21; seconds > 0; --seconds)
    repetitions.push_back(iteration_of(seconds, seconds == 1 ? 0.1 : 0.01));
  const Row row = merged(std::move(repetitions));

  EXPECT_EQ(row.time, Seconds{11});
  EXPECT_EQ(row.time_min, Seconds{2});
  EXPECT_EQ(row.time_max, Seconds{20});
  EXPECT_EQ(row.iteration->repetitions, 21);
  EXPECT_EQ(row.time_error_bound, 0.1);  // the largest of all
}

// The last rank is the slowest, but waits; of the two that compute for 3 s, the second is slower.
TEST(TrainingIterations, TakeTheirPartsFromTheSlowestThatComputesLongest) {
  Row row = iteration_of(0, 0);
  set_times(row, {{Seconds{5}, Seconds{3}, Seconds{1}},
                  {Seconds{6}, Seconds{3}, Seconds{2}},
                  {Seconds{7}, Seconds{2}, Seconds{4}}});

  EXPECT_EQ(row.time, Seconds{7});
  EXPECT_EQ(row.iteration->compute, Seconds{3});
  EXPECT_EQ(row.iteration->allreduce, Seconds{2});
}

}  // namespace
}  // namespace ringcast
