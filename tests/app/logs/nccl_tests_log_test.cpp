#include "app/logs/nccl_tests_log.hpp"

#include <gtest/gtest.h>

#include "tests/app/logs/some_log.hpp"

namespace ringcast {
namespace {

void expect_run_of_four(const ImportedLog& log) {
  ASSERT_EQ(log.samples.size(), 2U);
  EXPECT_EQ(log.samples[0].ranks, 4);
  EXPECT_EQ(log.samples[0].size, 1_MiB);
  EXPECT_EQ(log.samples[0].time, Seconds{100e-6});
  EXPECT_EQ(log.samples[0].time_min, Seconds{100e-6});
  EXPECT_EQ(log.samples[0].time_max, Seconds{100e-6});
  EXPECT_EQ(log.samples[0].reduction.type, ElementType::float32);
  EXPECT_EQ(log.samples[0].reduction.operation, Operation::sum);
  EXPECT_TRUE(log.samples[0].verified);
  EXPECT_EQ(log.samples[1].size, 2_MiB);
}

TEST(NcclTestsLog, GivesTheOutOfPlaceTimes) {
  const ImportedLog log = read_nccl_text(run_of_four());

  expect_run_of_four(log);
  EXPECT_EQ(log.hosts, "red-01 and 1 other");
  EXPECT_EQ(log.devices, "4 x NVIDIA L4 of 2 hosts");
  EXPECT_EQ(log.samples.at(0).nodes, 2);
  EXPECT_EQ(log.remarks.texts(), std::vector<std::string>{});
}

TEST(NcclTestsLog, GivesTheInPlaceTimesWhereAsked) {
  ImportOptions options;
  options.in_place = true;

  EXPECT_EQ(read_nccl_text(run_of_four(), options).samples[1].time, Seconds{160e-6});
}

// Open MPI with --tag-output, srun -l, MPICH -l, Ray, a shell on another system.
TEST(NcclTestsLog, ReadsThroughTagsColoursAndLineEnds) {
  for (const std::string prefix :
       {"[1,0]<stdout>:", "0: ", "[0] ", "(head, rank=0, pid=38) [1,0]<stdout>:", "\x1b[32m",
        "2026-05-06T07:08:09.1Z ", "\t"}) {
    std::string tagged;
    std::istringstream lines{run_of_four()};
    for (std::string line; std::getline(lines, line);) {
      tagged += prefix + line + "\x1b[0m\r\n";
    }
    SCOPED_TRACE(prefix);

    expect_run_of_four(read_nccl_text(tagged));
  }
}

TEST(NcclTestsLog, ReadsBetweenOtherProgramsLines) {
  const std::string noise =
      "red-01:1001:1020 [0] NCCL INFO Channel 00/02 :    0   1   2   3\n"
      "red-01:1001:1020 [0] NCCL WARN 4 8 15 16 23 42\n"
      "$ mpirun -np 4 ./build/all_reduce_perf -b 8\n\n";

  expect_run_of_four(read_nccl_text(log_text(
      {noise, begin_of_four, noise, row_of_four, noise, second_row_of_four, noise, end_of_run})));
}

// nccl-tests since 2.17 has the code of nccl.h, NCCL_DEBUG=VERSION a line; other lines have
// neither.
TEST(NcclTestsLog, ReadsTheReleaseOfNccl) {
  const auto transport = [](const std::string& line) {
    return read_nccl_text(line + "\n" + run_of_four()).transport;
  };
  EXPECT_EQ(transport("# nccl-tests version 2.17.6 nccl-headers=22809 nccl-library=22602"),
            "NCCL 2.26");
  EXPECT_EQ(transport("red-01:1001:1001 [0] NCCL INFO NCCL version 2.8.3+cuda11.0"), "NCCL 2.8");
  EXPECT_EQ(transport("NCCL version 2.30.4+cuda13.0"), "NCCL 2.30");
  for (const char* const other :
       {"# nccl-library=2804", "# nccl-library=", "NCCL version 2", "NCCL version",
        "NCCL version x.y.z", "NCCL version 2..1", "NCCL version 2.20", "NCCL version 10.2.1",
        "# nccl-library=2147483647", "NCCL version 2.12345.1"}) {
    EXPECT_EQ(transport(other), "NCCL") << other;
  }
  // Two runs of two releases.
  const std::string run = run_of_four();
  EXPECT_EQ(read_nccl_text("NCCL version 2.26.2\n" + run + "NCCL version 2.20.5\n" + run).transport,
            "NCCL");
}

// Versions before 2.11 (2022): no root, a relative error where the wrong values are counted now.
TEST(NcclTestsLog, ReadsOldVersions) {
  const std::string row =
      "     1048576        262144     float     sum   100.00   10.49   15.73  3e-07    80.00   "
      "13.11   19.66  0e+00\n";
  const std::string device = "#   Rank  0 Pid 1 on red device  0 [0x04] Tesla V100\n";

  ImportOptions four;
  four.ranks = 4;
  EXPECT_TRUE(read_nccl_text(log_text({device, row, end_of_run}), four).samples.at(0).verified);
  EXPECT_FALSE(read_nccl_text(log_text({device, row}), four).samples.at(0).verified);
  const std::string failed = changed(end_of_run, "0 OK", "1 FAILED");
  EXPECT_FALSE(read_nccl_text(log_text({device, row, failed}), four).samples.at(0).verified);
  EXPECT_EQ(read_nccl_text(log_text({device, row}), four).devices, "1 x Tesla V100");
}

TEST(NcclTestsLog, ReadsPerIterationColumnsAndTimestamps) {
  const std::string header =
      "#  size  count  type  redop  root  time  algbw  busbw  #wrong  i_min  i_max  i_p99  i_cv%  "
      "time  algbw  busbw  #wrong  i_min  i_max  i_p99  i_cv%  timestamp\n";
  const std::string row =
      " 1048576 262144 float sum -1 100.00 10.49 15.73 0 90.0 110.0 109.0 2.1 80.00 13.11 19.66 0 "
      "70.0 90.0 89.0 2.2 2026-01-02 03:04:05\n";
  ImportOptions options;
  options.ranks = 4;
  options.in_place = true;

  EXPECT_EQ(read_nccl_text(header + row, options).samples.at(0).time, Seconds{80e-6});
}

TEST(NcclTestsLog, UnderstandsLargeNumbersAsNcclTestsPrintsThem) {
  // 2^43 B in 1.16e8 or 1.24e8 us, which are printed as 1.2e+08: 75.83 or 70.94 GB/s; busbw is
  // algbw x 2 x 1/2 for 2 ranks.
  ImportOptions options;
  options.ranks = 2;
  for (const std::string rate : {"75.83", "70.94"}) {
    const ImportedLog log =
        read_nccl_text("8796093022208 2199023255552 float sum -1 1.2e+08 " + rate + " " + rate +
                           " N/A 123456789 71.25 71.25 N/A\n",
                       options);

    EXPECT_EQ(log.samples.at(0).size, Bytes{1ULL << 43U});
    EXPECT_EQ(log.samples.at(0).time, Seconds{120});
    EXPECT_FALSE(log.samples.at(0).verified);
  }
}

TEST(NcclTestsLog, KeepsWrongRowsAndSaysSo) {
  const ImportedLog log =
      read_nccl_text(log_text({begin_of_four, changed(row_of_four, "15.73      0", "15.73      1"),
                               changed(second_row_of_four, "15.73      0", "15.73  1e+06")}));

  ASSERT_EQ(log.samples.size(), 2U);
  EXPECT_FALSE(log.samples[0].verified);
  EXPECT_FALSE(log.samples[1].verified);
  EXPECT_EQ(log.remarks.texts(),
            (std::vector<std::string>{
                "m.log:12: 1 wrong values: the row is not verified (and 1 more such)"}));
}

// Each rank prints the lines of its own; the first value of a variable is taken.
TEST(NcclTestsLog, NamesTheVariablesOfNccl) {
  const std::string lines =
      "a:1:1 [0] NCCL INFO NCCL_DEBUG set by environment to INFO.\n"
      "a:1:1 [0] NCCL INFO NCCL_ALGO set by environment to Ring,Tree.\n"
      "b:2:2 [1] NCCL INFO NCCL_ALGO set by environment to Ring,Tree.\n"
      "b:2:2 [1] NCCL INFO NCCL_BUFFSIZE set by environment to 8388608.\n"
      "no variable set by environment to\n";
  const ImportedLog log = read_nccl_text(log_text({begin_of_four, lines, row_of_four, end_of_run}));

  EXPECT_EQ(log.samples.size(), 1U);
  EXPECT_EQ(log.remarks.texts(),
            (std::vector<std::string>{"m.log:13: NCCL ran with variables; predict with --nccl-env "
                                      "\"NCCL_ALGO=Ring,Tree NCCL_BUFFSIZE=8388608\""}));
}

// In place only, while the times out of place are taken.
TEST(NcclTestsLog, SaysThatOtherColumnsFailed) {
  const ImportedLog log =
      read_nccl_text(log_text({begin_of_four, changed(row_of_four, "19.66      0", "19.66      3"),
                               changed(end_of_run, "0 OK", "3 FAILED")}));

  EXPECT_TRUE(log.samples.at(0).verified);
  EXPECT_EQ(log.remarks.texts(),
            (std::vector<std::string>{"m.log:13: values out of bounds, though none of the times "
                                      "that are taken has wrong ones"}));
}

TEST(NcclTestsLog, LeavesOutRowsThatStopInTheMiddle) {
  const std::string whole = log_text({begin_of_four, row_of_four, second_row_of_four});
  // Every place from the first number of the last row to before its last column.
  for (std::size_t length = whole.size() - second_row_of_four.size() + 12;
       length < whole.size() - 2; ++length) {
    SCOPED_TRACE(whole.substr(0, length));
    const ImportedLog log = read_nccl_text(whole.substr(0, length));

    EXPECT_EQ(log.samples.size(), 1U);
    EXPECT_EQ(log.remarks.texts(),
              (std::vector<std::string>{"m.log:13: the row is not whole and is left out"}));
  }
  EXPECT_EQ(read_nccl_text(whole.substr(0, whole.size() - 1)).samples.size(), 2U);
  const std::string unmeasured = changed(whole, "10.49", "  N/A");
  EXPECT_EQ(read_nccl_text(unmeasured).samples.size(), 1U);
}

TEST(NcclTestsLog, InfersTheRanksFromTheRowWithMostDigits) {
  // 23 ranks: 2 x 22/23 = 1.913043. By 3.13/1.64 alone, from 3.125/1.645 = 1.8997 to 3.135/1.635 =
  // 1.9174, 2/(2 - ratio) is 19.9 to 24.2; by 313.65/163.95, from
  // 313.645/163.955 = 1.91299 to 313.655/163.945 = 1.91317: 22.98 to 23.03.
  const std::string small = " 16384 4096 float sum -1 10.00 1.64 3.13 0 10.00 1.64 3.13 0\n";
  const std::string large =
      " 1073741824 268435456 float sum -1 6549.2 163.95 313.65 0 650000 1.64 3.13 0\n";

  EXPECT_EQ(read_nccl_text(small + large).samples.at(0).ranks, 23);
  // 3.285/1.635 is above 2, which no n reaches; from 3.275/1.645 = 1.99088 on: 219.3.
  const std::string near_two = changed(small, "3.13 0 10.00 1.64 3.13", "3.28 0 10.00 1.64 3.28");
  EXPECT_NE(nccl_refusal(near_two).find("busbw/algbw leaves 220 or more (expected"),
            std::string::npos);
  // Two ranks have busbw = algbw; none has more than twice as much.
  const std::string two = " 16384 4096 float sum -1 10.00 1.64 1.64 0 10.00 1.64 1.64 0\n";
  const std::string none = " 16384 4096 float sum -1 10.00 1.64 3.38 0 10.00 1.64 3.38 0\n";
  for (const std::string& rows : {small + two, none}) {
    EXPECT_EQ(nccl_refusal(rows),
              "m.log:1: no number of ranks explains the rows from here on (expected busbw = algbw "
              "x 2(n-1)/n with one n, or --ranks)");
  }
  EXPECT_EQ(nccl_refusal(small),
            "m.log:1: the log does not say how many ranks there were, and busbw/algbw leaves 20 to "
            "24 (expected lines \"# Rank 0 ...\", or --ranks)");
  EXPECT_EQ(nccl_refusal(" 8 2 float sum -1 20.00 0.00 0.00 0 20.00 0.00 0.00 0\n"),
            "m.log:1: the log does not say how many ranks there were, and busbw/algbw leaves 1 or "
            "more (expected lines \"# Rank 0 ...\", or --ranks)");
}

TEST(NcclTestsLog, KeepsTheRunsOfALogApart) {
  const std::string two =
      "# nThread 1 nGpus 2 minBytes 8 maxBytes 8\n"
      "#  Rank  0 Group  0 Pid 1 on blue device  0 [0x04] T4\n"
      "#  Rank  1 Group  0 Pid 1 on blue device  1 [0x05] T4\n"
      " 1048576 262144 float sum -1 100.00 10.49 10.49 0 80.00 13.11 13.11 0\n";
  const std::string headless =
      " 1073741824 268435456 float sum -1 6549.2 163.95 313.65 0 6549.2 "
      "163.95 313.65 0\n";

  const ImportedLog log =
      read_nccl_text(log_text({begin_of_four, run_of_four(), two, end_of_run, headless}));

  ASSERT_EQ(log.samples.size(), 4U);
  EXPECT_EQ(log.samples[0].ranks, 4);
  EXPECT_EQ(log.samples[2].ranks, 2);
  EXPECT_EQ(log.samples[3].ranks, 23);
  EXPECT_EQ(log.devices, "4 x NVIDIA L4 of 2 hosts");  // those of the run with most
  ASSERT_EQ(log.remarks.texts().size(), 1U);
  EXPECT_NE(log.remarks.texts()[0].find("each thread had 2 GPUs"), std::string::npos);
}

TEST(NcclTestsLog, CountsTheRanksOfOneGroup) {
  std::string split = changed(run_of_four(), "Rank  2 Group  0", "Rank  2 Group  1");
  split = changed(split, "Rank  3 Group  0", "Rank  3 Group  1");
  // 2 ranks: busbw = algbw.
  for (int row = 0; row < 2; ++row) {
    split = changed(changed(split, "15.73", "10.49"), "19.66", "13.11");
  }

  EXPECT_EQ(read_nccl_text(split).samples.at(0).ranks, 2);
  EXPECT_EQ(nccl_refusal(changed(run_of_four(), "Rank  3 Group  0", "Rank  3 Group  1")),
            "m.log:4: groups of 3 and of 1 ranks (expected groups of one size, or --ranks)");
}

TEST(NcclTestsLog, TellsProcessesThatRanAlone) {
  const std::string alone =
      "#  Rank  0 Group  0 Pid 1 on red device  0 [0x04] T4\n"
      "#  Rank  0 Group  0 Pid 2 on blue device  0 [0x04] T4\n"
      " 1048576 262144 float sum -1 5.00 209.72 0.00 0 0.10 10485 0.00 0\n";

  const ImportedLog log = read_nccl_text(alone);

  EXPECT_EQ(log.samples.at(0).ranks, 1);
  EXPECT_EQ(log.remarks.texts().at(0),
            "m.log:2: rank 0 comes again: processes that ran each for itself, as without MPI=1 "
            "when nccl-tests is built");
}

}  // namespace
}  // namespace ringcast
