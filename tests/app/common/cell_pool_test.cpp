#include "app/common/cell_pool.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using namespace std::chrono_literals;

std::string number_of(std::size_t cell, const ReportProgress& /*report*/) {
  return fmt::format("cell {}", cell);
}

/// The outcome of cell 1 of three, whose neighbours must succeed.
CellOutcome between_two_that_succeed(const std::function<std::string()>& work) {
  const std::vector<CellOutcome> outcomes =
      run_cells(3, 2, [&](std::size_t cell, const ReportProgress& report) {
        return cell == 1 ? work() : number_of(cell, report);
      });
  EXPECT_TRUE(outcomes.at(0).succeeded() && outcomes.at(2).succeeded());
  EXPECT_EQ(outcomes.at(0).text, "cell 0");
  EXPECT_EQ(outcomes.at(2).text, "cell 2");
  return outcomes.at(1);
}

template <typename Failure>
void expect_exit_code(int exit_code) {
  const CellOutcome outcome =
      between_two_that_succeed([]() -> std::string { throw Failure{"what went wrong"}; });

  EXPECT_FALSE(outcome.succeeded());
  EXPECT_EQ(outcome.exit_code, exit_code);
  EXPECT_EQ(outcome.text, "what went wrong");
}

/// Numbers that this process and its children share.
struct Shared {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::atomic<std::size_t> started{0};
  std::array<std::atomic<std::size_t>, 16> order{};
};

class SharedMemory {
 public:
  SharedMemory()
      : page_{::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                     -1, 0)},
        shared_{new (page_) Shared} {}
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() { ::munmap(page_, sizeof(Shared)); }
  Shared* operator->() const { return shared_; }

 private:
  void* page_;
  Shared* shared_;
};

TEST(CellPool, GivesResultsInTheOrderOfTheCells) {
  for (const int jobs : {1, 2, 7, 64}) {
    const std::vector<CellOutcome> outcomes = run_cells(20, jobs, number_of);

    ASSERT_EQ(outcomes.size(), 20U);
    for (std::size_t cell = 0; cell < outcomes.size(); ++cell) {
      EXPECT_TRUE(outcomes[cell].succeeded());
      EXPECT_EQ(outcomes[cell].text, fmt::format("cell {}", cell)) << jobs << " jobs";
    }
  }
}

TEST(CellPool, HasNothingToDoForNoCells) {
  EXPECT_TRUE(run_cells(0, 4, number_of).empty());
}

TEST(CellPool, TakesLessThanOneJobAsOne) {
  EXPECT_EQ(run_cells(2, 0, number_of).at(1).text, "cell 1");
  EXPECT_EQ(run_cells(2, -5, number_of).at(1).text, "cell 1");
}

TEST(CellPool, RunsAsManyCellsAtOnceAsThereAreJobs) {
  const SharedMemory shared;

  static_cast<void>(run_cells(9, 3, [&](std::size_t, const ReportProgress&) {
    const int running = ++shared->running;
    int most = shared->most;
    while (running > most && !shared->most.compare_exchange_weak(most, running)) {
    }
    std::this_thread::sleep_for(100ms);
    --shared->running;
    return std::string{};
  }));

  EXPECT_EQ(shared->most, 3);
}

TEST(CellPool, OneAfterTheOtherStartsTheFirstCellsFirst) {
  const SharedMemory shared;

  static_cast<void>(run_cells(4, 1, [&](std::size_t cell, const ReportProgress&) {
    shared->order.at(shared->started++) = cell;
    return std::string{};
  }));

  for (std::size_t place = 0; place < 4; ++place)
    EXPECT_EQ(shared->order.at(place), place);
}

// The first two wait for each other.
TEST(CellPool, SeveralAtOnceStartAtBothEnds) {
  const SharedMemory shared;

  static_cast<void>(run_cells(4, 2, [&](std::size_t cell, const ReportProgress&) {
    shared->order.at(shared->started++) = cell;
    while (shared->started < 2) {
    }
    return std::string{};
  }));

  EXPECT_EQ(shared->order.at(0) + shared->order.at(1), 0U + 3U);
}

// While the longest cell runs, the other process works through all that come before.
TEST(CellPool, SeveralAtOnceHaveTheFirstOutcomesSoon) {
  for (const CellsOfProcess cells : {CellsOfProcess::one, CellsOfProcess::any}) {
    const SharedMemory shared;

    static_cast<void>(run_cells(
        8, 2,
        [&](std::size_t cell, const ReportProgress&) {
          while (cell == 7 && shared->started < 7) {
          }
          if (cell != 7) shared->order.at(shared->started++) = cell;
          return std::string{};
        },
        {}, {}, cells));

    for (std::size_t place = 0; place < 7; ++place)
      EXPECT_EQ(shared->order.at(place), place);
  }
}

TEST(CellPool, RunsAnyNumberOfCellsInOneProcess) {
  const auto process = [](std::size_t, const ReportProgress&) {
    return fmt::to_string(::getpid());
  };

  for (const int jobs : {1, 3}) {
    std::set<std::string> processes;
    for (const CellOutcome& outcome : run_cells(1000, jobs, process, {}, {}, CellsOfProcess::any)) {
      ASSERT_TRUE(outcome.succeeded());
      processes.insert(outcome.text);
    }
    EXPECT_LE(processes.size(), static_cast<std::size_t>(jobs));
  }
}

