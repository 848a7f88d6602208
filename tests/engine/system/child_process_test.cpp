#include "engine/system/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/refusal.hpp"

namespace ringcast {
namespace {

ChildOutcome shell(const std::string& script) {
  return run_child({"sh", {"-c", script}, {}});
}

TEST(ChildProcess, KeepsWhatTheChildWritesApart) {
  const ChildOutcome outcome = shell("echo one; echo two >&2; echo three");

  EXPECT_EQ(outcome.output, "one\nthree\n");
  EXPECT_EQ(outcome.errors, "two\n");
  EXPECT_TRUE(outcome.succeeded());
}

TEST(ChildProcess, GivesTheExitStatus) {
  const ChildOutcome outcome = shell("exit 7");

  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_FALSE(signal_of(outcome.exit_code));
  EXPECT_FALSE(outcome.succeeded());
}

TEST(ChildProcess, TellsASignalFromAnExitStatus) {
  const ChildOutcome outcome = shell("kill -TERM $$");

  EXPECT_EQ(signal_of(outcome.exit_code), SIGTERM);
  EXPECT_FALSE(outcome.succeeded());
}

TEST(ChildProcess, GivesTheExitStatusWhereEndsOfChildrenWereIgnored) {
  ::signal(SIGCHLD, SIG_IGN);

  const ChildOutcome outcome = shell("exit 7");

  ::signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(outcome.exit_code, 7);
}

TEST(ChildProcess, HasFailedIfAnotherReapedIt) {
  Child one{{"true", {}, {}}};
  Child other{{"true", {}, {}}};
  ASSERT_EQ(::waitpid(one.id(), nullptr, 0), one.id());
  ASSERT_EQ(::waitpid(other.id(), nullptr, 0), other.id());

  EXPECT_EQ(one.reap(), 1);
  EXPECT_TRUE(other.reap_within(0));
  EXPECT_EQ(other.exit_code(), 1);
}

TEST(ChildProcess, PassesArgumentsUntouched) {
  const ChildOutcome outcome = run_child(
      {"sh", {"-c", "printf '<%s>' \"$@\"", "sh", "a b", "$HOME", "", "'", "*", "-n"}, {}});

  EXPECT_EQ(outcome.output, "<a b><$HOME><><'><*><-n>");
}

TEST(ChildProcess, AddsToTheEnvironmentAndReplaces) {
  ASSERT_EQ(::setenv("RINGCAST_TEST_KEPT", "kept", 1), 0);
  ASSERT_EQ(::setenv("RINGCAST_TEST_REPLACED", "old", 1), 0);

  const ChildOutcome outcome =
      run_child({"sh",
                 {"-c", "echo $RINGCAST_TEST_KEPT $RINGCAST_TEST_REPLACED $RINGCAST_TEST_NEW"},
                 {{"RINGCAST_TEST_REPLACED", "replaced"}, {"RINGCAST_TEST_NEW", "new"}}});

  EXPECT_EQ(outcome.output, "kept replaced new\n");
}

TEST(ChildProcess, HasNothingOnItsInput) {
  EXPECT_EQ(run_child({"cat", {}, {}}).output, "");
}

TEST(ChildProcess, ReadsMoreThanAPipeHoldsFromBothStreams) {
  // 1 MB each, written in turns: reading one stream to its end first would never end.
  const ChildOutcome outcome = shell(
      "i=0; while [ $i -lt 100 ]; do head -c 10000 /dev/zero; head -c 10000 /dev/zero >&2; "
      "i=$((i+1)); done");

  EXPECT_EQ(outcome.output.size(), 1'000'000U);
  EXPECT_EQ(outcome.errors.size(), 1'000'000U);
}

TEST(ChildProcess, WaitsForAChildThatClosesItsStreamsEarly) {
  EXPECT_EQ(shell("exec >&- 2>&-; sleep 0.1; exit 5").exit_code, 5);
}

TEST(ChildProcess, RefusesAProgramThatIsNotThere) {
  EXPECT_EQ(refusal_of<BackendUnavailable>([] {
              return run_child({"ringcast-no-such-program", {}, {}});
            }),
            "ringcast-no-such-program: cannot be started: No such file or directory");
}

TEST(ChildProcess, LeavesNoProcessAndNoDescriptorBehind) {
  const auto lowest_free = [] {
    const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(descriptor);
    return descriptor;
  };
  const int before = lowest_free();

  static_cast<void>(shell("exit 0"));
  EXPECT_THROW(static_cast<void>(run_child({"ringcast-no-such-program", {}, {}})),
               BackendUnavailable);

  EXPECT_EQ(lowest_free(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildProcess, GivesTheChildNoDescriptorOfOurs) {
  // Descriptors that this process inherited pass on to any child, popen's too.
  std::string inherited;
  FILE* list = ::popen("exec ls /proc/self/fd", "r");
  ASSERT_NE(list, nullptr);
  for (int c = std::fgetc(list); c != EOF; c = std::fgetc(list)) {
    inherited += static_cast<char>(c);
  }
  ::pclose(list);

  EXPECT_EQ(run_child({"ls", {"/proc/self/fd"}, {}}).output, inherited);
}

}  // namespace
}  // namespace ringcast
