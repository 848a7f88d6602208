#include "app/cli/progress_bar.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

using namespace std::chrono_literals;

TEST(ProgressLine, ShowsBarPercentAndCells) {
  EXPECT_EQ(progress_line("predict", {0.5, 4, 8}, 0s),
            "predict  [###############...............]  50 %  4/8 cells");
}

TEST(ProgressLine, BeginsEmptyAndEndsFull) {
  EXPECT_EQ(progress_line("predict", {0, 0, 8}, 60s),
            "predict  [..............................]  0 %  0/8 cells");
  EXPECT_EQ(progress_line("predict", {1, 8, 8}, 60s),
            "predict  [##############################]  100 %  8/8 cells");
}

// A quarter took 4 s, so three quarters take 12 s.
TEST(ProgressLine, EstimatesWhatIsLeft) {
  EXPECT_EQ(progress_line("predict", {0.25, 2, 8}, 4s),
            "predict  [#######.......................]  25 %  2/8 cells  12 s left");
}

TEST(ProgressLine, EstimatesNothingTooEarly) {
  EXPECT_EQ(progress_line("p", {0.05, 0, 1}, 60s),
            "p  [#.............................]  5 %  0/1 cells");
  EXPECT_EQ(progress_line("p", {0.5, 0, 1}, 1s),
            "p  [###############...............]  50 %  0/1 cells");
}

TEST(ProgressLine, ReachesAHundredOnlyAtTheEnd) {
  EXPECT_EQ(progress_line("p", {0.999, 7, 8}, 0s),
            "p  [#############################.]  99 %  7/8 cells");
}

TEST(ProgressLine, StaysWithinItsEnds) {
  EXPECT_EQ(progress_line("p", {-0.5, 0, 1}, 0s),
            "p  [..............................]  0 %  0/1 cells");
  EXPECT_EQ(progress_line("p", {1.0 + 1e-15, 1, 1}, 0s),
            "p  [##############################]  100 %  1/1 cells");
}

TEST(ProgressLine, SaysHowManyRanksAreRecordedBeforeAnyMessages) {
  WorkDone done{0, 0, 1};
  done.recorded = 0.45;
  EXPECT_EQ(
      progress_line("predict", done, 8s),
      "predict  [..............................]  0 %  0/1 cells  45 % of the ranks recorded");
}

TEST(ProgressLine, SaysWhatASearchDoes) {
  WorkDone done{0.5, 0, 1};
  done.doing = "trying 64 GPUs";
  EXPECT_EQ(progress_line("p", done, 8s),
            "p  [###############...............]  50 %  0/1 cells  trying 64 GPUs  8 s left");
}

// From 2 s to 4 s a fifth of the work was done, so the other 0.7 take 7 s. There is no estimate
// while a cell reports nothing.
TEST(RunEstimate, FollowsFromThePartThatIsDone) {
  RunEstimate estimate;
  EXPECT_EQ(estimate.total({0, 0, 4, true}, 0s), std::nullopt);
  EXPECT_EQ(estimate.total({0.1, 0, 4, false}, 1s), std::nullopt);
  EXPECT_EQ(estimate.total({0.1, 0, 4, true}, 2s), std::nullopt);
  EXPECT_EQ(estimate.total({0.15, 0, 4, true}, 2.5s), std::nullopt) << "too early";

  EXPECT_NEAR(estimate.total({0.3, 0, 4, true}, 4s).value().count(), 4 + 7, 1e-9);
}

// Half of the work was there: a tenth of the whole in 2 s, so the other 0.35 take 7 s.
TEST(RunEstimate, LeavesOutWhatWasThereAtTheBegin) {
  RunEstimate estimate;
  EXPECT_EQ(estimate.total({0.5, 2, 4, true}, 0s), std::nullopt);
  EXPECT_EQ(estimate.total({0.5, 2, 4, true}, 3s), std::nullopt);
  EXPECT_EQ(estimate.total({0.55, 2, 4, true}, 4s), std::nullopt);

  EXPECT_NEAR(estimate.total({0.65, 2, 4, true}, 6s).value().count(), 6 + 7, 1e-9);
}

// A hundredth in 2 s would make 196 s for 0.98; expected are 10 s for all, so at most 2 x 9.8 s.
TEST(RunEstimate, IsTwiceTheExpectedTimeAtMostBeforeATenthIsDone) {
  RunEstimate estimate;
  const auto done = [](double fraction) { return WorkDone{fraction, 0, 1, true, Seconds{10}}; };
  static_cast<void>(estimate.total(done(0), 0s));
  static_cast<void>(estimate.total(done(0.01), 1s));

  EXPECT_NEAR(estimate.total(done(0.02), 3s).value().count(), 3 + 19.6, 1e-9);
  EXPECT_NEAR(estimate.total(done(0.2), 20s).value().count(), 20 + 0.8 / 0.19 * 19, 1e-9);
}

// Expected were 10 ms, which is refuted after 20 ms. The first messages tell little: after 20 s of
// progress 0.02 are done, so the other 0.97 take 970 s.
TEST(RunEstimate, ForgetsAnExpectedTimeThatHasPassed) {
  RunEstimate estimate;
  const auto done = [](double fraction) { return WorkDone{fraction, 0, 1, true, Seconds{0.01}}; };
  static_cast<void>(estimate.total(done(0), 0s));
  static_cast<void>(estimate.total(done(0.01), 1s));

  EXPECT_EQ(estimate.total(done(0.02), 3s), std::nullopt);
  EXPECT_NEAR(estimate.total(done(0.03), 21s).value().count(), 21 + 0.97 / 0.02 * 20, 1e-9);
}

