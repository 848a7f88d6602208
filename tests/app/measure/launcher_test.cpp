#include "app/measure/launcher.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A folder that is all of PATH but for the shell, with a false mpirun and ringcast-mpi.
class LauncherTest : public ::testing::Test {
 protected:
  void SetUp() override {
    program("ringcast-mpi", "");
    ASSERT_EQ(::setenv("PATH", (folder_.path().string() + ":/usr/bin:/bin").c_str(), 1), 0);
  }

  void program(const std::string& name, const std::string& script) const {
    const fs::path file = folder_ / name;
    std::ofstream{file} << "#!/bin/sh\n" << script;
    fs::permissions(file, fs::perms::owner_all);
  }
  void mpirun(const std::string& script) const { program("mpirun", script); }
  /// One whose rank 0 begins, as `script` does.
  void mpirun_with_ranks(const std::string& script) const {
    mpirun("echo '@ringcast begun one'; " + script);
  }
  [[nodiscard]] fs::path file(const std::string& name) const { return folder_ / name; }

  /// The number that a script wrote into a file, once it has.
  [[nodiscard]] pid_t number_in(const std::string& name) const {
    for (int tries = 0; tries < 1000; ++tries) {
      int number = 0;
      if (std::ifstream in{file(name)}; in >> number && in.get() == '\n') {
        return number;
      }
      std::this_thread::sleep_for(10ms);
    }
    ADD_FAILURE() << "no number in " << name;
    return 0;
  }

 private:
  TemporaryFolder folder_;
};

