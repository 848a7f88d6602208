#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/common/cell_pool.hpp"
#include "app/common/signal_watch.hpp"
#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"

namespace ringcast {
namespace {

using namespace std::chrono_literals;

constexpr int exit_interrupted = 42;

bool is_gone(pid_t process) {
  return ::kill(process, 0) == -1 && errno == ESRCH;
}

/// A process, in a group of its own, that runs cells of a minute each. It exits with 42 if it was
/// interrupted and no child is left.
class Pool {
 public:
  explicit Pool(
      std::size_t cells, const std::function<void()>& prepare = [] {})
      : process_{[&](int pipe) {
          ::setpgid(0, 0);
          prepare();
          ::_exit(run(cells, pipe));
        }},
        children_(cells) {
    const std::size_t size = cells * sizeof(pid_t);
    while (process_.output.pipe.is_open() && process_.output.text.size() < size) {
      read_available({&process_.output}, -1);
    }
    EXPECT_EQ(process_.output.text.copy(reinterpret_cast<char*>(children_.data()), size), size);
  }

  [[nodiscard]] Child& process() { return process_; }
  [[nodiscard]] const std::vector<pid_t>& children() const { return children_; }

  void expect_interrupted() {
    ASSERT_TRUE(process_.reap_within(10)) << "still running";
    EXPECT_EQ(process_.exit_code(), exit_interrupted);
    for (const pid_t child : children_) {
      EXPECT_TRUE(is_gone(child)) << child;
    }
  }

 private:
  static int run(std::size_t cells, int pipe) {
    const std::vector<CellOutcome> outcomes =
        run_cells(cells, static_cast<int>(cells), [pipe](std::size_t, const ReportProgress&) {
          const pid_t me = ::getpid();
          if (::write(pipe, &me, sizeof me) == static_cast<ssize_t>(sizeof me)) {
            ::sleep(60);
          }
          return std::string{};
        });
    const bool interrupted = std::ranges::all_of(outcomes, [](const CellOutcome& outcome) {
      return outcome.exit_code == exit_code_of(Interrupted{});
    });
    const bool alone = ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
    return interrupted && alone ? exit_interrupted : 2;
  }

  Child process_;
  std::vector<pid_t> children_;
};

TEST(InterruptedCellPool, EndsItsChildrenWhenItAloneIsTold) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Pool pool{4};

    ::kill(pool.process().id(), signal);

    pool.expect_interrupted();
  }
}

TEST(InterruptedCellPool, DoesNotWaitForItsCells) {
  Pool pool{4};
  const auto begin = std::chrono::steady_clock::now();

  ::kill(pool.process().id(), SIGINT);

  pool.expect_interrupted();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 50s);  // a cell sleeps for 60
}

// A terminal's Ctrl-C reaches the children too, which die by themselves; with one cell, the pool
// may notice that first.
TEST(InterruptedCellPool, IsInterruptedWhenItsChildrenDieOfTheSameSignal) {
  for (int round = 0; round < 20; ++round) {
    for (const std::size_t cells : {1U, 4U}) {
      Pool pool{cells};

      ::kill(-pool.process().id(), SIGINT);

      pool.expect_interrupted();
    }
  }
}

// With a handler of its own the process outlives the signals that come after run_cells has ended.
TEST(InterruptedCellPool, EndsItsChildrenHoweverOftenItIsTold) {
  Pool pool{8, [] { ::signal(SIGINT, [](int) {}); }};

  for (int i = 0; i < 3000; ++i) {
    ::kill(pool.process().id(), SIGINT);
    std::this_thread::sleep_for(10us);
  }

  pool.expect_interrupted();
}

std::string nothing(std::size_t /*cell*/, const ReportProgress& /*report*/) {
  return "";
}

// The signal comes when the last cell has ended already.
TEST(InterruptedCellPool, KeepsTheCellsThatHaveEnded) {
  const std::vector<CellOutcome> outcomes =
      run_cells(1, 1, nothing, [](const std::vector<double>& fractions, const RunningCells&) {
        fractions[0] == 1.0 && ::raise(SIGINT);
      });

  EXPECT_TRUE(outcomes.at(0).succeeded());
  EXPECT_TRUE(SignalWatch::has_noted());
}

TEST(InterruptedCellPool, StartsNoCellAfterASignalToItsCaller) {
  const SignalWatch of_caller;
  ::raise(SIGHUP);

  EXPECT_EQ(run_cells(1, 1, nothing).at(0).text, "not simulated: interrupted");
}

TEST(InterruptedCellPool, RunsAgainAfterwards) {
  static_cast<void>(run_cells(
      2, 2, nothing, [](const std::vector<double>&, const RunningCells&) { ::raise(SIGTERM); }));

  EXPECT_EQ(run_cells(1, 1, [](std::size_t, const ReportProgress&) { return std::string{"again"}; })
                .at(0)
                .text,
            "again");
}

class CellPoolSignals : public ::testing::Test {
 protected:
  ~CellPoolSignals() override {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
      ::signal(signal, SIG_DFL);
    }
  }
};

TEST_F(CellPoolSignals, AreAsBeforeAfterwards) {
  ::signal(SIGINT, [](int) {});
  ::signal(SIGTERM, SIG_DFL);
  struct sigaction before {};
  ::sigaction(SIGINT, nullptr, &before);

  static_cast<void>(run_cells(1, 1, [](std::size_t, const ReportProgress&) { return ""; }));

  struct sigaction after {};
  ::sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
  ::sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(after.sa_handler, SIG_DFL);
}

// A shell script's background jobs ignore the Ctrl-C that is meant for the foreground.
TEST_F(CellPoolSignals, StayIgnoredWhereTheyWere) {
  ::signal(SIGINT, SIG_IGN);

  const std::vector<CellOutcome> outcomes = run_cells(
      2, 1,
      [](std::size_t, const ReportProgress&) {
        ::raise(SIGINT);
        return std::string{"done"};
      },
      [](const std::vector<double>&, const RunningCells&) { ::raise(SIGINT); });

  EXPECT_EQ(outcomes.at(0).text, "done");
  EXPECT_EQ(outcomes.at(1).text, "done");
}

// A parent can be started with SIGCHLD ignored; children then vanish with their exit status.
TEST_F(CellPoolSignals, KeepACrashApartWhereEndsOfChildrenWereIgnored) {
  ::signal(SIGCHLD, SIG_IGN);

  const std::vector<CellOutcome> outcomes = run_cells(1, 1, [](std::size_t, const ReportProgress&) {
    ::raise(SIGKILL);
    return std::string{};
  });

  EXPECT_TRUE(outcomes.at(0).text.starts_with("the simulation was killed by signal 9 (Killed)"));
  EXPECT_EQ(outcomes.at(0).exit_code, 4);
}

TEST(KilledCellPool, TakesItsChildrenWithIt) {
  // So that this process can wait for its grandchildren.
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  Pool pool{4};

  ::kill(pool.process().id(), SIGKILL);

  ASSERT_TRUE(pool.process().reap_within(10));
  for (const pid_t child : pool.children()) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
}

}  // namespace
}  // namespace ringcast