// What was foreseen counts until the run itself shows more: from 0.1 to 0.2 took 2 s.
TEST(RunEstimate, IsWhatWasForeseenUntilItIsMeasured) {
  RunEstimate estimate;
  const auto done = [](double fraction) {
    return WorkDone{fraction, 0, 1, false, std::nullopt, Seconds{40}};
  };
  EXPECT_EQ(estimate.total(done(0), 0s), Seconds{40});
  EXPECT_EQ(estimate.total(done(0), 5s), Seconds{40});
  WorkDone measured = done(0.1);
  measured.is_known = true;
  EXPECT_EQ(estimate.total(measured, 6s), Seconds{40});
  measured.fraction = 0.2;
  EXPECT_NEAR(estimate.total(measured, 8s).value().count(), 8 + 0.8 / 0.1 * 2, 1e-9);
}

TEST(RunEstimate, BeginsAnewWithOtherWork) {
  RunEstimate estimate;
  static_cast<void>(estimate.total({0, 0, 4, true}, 0s));
  static_cast<void>(estimate.total({0.9, 0, 4, true}, 60s));

  EXPECT_EQ(estimate.total({0.1, 0, 4, true}, 61s), std::nullopt);
  EXPECT_EQ(estimate.total({0.2, 0, 4, true}, 62s), std::nullopt);
  EXPECT_NEAR(estimate.total({0.4, 0, 4, true}, 64s).value().count(), 64 + 6, 1e-9);
}

// A second simulation says the same fractions as the first, in 1 s for 0.5: the other 0.3 take 0.6
// s.
TEST(RunEstimate, BeginsAnewWhereTheSameFractionsComeAgain) {
  RunEstimate estimate;
  static_cast<void>(estimate.total({0, 0, 1, true}, 0s));
  static_cast<void>(estimate.total({0.2, 0, 1, true}, 10s));
  static_cast<void>(estimate.total({0.99, 0, 1, true}, 50s));

  EXPECT_EQ(estimate.total({0.2, 0, 1, true}, 51s), std::nullopt);
  EXPECT_EQ(estimate.total({0.21, 0, 1, true}, 51.01s), std::nullopt) << "not 1 % in 41 s";
  EXPECT_EQ(estimate.total({0.22, 0, 1, true}, 51.02s), std::nullopt);
  EXPECT_NEAR(estimate.total({0.71, 0, 1, true}, 52.01s).value().count(), 52.01 + 0.29 * 2, 1e-9);
}

// One of many cells is simulated again, which takes back 0.02: 0.54 in 9 s, so the other 0.36 take
// 6 s; not 0.01 in 1 s, by which they would take 35 s.
TEST(RunEstimate, KeepsTheRateOfTheOtherCells) {
  RunEstimate estimate;
  static_cast<void>(estimate.total({0, 0, 100, true}, 0s));
  static_cast<void>(estimate.total({0.1, 10, 100, true}, 1s));
  static_cast<void>(estimate.total({0.66, 60, 100, true}, 9s));

  EXPECT_NEAR(estimate.total({0.64, 60, 100, true}, 10s).value().count(), 10 + 6, 1e-9);
  EXPECT_NEAR(estimate.total({0.65, 60, 100, true}, 11s).value().count(), 11 + 0.35 / 0.55 * 10,
              1e-9);
}

// 0.2 in 2 s, so the other 0.5 take 5 s after 4 s; then nothing more until 7 s.
TEST(RunEstimate, StaysWhileNothingMoreIsDone) {
  RunEstimate estimate;
  static_cast<void>(estimate.total({0, 0, 1, true}, 0s));
  static_cast<void>(estimate.total({0.3, 0, 1, true}, 2s));
  static_cast<void>(estimate.total({0.5, 0, 1, true}, 4s));

  EXPECT_NEAR(estimate.total({0.5, 0, 1, true}, 7s).value().count(), 4 + 5, 1e-9);
  EXPECT_NEAR(estimate.total({0.5, 0, 1, true}, 12s).value().count(), 12, 1e-9);
}

TEST(UnknownText, SaysWhatIsDone) {
  WorkDone done{0, 0, 1};
  EXPECT_EQ(unknown_text("predict", done), "");
  done.recorded = 0.456;
  EXPECT_EQ(unknown_text("predict", done), "predict: 45 % of the ranks recorded");
  done.doing = "trying 64 GPUs";
  EXPECT_EQ(unknown_text("predict", done), "predict: trying 64 GPUs");
  EXPECT_EQ(unknown_text("measure", {0.8, 9, 12}), "measure: 9 of 12 cells done");
}

TEST(RoundedText, HasTwoDigits) {
  EXPECT_EQ(rounded_text(Seconds{6.4}), "6 s");
  EXPECT_EQ(rounded_text(Seconds{99}), "99 s");
  EXPECT_EQ(rounded_text(Seconds{150}), "2 min");
  EXPECT_EQ(rounded_text(Seconds{3600}), "60 min");
  EXPECT_EQ(rounded_text(Seconds{9000}), "2.5 h");
  EXPECT_EQ(rounded_text(Seconds{200'000}), "2.3 days");
}

// Standard error is no terminal here.
TEST(ProgressBar, IsSilentWithoutATerminal) {
  ::testing::internal::CaptureStderr();

  {
    ProgressBar bar{"predict", false};
    bar.show({0.5, 1, 2});
  }

  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace ringcast