bool goes_away(pid_t process) {
  for (int tries = 0; tries < 1000; ++tries) {
    if (::kill(process, 0) == -1 && errno == ESRCH) {
      return true;
    }
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

template <typename Failure>
std::string failure_of(const LaunchOptions& options) {
  return refusal_of<Failure>([&] { launch(options, {"measure"}); });
}

LaunchOptions impatient() {
  LaunchOptions options;
  options.timeout = Seconds{0.5};
  return options;
}

TEST_F(LauncherTest, ReturnsFromAJobThatEndedWell) {
  mpirun_with_ranks("exit 0");

  EXPECT_NO_THROW(launch({}, {"measure"}));
}

TEST_F(LauncherTest, PassesOnWhatTheRanksWriteButForTheirWords) {
  mpirun_with_ranks(
      "echo a table; echo '@ringcast row {}'; echo a remark >&2; echo 'mpirun: noise' >&2");
  std::vector<std::string> heard;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  LaunchOptions options;
  options.quiet = true;

  launch(options, {"measure"},
         [&](const JobWord& word) { heard.push_back(word.word + ":" + word.text); });

  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "a table\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "a remark\n");
  EXPECT_EQ(heard, (std::vector<std::string>{"begun:one", "row:{}"}));
}

TEST_F(LauncherTest, RefusesALauncherThatEndsBeforeARankBegins) {
  mpirun("echo submitted");

  EXPECT_EQ(failure_of<TransportError>({}),
            "ringcast: measure: the launcher ended, but no rank began (expected one that waits for "
            "the ranks and passes on what they print)");
}

TEST_F(LauncherTest, ShowsTheCommandAsItCanBeRunByHand) {
  mpirun_with_ranks(R"(echo "$@")");
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  LaunchOptions options;
  options.ranks = 1;
  options.mpirun_args = "'a b'";

  launch(options, {"measure", "x.yaml"});

  const std::string run = ::testing::internal::GetCapturedStdout();
  const std::string shown = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(run.find("-mpi measure x.yaml\n"), run.npos) << run;
  EXPECT_NE(shown.find("ringcast: mpirun -n 1 "), shown.npos) << shown;
  EXPECT_NE(shown.find("'a b' "), shown.npos) << shown;
  EXPECT_NE(shown.find("-mpi measure x.yaml"), shown.npos) << shown;
}

TEST_F(LauncherTest, NamesWhatToInstallWhereThereIsNoMpirun) {
  ASSERT_EQ(::setenv("PATH", file(".").c_str(), 1), 0);

  EXPECT_EQ(failure_of<BackendUnavailable>({}),
            "mpirun: not found on PATH (expected Open MPI: apt install openmpi-bin libopenmpi-dev; "
            "or another launcher by --launcher)");
}

// mpirun would find a pipe empty.
TEST_F(LauncherTest, RefusesAHostfileThatCanBeReadOnlyOnce) {
  LaunchOptions options;
  options.hostfile = file("pipe").string();
  ASSERT_EQ(::mkfifo(options.hostfile.c_str(), 0600), 0);

  EXPECT_EQ(failure_of<ScenarioError>(options),
            "--hostfile: " + options.hostfile +
                ": a pipe or a device (expected a regular file: the processes of the job read it, "
                "too)");
}

TEST_F(LauncherTest, RefusesALauncherThatIsNotThere) {
  LaunchOptions options;
  options.launcher = "nosuchrun --fast";

  EXPECT_EQ(failure_of<BackendUnavailable>(options),
            "nosuchrun: cannot be started: No such file or directory");
}

TEST_F(LauncherTest, EndsAJobThatDoesNotBegin) {
  mpirun("echo $$ > " + file("pid").string() + "; exec sleep 100");

  EXPECT_EQ(failure_of<TransportError>(impatient()),
            "ringcast: measure: the job did not begin within 500 ms: not all ranks came as far as "
            "MPI_Init (expected hosts that can be reached and have ringcast-mpi; --timeout gives "
            "them longer)");
  EXPECT_TRUE(goes_away(number_in("pid")));
}

TEST_F(LauncherTest, KillsWhatTheLauncherLeavesBehind) {
  mpirun_with_ranks("(trap '' TERM; setsid sleep 100 & echo $! > " + file("pid").string() + ")");

  EXPECT_NO_THROW(launch({}, {"measure"}));

  EXPECT_TRUE(goes_away(number_in("pid")));
}

// As rank 0 of Open MPI does, and a tool that is loaded into every process.
TEST_F(LauncherTest, RemovesTheSharedMemoryOfOpenMpiAlone) {
  const std::string mine = "ringcast-test-" + std::to_string(::getpid());
  const fs::path segment = "/dev/shm/vader_segment." + mine;
  const fs::path tool = "/dev/shm/" + mine;
  for (const fs::path& each : {segment, tool})
    std::ofstream{each} << "text";
  program("map.py",
          "import mmap, os, sys, time\n"
          "maps = [mmap.mmap(os.open(name, os.O_RDWR), 4) for name in sys.argv[1:]]\n"
          "print('@ringcast begun one', flush=True)\n"
          "time.sleep(1)\n");
  mpirun("python3 " + file("map.py").string() + " " + segment.string() + " " + tool.string() +
         "\nexit 0");

  EXPECT_NO_THROW(launch({}, {"measure"}));

  EXPECT_FALSE(fs::remove(segment));
  EXPECT_TRUE(fs::remove(tool));
}

/// The program of a process that launches.
void launch_in_child(int /*pipe*/) {
  try {
    launch({}, {"measure"});
  } catch (const Error& error) {
    ::_exit(exit_code_of(error));
  }
}

TEST_F(LauncherTest, PassesSignalsOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    fs::remove(file("pid"));
    mpirun("echo $$ > " + file("pid").string() + "; exec sleep 100");
    Child launching{launch_in_child};
    const pid_t job = number_in("pid");

    ::kill(launching.id(), signal);

    EXPECT_EQ(launching.reap(), 130);
    EXPECT_TRUE(goes_away(job));
  }
}

TEST_F(LauncherTest, KillsALauncherThatDoesNotWantToEnd) {
  mpirun("trap '' TERM; echo $$ > " + file("pid").string() + "; while :; do sleep 1; done");
  Child launching{launch_in_child};
  const pid_t job = number_in("pid");

  ::kill(launching.id(), SIGTERM);

  EXPECT_EQ(launching.reap(), 130);
  EXPECT_TRUE(goes_away(job));
}

TEST_F(LauncherTest, TakesTheJobAlongWhenItIsKilled) {
  mpirun("echo $$ > " + file("pid").string() + "; exec sleep 100");
  Child launching{launch_in_child};
  const pid_t job = number_in("pid");

  ::kill(launching.id(), SIGKILL);

  EXPECT_EQ(launching.reap(), 128 + SIGKILL);
  EXPECT_TRUE(goes_away(job));
}

}  // namespace
}  // namespace ringcast
