#include "app/logs/nccl_tests_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/logs/some_log.hpp"

namespace ringcast {
namespace {

using Lines = std::vector<std::string>;

/// Two ranks, for which busbw = algbw.
const std::string row_of_two = changed(changed(row_of_four, "15.73", "10.49"), "19.66", "13.11");
const std::string send_row = changed(row_of_two, "13.11      0", "13.11    N/A");

/// The table alone, whose row is its fifth line.
std::string table_of(std::string_view row) {
  const std::string_view ranks = begin_of_four.substr(begin_of_four.find("#  Rank"));
  return log_text({ranks.substr(ranks.find("#\n")), row, end_of_run});
}

TEST(NcclTestsRuns, ReadTheProgramInAnyLineBeforeATable) {
  for (const std::string command :
       {"./build/sendrecv_perf -b 8 -g 8", "$ mpirun -np 8 /opt/nccl-tests/sendrecv_perf_mpi",
        "+ bash -c './sendrecv_perf -g 2'", "$ test -x ./sendrecv_perf && ./sendrecv_perf -g 8"}) {
    SCOPED_TRACE(command);
    const std::string refusal = nccl_refusal(command + "\n" + table_of(send_row));
    EXPECT_EQ(refusal.substr(0, 27), "m.log:6: rows of sendrecv_p");
    EXPECT_EQ(nccl_refusal(command + "\n" + run_of_four()).substr(0, 28),
              "m.log:13: rows of sendrecv_p");
  }
  // A list of what was built names none.
  EXPECT_EQ(read_nccl_text("all_gather_perf  all_reduce_perf  sendrecv_perf\n" + run_of_four())
                .samples.size(),
            2U);
}

// Names of scripts and jobs are no programs, whatever they end in.
TEST(NcclTestsRuns, ReadNoProgramInOtherWords) {
  for (const std::string line :
       {"#SBATCH --job-name=nccl_perf", "$ bash run_perf", "JobName=allreduce_perf"}) {
    EXPECT_EQ(read_nccl_text(line + "\n" + run_of_four()).samples.size(), 2U) << line;
  }
}

TEST(NcclTestsRuns, ReadTheProgramThatAVariableNames) {
  EXPECT_EQ(read_nccl_text("+ TEST=all_reduce_perf\n" + run_of_four()).samples.size(), 2U);
  EXPECT_EQ(nccl_refusal("export BENCHMARK=sendrecv_perf\n" + run_of_four()).substr(0, 28),
            "m.log:13: rows of sendrecv_p");
}

// The program's own line may name a newer one, which is not that of the table before.
TEST(NcclTestsRuns, ReadAnyProgramInItsOwnLine) {
  const std::string own = "# Collective test starting: ";
  EXPECT_EQ(nccl_refusal(own + "all_squares_perf\n" + run_of_four()),
            "m.log:13: rows of all_squares_perf of line 1 (expected rows of all_reduce_perf)");
  EXPECT_EQ(nccl_refusal(own + "/opt/all_squares_perf_mpi\n" + run_of_four()).substr(0, 36),
            "m.log:13: rows of all_squares_perf_m");
  EXPECT_EQ(read_nccl_text(own + "all_reduce_perf_mpi\n" + run_of_four()).samples.size(), 2U);
}

// Tables of several programs, each after its command line; the third without its last lines.
TEST(NcclTestsRuns, NameEachOtherCollectiveThatIsLeftOut) {
  const std::string sums = table_of(row_of_two);
  const std::string cut = sums.substr(0, sums.find("# Out"));

  const ImportedLog log = read_nccl_text("$ ./all_gather_perf\n" + table_of(row_of_gather) +
                                         "$ ./reduce_scatter_perf\n" + table_of(row_of_two) +
                                         "$ ./all_reduce_perf\n" + cut + "$ ./sendrecv_perf\n" +
                                         table_of(send_row) + "$ ./all_gather_perf\n" + sums);

  ASSERT_EQ(log.samples.size(), 1U);
  EXPECT_EQ(log.samples[0].ranks, 2);
  EXPECT_EQ(log.remarks.texts(),
            (Lines{"m.log:6: rows of all_gather_perf of line 1, of reduce_scatter_perf of line 10, "
                   "of sendrecv_perf of line 25, of all_gather_perf of line 34 are left out"}));
}

// With two ranks all its numbers are those of an all-reduce, but it has no check in place.
TEST(NcclTestsRuns, TellSendAndReceiveWithoutTheProgram) {
  EXPECT_EQ(
      nccl_refusal(table_of(send_row)),
      "m.log:5: rows unchecked in place, with busbw = algbw as of sendrecv_perf (expected rows of "
      "all_reduce_perf)");
  const std::string four = changed(row_of_four, "19.66      0", "19.66    N/A");
  EXPECT_EQ(nccl_refusal(log_text({begin_of_four, four})), "nothing was refused");
  EXPECT_EQ(nccl_refusal("./all_reduce_perf\n" + table_of(send_row)), "nothing was refused");
  EXPECT_EQ(nccl_refusal(table_of(changed(send_row, "10.49      0", "10.49    N/A"))),
            "nothing was refused");
}

TEST(NcclTestsRuns, RefuseTheTimeOfTheLaunch) {
  const std::string run = run_of_four();
  const std::string launches = changed(run, "root     time ", "root  cputime ");

  EXPECT_EQ(nccl_refusal(launches),
            "m.log:12: rows with cputime (-C 1), the time of the launch (expected rows of "
            "all_reduce_perf)");
  EXPECT_EQ(read_nccl_text(launches + run).samples.size(), 2U);
  // Tables without the lines before them.
  const std::string table = table_of(row_of_two);
  const std::string launch = changed(table, "root     time ", "root  cputime ");
  EXPECT_EQ(read_nccl_text(table + launch).samples.size(), 1U);
  EXPECT_EQ(read_nccl_text(launch + table).samples.size(), 1U);
  EXPECT_EQ(read_nccl_text(launch + table).remarks.texts(),
            Lines{"m.log:5: rows with cputime (-C 1), the time of the launch are left out"});
}

// The first table stops before its last lines, and the titles of the second follow at once.
TEST(NcclTestsRuns, KeepTheColumnsOfATruncatedTable) {
  const std::string launches = changed(table_of(row_of_four), "root     time ", "root  cputime ");
  const std::string times = table_of(second_row_of_four);
  const auto without_end = [](const std::string& table) {
    return table.substr(0, table.find("# Out"));
  };
  for (const std::string& log : {without_end(launches) + times, without_end(times) + launches}) {
    const ImportedLog read = read_nccl_text(log);
    ASSERT_EQ(read.samples.size(), 1U);
    EXPECT_EQ(read.samples[0].size, 2_MiB);
    EXPECT_EQ(read.remarks.texts().size(), 1U);
  }
}

// As after `tail`.
TEST(NcclTestsRuns, BeginAfterTheEndOfATableWithoutRows) {
  const std::string launches = changed(table_of(row_of_four), "root     time ", "root  cputime ");
  const std::string end{end_of_run};

  EXPECT_EQ(read_nccl_text(end + run_of_four()).devices, "4 x NVIDIA L4 of 2 hosts");
  EXPECT_THAT(nccl_refusal(end + launches), testing::StartsWith("m.log:8: rows with cputime"));
}

TEST(NcclTestsRuns, SayHowTheyWereCalled) {
  const auto remarks = [&](std::string_view original, std::string_view replacement) {
    return read_nccl_text(changed(run_of_four(), original, replacement)).remarks.texts();
  };
  EXPECT_EQ(remarks("agg iters: 1", "agg iters: 20"),
            Lines{"m.log:12: agg iters: 20: each time is 1/20 of that of 20 all-reduces"});
  EXPECT_EQ(remarks("graph: 0", "graph: 10"),
            Lines{"m.log:12: graph: 10: the all-reduces were launched by CUDA graphs"});
  EXPECT_EQ(remarks("nThread 1 nGpus 1", "nThread 2 nGpus 4"),
            Lines{"m.log:12: each thread had 4 GPUs: predict with gpus_per_process: 4"});
}

// Two runs of which only the tables stayed, of 4 and of 2 ranks.
TEST(NcclTestsRuns, TakeTheRanksThatNcclPrints) {
  const auto run_of = [](const std::string& ranks, const std::string& row) {
    return "red-01:1:9 [0] NCCL INFO comm 0x1 rank 0 nranks " + ranks +
           " cudaDev 0 busId 4000 commId 0x2 - Init COMPLETE\n" + table_of(row);
  };
  const ImportedLog log =
      read_nccl_text(run_of("4", std::string{row_of_four}) + run_of("2", row_of_two));
  ASSERT_EQ(log.samples.size(), 2U);
  EXPECT_EQ(log.samples[0].ranks, 4);
  EXPECT_EQ(log.samples[1].ranks, 2);
}

// 128 ranks: 10.49 x 2 x 127/128 = 20.816 and 13.11 x 1.984375 = 26.015 GB/s. Within the rounding,
// 26.015/13.115 = 1.98361 to 26.025/13.105 = 1.98588, 2/(2 - ratio) is 122.0 to 141.7 ranks.
TEST(NcclTestsRuns, TakeNoRanksOfSeveralCommunicators) {
  const auto init = [](int ranks) {
    return fmt::format("NCCL INFO comm 0x1 rank 0 nranks {} cudaDev 0 - Init COMPLETE\n", ranks);
  };
  const std::string table =
      table_of(changed(changed(row_of_four, "15.73", "20.82"), "19.66", "26.02"));
  const std::string unknown = "busbw/algbw leaves 122 to 141";

  EXPECT_EQ(read_nccl_text(init(128) + init(128) + table).samples.at(0).ranks, 128);
  EXPECT_THAT(nccl_refusal(init(64) + init(128) + table), testing::HasSubstr(unknown));
  EXPECT_THAT(nccl_refusal(init(0) + table), testing::HasSubstr(unknown));
  // 10.49 x 2 x 7/8 = 18.3575
  EXPECT_THAT(nccl_refusal(init(8) + table), testing::HasSubstr("18.3575 GB/s for 8 ranks"));
}

// A log may have runs of several hosts: a run without a release is not of the one before, which
// may stop before its last lines.
TEST(NcclTestsRuns, HaveNoReleaseOfAnotherRun) {
  EXPECT_EQ(
      read_nccl_text("NCCL version 2.18.5+cuda12.2\n" + run_of_four() + run_of_four()).transport,
      "NCCL");
  const std::string cut = log_text({begin_of_four, row_of_four});
  EXPECT_EQ(read_nccl_text("NCCL version 2.18.5+cuda12.2\n" + cut + run_of_four()).transport,
            "NCCL");
  EXPECT_EQ(read_nccl_text("NCCL version 2.18.5+cuda12.2\n" + cut +
                           "NCCL version 2.18.5+cuda12.2\n" + cut)
                .transport,
            "NCCL 2.18");
}

TEST(NcclTestsRuns, SayWhereOneMedianIsOfSeveralJobs) {
  const std::string run = run_of_four();
  const auto remarks = [&](const std::string& other) {
    return read_nccl_text(run + other).remarks.texts();
  };
  std::string other_gpus = run;
  std::string other_host = run;
  for (int rank = 0; rank < 4; ++rank)
    other_gpus = changed(other_gpus, "NVIDIA L4", "Tesla T4");
  for (int rank = 0; rank < 2; ++rank)
    other_host = changed(other_host, "red-01", "blue-7");
  const std::string begin = "m.log:28: one median with line 12 of another job: ";
  const std::string end = " (and 1 more such)";

  EXPECT_EQ(remarks(run), Lines{});
  EXPECT_EQ(remarks(other_gpus),
            Lines{begin + "4 x NVIDIA L4 of 2 hosts and 4 x Tesla T4 of 2 hosts" + end});
  EXPECT_EQ(remarks(other_host), Lines{begin + "red-01 and 1 other and blue-7 and 1 other" + end});
  EXPECT_EQ(remarks(changed(run, "graph: 0", "graph: 20")),
            (Lines{"m.log:28: graph: 20: the all-reduces were launched by CUDA graphs",
                   begin + "agg iters: 1 graph: 0 and agg iters: 1 graph: 20" + end}));
  // A release that one of them does not tell is no other one.
  EXPECT_EQ(remarks("NCCL version 2.27.5+cuda12.9\n" + run), Lines{});
  ImportOptions four;
  four.ranks = 4;
  EXPECT_EQ(read_nccl_text(run + std::string{row_of_four}, four).remarks.texts(), Lines{});
  EXPECT_EQ(
      read_nccl_text("NCCL version 2.18.5+cuda12.2\n" + run + "NCCL version 2.27.5+cuda12.9\n" +
                     run)
          .remarks.texts(),
      Lines{"m.log:30: one median with line 13 of another job: NCCL 2.18 and NCCL 2.27" + end});
}

TEST(NcclTestsRuns, RefuseAListOfRanksWithGaps) {
  const std::string run = run_of_four();
  const std::size_t line = run.find("#  Rank  1");
  std::string gap = run;
  gap.erase(line, run.find("#  Rank  2") - line);
  ImportOptions four;
  four.ranks = 4;

  EXPECT_EQ(nccl_refusal(gap),
            "m.log:4: there is no line of rank 1, but one of rank 3 (expected a line \"# Rank\" of "
            "each rank, or --ranks)");
  EXPECT_EQ(read_nccl_text(gap, four).samples.at(0).ranks, 4);
}

/// A table of rccl-tests with -O 0 (src/common.cu of 2024), whose row is its fourth line.
std::string table_in_place(std::string_view numbers) {
  return log_text(
      {"#\n"
       "#                                                   in-place          \n"
       "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
       "     1048576        262144     float     sum      -1",
       numbers, "\n"});
}

TEST(NcclTestsRuns, ReadTheInPlaceTimesWhereThereAreNoOthers) {
  const std::string table = table_in_place("    80.00   13.11   19.66      0");
  ImportOptions in_place;
  in_place.ranks = 4;
  ImportOptions other = in_place;
  in_place.in_place = true;

  const ImportedLog log = read_nccl_text(table, other);

  ASSERT_EQ(log.samples.size(), 1U);
  EXPECT_EQ(log.samples[0].time, Seconds{80e-6});
  EXPECT_TRUE(log.samples[0].verified);
  EXPECT_EQ(log.remarks.texts(),
            Lines{"m.log:4: the rows have in-place times only, which are taken"});
  EXPECT_EQ(read_nccl_text(table, in_place).remarks.texts(), Lines{});
  EXPECT_EQ(read_nccl_text(table + run_of_four()).samples.at(1).time, Seconds{100e-6});
  // The ranks follow from busbw/algbw, and a row may be cut off or another collective's.
  EXPECT_EQ(read_nccl_text(table).samples.at(0).ranks, 4);
  EXPECT_THAT(nccl_refusal(table_in_place("    80.00   13.11   19.66")),
              testing::StartsWith("m.log:4: the row is not whole"));
  EXPECT_THAT(nccl_refusal(table_in_place("    80.00   13.11   13.11    N/A")),
              testing::StartsWith("m.log:4: rows unchecked in place"));
}

TEST(NcclTestsRuns, TellRcclFromNccl) {
  const auto transport = [](const std::string& line) {
    return read_nccl_text(line + "\n" + run_of_four()).transport;
  };
  EXPECT_EQ(transport("RCCL version : 2.22.3-HEAD:6b1e5ae"), "RCCL 2.22");
  EXPECT_EQ(transport("RCCL version 2.18.6+hip6.2 HEAD:b"), "RCCL 2.18");
  EXPECT_EQ(transport("rccl-tests: Version develop:abc"), "RCCL");
  EXPECT_EQ(transport("# rccl-tests version 2.17.9-develop:4a65e8d rccl-headers=22707 "
                      "rccl-library=22707"),
            "RCCL 2.27");
  EXPECT_EQ(transport("#rccl-tests rccl-headers=22707 rccl-library=22707"), "RCCL 2.27");
  std::string amd = run_of_four();
  for (int rank = 0; rank < 4; ++rank)
    amd = changed(amd, "NVIDIA L4", "AMD Instinct MI300X");
  EXPECT_EQ(read_nccl_text(amd).transport, "RCCL");
  EXPECT_EQ(read_nccl_text(amd + run_of_four()).transport, "NCCL and RCCL");
}

}  // namespace
}  // namespace ringcast
