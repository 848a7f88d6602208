#include "app/report/plot.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;

class PlotCommand : public ::testing::Test {
 protected:
  PlotCommand() {
    ::unsetenv("RINGCAST_ANALYSIS_DIR");
    ::unsetenv("RINGCAST_PYTHON");
  }

  [[nodiscard]] const fs::path& folder() const { return folder_.path(); }

  /// A shell script in the interpreter's place, which writes its arguments to the folder's `log`.
  void pretend_python(const std::string& script) const {
    const fs::path python = folder_ / "python";
    std::ofstream{python} << "#!/bin/sh\nfor word; do echo \"$word\"; done > " << folder().string()
                          << "/log\n"
                          << script << "\n";
    fs::permissions(python, fs::perms{0755});
    ::setenv("RINGCAST_PYTHON", python.c_str(), 1);
  }

  template <typename Expected>
  void expect_thrown(const std::string& message) const {
    try {
      run_plot({folder_ / "a.json"}, folder_ / "a.png", "auto");
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Expected& error) {
      EXPECT_EQ(error.what(), message);
    }
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(PlotCommand, PassesFilesThatLookLikeOptions) {
  pretend_python("exit 0");

  run_plot({"-a.json", "b c.json"}, folder() / "-out.svg", "size");

  std::ifstream log{folder() / "log"};
  const std::string words{std::istreambuf_iterator<char>{log}, {}};
  EXPECT_EQ(words,
            "-m\nringcast_analysis\nplot\n--format=svg\n--kind=size\n--\n-a.json\nb c.json\n");
}

TEST_F(PlotCommand, WritesWhatThePackageDraws) {
  pretend_python("printf 'a\\0picture'");

  run_plot({folder() / "a.json"}, folder() / "a.png", "auto");

  EXPECT_EQ(fs::file_size(folder() / "a.png"), 9);
}

TEST_F(PlotCommand, RefusesToReplaceAResult) {
  std::ofstream{folder() / "a.json"} << "{}";
  fs::create_hard_link(folder() / "a.json", folder() / "a.png");

  expect_thrown<ScenarioError>((folder() / "a.png").string() +
                               ": is read by this command (expected another file)");
}

TEST_F(PlotCommand, AKilledInterpreterIsNoBugOfOurs) {
  pretend_python("kill -9 $$");

  expect_thrown<TransportError>((folder() / "python").string() +
                                ": killed by signal 9 (Killed) (expected it to run to its end)");
}

TEST_F(PlotCommand, RethrowsWhatThePackageRefuses) {
  pretend_python("echo 'a.json: not JSON' >&2; exit 2");

  expect_thrown<ScenarioError>("a.json: not JSON");
}

TEST_F(PlotCommand, ExitCode3MeansAnInterpreterWithoutMatplotlib) {
  pretend_python("echo 'no matplotlib' >&2; exit 3");

  expect_thrown<BackendUnavailable>("no Python with matplotlib: tried " +
                                    (folder() / "python").string() +
                                    " (apt install python3-matplotlib, or name an interpreter in "
                                    "RINGCAST_PYTHON)");
}

TEST_F(PlotCommand, ABrokenPackageIsABugOfOurs) {
  pretend_python("printf 'Traceback\\nKeyError: 1\\n' >&2; exit 1");

  expect_thrown<ContractViolation>((folder() / "python").string() +
                                   " -m ringcast_analysis: KeyError: 1");
}

TEST_F(PlotCommand, SaysWhichInterpreterWasTried) {
  ::setenv("RINGCAST_PYTHON", "/nonexistent/python", 1);

  expect_thrown<BackendUnavailable>(
      "no Python with matplotlib: tried /nonexistent/python (apt install python3-matplotlib, or "
      "name an interpreter in RINGCAST_PYTHON)");
}

TEST_F(PlotCommand, SaysWhereThePackageWasSought) {
  ::setenv("RINGCAST_ANALYSIS_DIR", folder().c_str(), 1);

  expect_thrown<BackendUnavailable>(
      folder().string() +
      ": no ringcast_analysis there (expected RINGCAST_ANALYSIS_DIR to name its folder)");
}

TEST_F(PlotCommand, RefusesAMissingResultWithThePackagesOwnLine) {
  try {
    run_plot({folder() / "none.json"}, folder() / "a.png", "auto");
    FAIL() << "nothing was thrown";
  } catch (const BackendUnavailable& error) {
    GTEST_SKIP() << error.what();
  } catch (const ScenarioError& error) {
    EXPECT_EQ(error.what(), (folder() / "none.json").string() +
                                ": cannot be read: No such file or directory (expected a result "
                                "file)");
  }
}

}  // namespace
}  // namespace ringcast
