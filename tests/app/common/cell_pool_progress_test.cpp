#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <thread>

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "app/common/cell_pool.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using namespace std::chrono_literals;

/// A flag that a child can set.
class SharedFlag {
 public:
  SharedFlag() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  SharedFlag(const SharedFlag&) = delete;
  SharedFlag& operator=(const SharedFlag&) = delete;
  ~SharedFlag() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  void set() const { EXPECT_EQ(::write(ends_[1], "!", 1), 1); }
  [[nodiscard]] bool is_set() const {
    pollfd end{ends_[0], POLLIN, 0};
    return ::poll(&end, 1, 0) == 1;
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(CellProgress, TellsHowFarEveryCellIs) {
  std::vector<std::vector<double>> seen;

  static_cast<void>(run_cells(
      2, 2,
      [](std::size_t cell, const ReportProgress& report) {
        report({cell == 0 ? 0.25 : 0.75});
        std::this_thread::sleep_for(100ms);
        return std::string{};
      },
      [&](const std::vector<double>& fractions, const RunningCells&) {
        seen.push_back(fractions);
      }));

  const auto was_seen = [&](std::size_t cell, double fraction) {
    return std::ranges::any_of(
        seen, [&](const std::vector<double>& fractions) { return fractions[cell] == fraction; });
  };
  EXPECT_TRUE(was_seen(0, 0.25));
  EXPECT_TRUE(was_seen(1, 0.75));
  EXPECT_EQ(seen.back(), (std::vector<double>{1.0, 1.0}));
}

TEST(CellProgress, CallsACellDoneOnlyWhenItHasEnded) {
  const SharedFlag ended;
  int early = 0;

  static_cast<void>(run_cells(
      1, 1,
      [&](std::size_t, const ReportProgress& report) {
        report({1.0});
        std::this_thread::sleep_for(100ms);
        ended.set();
        return std::string{};
      },
      [&](const std::vector<double>& fractions, const RunningCells&) {
        early += fractions[0] == 1.0 && !ended.is_set() ? 1 : 0;
      }));

  EXPECT_EQ(early, 0);
}

TEST(CellProgress, TakesAnyFraction) {
  for (const double fraction :
       {0.0, std::numeric_limits<double>::denorm_min(), -1.0, 1e300,
        std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<CellOutcome> outcomes = run_cells(
        1, 1,
        [&](std::size_t, const ReportProgress& report) {
          report({fraction});
          return std::string{"done"};
        },
        [](const std::vector<double>& fractions, const RunningCells&) {
          EXPECT_GE(fractions[0], 0.0);
          EXPECT_LE(fractions[0], 1.0);
        });

    EXPECT_EQ(outcomes[0].text, "done") << fraction;
  }
}

TEST(CellProgress, TellsTheLongestTimeThatARunningCellHasForeseen) {
  Seconds longest{0};
  std::size_t without_fraction = 0;

  static_cast<void>(run_cells(
      2, 2,
      [](std::size_t cell, const ReportProgress& report) {
        report({0, Seconds{cell == 0 ? 40.0 : 4.0}});
        std::this_thread::sleep_for(700ms);
        return std::string{};
      },
      [&](const std::vector<double>&, const RunningCells& running) {
        longest = std::max(longest, running.longest);
        without_fraction = std::max(without_fraction, running.without_fraction);
      }));

  EXPECT_EQ(longest, Seconds{40});
  EXPECT_EQ(without_fraction, 2U);  // a time is no part of what is done
}

// The later report of a cell counts, and of two cells the one that has recorded less.
TEST(CellProgress, TellsHowManyRanksAreRecorded) {
  std::vector<std::optional<double>> seen;

  static_cast<void>(run_cells(
      2, 2,
      [](std::size_t cell, const ReportProgress& report) {
        for (const double part : {0.25, 0.5}) {
          std::this_thread::sleep_for(200ms);
          report({.recorded = cell == 0 ? part : 1.0});
        }
        std::this_thread::sleep_for(200ms);
        report({0.1});
        std::this_thread::sleep_for(200ms);
        return std::string{};
      },
      [&](const std::vector<double>&, const RunningCells& running) {
        if (seen.empty() || seen.back() != running.recorded) seen.push_back(running.recorded);
      }));

  EXPECT_TRUE(std::ranges::count(seen, 0.25) == 1 && std::ranges::count(seen, 0.5) == 1);
  EXPECT_EQ(seen.back(), std::nullopt);
}

// Cells of 1 s and 3 s: with the latter done, a quarter of the 4 s is left, or what a cell says.
TEST(CellProgress, ForeseesTheRestOfAllCells) {
  std::vector<Seconds> foreseen;
  const PoolProgress progress = weighted_progress(
      {Seconds{1}, Seconds{3}}, [&](const WorkDone& done) { foreseen.push_back(done.foreseen); },
      Seconds{4});

  progress({0, 0}, {});
  progress({0, 1}, {});
  progress({0, 1}, {0, Seconds{20}});

  EXPECT_EQ(foreseen, (std::vector{Seconds{4}, Seconds{1}, Seconds{20}}));
}

TEST(CellProgress, ReportsAFailedCellAsDone) {
  std::vector<double> last;

  static_cast<void>(run_cells(
      2, 1,
      [](std::size_t, const ReportProgress&) -> std::string { throw TransportError{"broken"}; },
      [&](const std::vector<double>& fractions, const RunningCells&) { last = fractions; }));

  EXPECT_EQ(last, (std::vector<double>{1.0, 1.0}));
}

}  // namespace
}  // namespace ringcast