// One of two processes has cell 3 until the other has run all others.
TEST(CellPool, TakesCellsAsProcessesAreFree) {
  const SharedMemory shared;

  const std::vector<CellOutcome> outcomes = run_cells(
      4, 2,
      [&](std::size_t cell, const ReportProgress&) {
        if (cell == 3) ++shared->running;
        while ((cell == 3 && shared->started < 3) || (cell != 3 && shared->running < 1))
          std::this_thread::sleep_for(1ms);
        ++shared->started;
        return fmt::to_string(::getpid());
      },
      {}, {}, CellsOfProcess::any);

  EXPECT_EQ(outcomes.at(0).text, outcomes.at(1).text);
  EXPECT_EQ(outcomes.at(0).text, outcomes.at(2).text);
  EXPECT_NE(outcomes.at(0).text, outcomes.at(3).text);
}

// Cell 2 crashes: its process ends, and another takes the rest. Cell 3 throws.
TEST(CellPool, OneCellOfAProcessDoesNotDisturbTheOthers) {
  const auto work = [](std::size_t cell, const ReportProgress& report) {
    report({0.5});
    if (cell == 3) throw ScenarioError{"what went wrong"};
    if (cell == 2) ::raise(SIGKILL);
    return fmt::format("cell {}", cell);
  };

  const std::vector<CellOutcome> outcomes = run_cells(5, 1, work, {}, {}, CellsOfProcess::any);

  for (const std::size_t cell : {0U, 1U, 4U}) {
    EXPECT_EQ(outcomes.at(cell).text, fmt::format("cell {}", cell));
    EXPECT_TRUE(outcomes.at(cell).succeeded());
  }
  EXPECT_EQ(outcomes.at(3).text, "what went wrong");
  EXPECT_EQ(outcomes.at(3).exit_code, 2);
  EXPECT_THAT(outcomes.at(2).text, ::testing::StartsWith("the simulation was killed by signal 9"));
  EXPECT_EQ(outcomes.at(2).exit_code, 4);
}

TEST(CellPool, CarriesMegabytesOfAnyBytes) {
  std::string large;
  for (std::size_t i = 0; i < (8U << 20U); ++i) {
    large += static_cast<char>(i * 7 % 256);
  }

  const std::vector<CellOutcome> outcomes = run_cells(
      3, 3,
      [&](std::size_t cell, const ReportProgress&) { return large + std::string(cell, '\0'); });

  for (std::size_t cell = 0; cell < 3; ++cell) {
    EXPECT_TRUE(outcomes[cell].text == large + std::string(cell, '\0'));
  }
}

TEST(CellPool, CarriesAnEmptyText) {
  const CellOutcome outcome = between_two_that_succeed([] { return std::string{}; });

  EXPECT_TRUE(outcome.succeeded());
  EXPECT_EQ(outcome.text, "");
}

TEST(CellPool, KeepsTheKindOfAFailure) {
  expect_exit_code<ScenarioError>(2);
  expect_exit_code<BackendUnavailable>(3);
  expect_exit_code<TransportError>(4);
  expect_exit_code<WrongResult>(5);
  expect_exit_code<ContractViolation>(1);
  expect_exit_code<std::runtime_error>(1);
}

TEST(CellPool, TakesWhatIsNoExceptionAsABug) {
  const CellOutcome outcome = between_two_that_succeed([]() -> std::string { throw 7; });

  EXPECT_FALSE(outcome.succeeded());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.text, "the simulation threw something that is no exception");
}

TEST(CellPool, ReportsACrashAsAFailure) {
  const CellOutcome aborted =
      between_two_that_succeed([]() -> std::string { ::signal(SIGABRT, SIG_DFL), std::abort(); });
  const CellOutcome killed = between_two_that_succeed([] {
    ::raise(SIGKILL);
    return std::string{};
  });

  EXPECT_FALSE(aborted.succeeded());
  EXPECT_EQ(aborted.exit_code, 1);
  EXPECT_EQ(aborted.text, "the simulation was killed by signal 6 (Aborted)");
  EXPECT_FALSE(killed.succeeded());
  EXPECT_TRUE(killed.text.starts_with("the simulation was killed by signal 9 (Killed), as Linux "));
  EXPECT_EQ(killed.exit_code, 4);
}

TEST(CellPool, ReportsALimitOfTheShellAsSuch) {
  const CellOutcome limited = between_two_that_succeed([] {
    ::raise(SIGXCPU);
    return std::string{};
  });

  EXPECT_EQ(limited.text,
            "the simulation was killed by signal 24 (CPU time limit exceeded) (expected a higher "
            "limit than that of ulimit -t)");
  EXPECT_EQ(limited.exit_code, 4);
}

TEST(CellPool, ReportsAnEndWithoutAResultAsAFailure) {
  for (const int exit_code : {0, 3}) {
    const CellOutcome outcome =
        between_two_that_succeed([&]() -> std::string { ::_exit(exit_code); });

    EXPECT_FALSE(outcome.succeeded());
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.text,
              fmt::format("the simulation ended with exit code {} and no result", exit_code));
  }
}

}  // namespace
}  // namespace ringcast
