#include "app/measure/launch_command.hpp"

#include <gtest/gtest.h>

#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

using Words = std::vector<std::string>;

LaunchPlace a_place(int cores = 8, bool is_root = false) {
  return {cores, is_root, "/opt/ringcast-mpi"};
}

std::string line_of(const LaunchOptions& options, const LaunchPlace& place) {
  return shell_quoted(launch_command(options, {"measure", "a b.yaml"}, place));
}

TEST(LaunchCommand, StartsSoManyRanksThroughMpirun) {
  LaunchOptions options;
  options.ranks = 4;

  EXPECT_EQ(line_of(options, a_place()), "mpirun -n 4 /opt/ringcast-mpi measure 'a b.yaml'");
}

TEST(LaunchCommand, LeavesTheNumberToTheLauncherWhereNoneIsGiven) {
  EXPECT_EQ(line_of({}, a_place()), "mpirun /opt/ringcast-mpi measure 'a b.yaml'");
}

TEST(LaunchCommand, PassesHostsAndFurtherWordsOn) {
  LaunchOptions options;
  options.ranks = 2;
  options.hostfile = "hosts";
  options.mpirun_args = "--mca btl 'tcp,self'";

  EXPECT_EQ(line_of(options, a_place()),
            "mpirun -n 2 --hostfile hosts --mca btl tcp,self /opt/ringcast-mpi measure 'a b.yaml'");
}

TEST(LaunchCommand, DoesNotBindRanksThatNeedSeveralCoresUnlessTheArgumentsSayHow) {
  LaunchOptions options;
  options.ranks = 2;
  options.unbound = true;
  EXPECT_EQ(line_of(options, a_place()),
            "mpirun -n 2 --bind-to none /opt/ringcast-mpi measure 'a b.yaml'");

  options.mpirun_args = "--bind-to socket";
  EXPECT_EQ(line_of(options, a_place()),
            "mpirun -n 2 --bind-to socket /opt/ringcast-mpi measure 'a b.yaml'");
}

TEST(LaunchCommand, LetsWaitingRanksYieldWhereTheyOutnumberTheCores) {
  LaunchOptions options;
  options.ranks = 3;
  options.oversubscribe = true;

  EXPECT_EQ(line_of(options, a_place(2)),
            "mpirun -n 3 --oversubscribe --mca mpi_yield_when_idle 1 /opt/ringcast-mpi measure "
            "'a b.yaml'");
}

TEST(LaunchCommand, TellsMpirunThatRootIsMeant) {
  LaunchOptions options;
  options.ranks = 2;

  EXPECT_EQ(line_of(options, a_place(2, true)),
            "mpirun -n 2 --allow-run-as-root /opt/ringcast-mpi measure 'a b.yaml'");
}

TEST(LaunchCommand, GivesAnotherLauncherNoOptionsOfMpirun) {
  LaunchOptions options;
  options.ranks = 16;
  options.launcher = "srun --mpi=pmix";

  EXPECT_EQ(line_of(options, a_place(2, true)),
            "srun --mpi=pmix -n 16 /opt/ringcast-mpi measure 'a b.yaml'");
}

TEST(LaunchCommand, KnowsAnotherMpirunByItsName) {
  LaunchOptions options;
  options.launcher = "/opt/openmpi/bin/mpirun";

  EXPECT_EQ(line_of(options, a_place(2, true)),
            "/opt/openmpi/bin/mpirun --allow-run-as-root /opt/ringcast-mpi measure 'a b.yaml'");
}

// Links as Debian's Open MPI and MPICH install them.
TEST(LaunchCommand, KnowsOpenMpiByTheFileThatIsRun) {
  const TemporaryFolder folder;
  for (const char* const program : {"orterun", "mpiexec.hydra"}) {
    folder.write(program, "");
    std::filesystem::permissions(folder / program, std::filesystem::perms::owner_all);
  }
  std::filesystem::create_symlink("orterun", folder / "mpiexec");
  std::filesystem::create_symlink("mpiexec.hydra", folder / "mpirun");
  const auto knows = [&](const std::string& name) {
    LaunchOptions options;
    options.launcher = (folder / name).string();
    return is_open_mpis(options);
  };

  EXPECT_TRUE(knows("mpiexec"));
  EXPECT_TRUE(knows("mpirun.openmpi"));
  EXPECT_FALSE(knows("mpirun"));
  EXPECT_FALSE(knows("srun"));
}

TEST(SplitWords, SeparatesAsAShellDoes) {
  EXPECT_EQ(split_words(" a  'b c'\"d\" e\\ f '' \"\\\"\" ", "--x"),
            (Words{"a", "b cd", "e f", "", "\""}));
  EXPECT_TRUE(split_words("", "--x").empty());
}

TEST(SplitWords, RefusesAQuoteWithoutItsEnd) {
  EXPECT_EQ(refusal_of([] { return split_words("a 'b", "--launcher"); }),
            "--launcher: ' without its end in a 'b (expected words as for a shell)");
}

TEST(ShellQuoted, IsReadBackAsTheSameWords) {
  const Words words{"plain-1.0", "", "a b", "it's", "$HOME", "a\\b", "*", "\"", "é"};

  EXPECT_EQ(split_words(shell_quoted(words), "--x"), words);
}

}  // namespace
}  // namespace ringcast
