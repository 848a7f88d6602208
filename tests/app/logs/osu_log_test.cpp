#include "app/logs/osu_log.hpp"

#include <gtest/gtest.h>

#include "tests/refusal.hpp"

namespace ringcast {
namespace {

const std::string title = "# OSU MPI Allreduce Latency Test v5.6\n";
const std::string header = "# Size       Avg Latency(us)\n";
const std::string rows =
    "4                       2.50\n"
    "1048576               250.00\n";

ImportOptions four_ranks() {
  ImportOptions options;
  options.ranks = 4;
  return options;
}

ImportedLog read(const std::string& text, const ImportOptions& options = four_ranks()) {
  return read_osu(log_of("o.log", text), options);
}

std::string refusal(const std::string& text, const ImportOptions& options = four_ranks()) {
  return refusal_of([&] { return read(text, options); });
}

TEST(OsuLog, GivesTheAverageTimesOfFloats) {
  const ImportedLog log = read("\n" + title + header + rows);

  ASSERT_EQ(log.samples.size(), 2U);
  EXPECT_EQ(log.samples[1].ranks, 4);
  EXPECT_EQ(log.samples[1].size, 1_MiB);
  EXPECT_EQ(log.samples[1].time, Seconds{250e-6});
  EXPECT_EQ(log.samples[1].time_max, Seconds{250e-6});
  EXPECT_EQ(log.samples[1].reduction.type, ElementType::float32);
  EXPECT_FALSE(log.samples[1].verified);
  EXPECT_EQ(log.remarks.texts(), std::vector<std::string>{});
}

TEST(OsuLog, GivesTheSpreadOfAFullTable) {
  const ImportedLog log = read(
      "# OSU MPI-CUDA Allreduce Latency Test v7.4\n"
      "# Datatype: MPI_INT.\n"
      "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations   P50 Tail "
      "Lat(us)  Validation\n"
      "1024  30.00  20.00  45.00  1000  29.00  Pass\n"
      "2048  31.00  21.00  46.00  1000  29.00  Fail\n");

  ASSERT_EQ(log.samples.size(), 2U);
  EXPECT_EQ(log.samples[0].time_min, Seconds{20e-6});
  EXPECT_EQ(log.samples[0].time_max, Seconds{45e-6});
  EXPECT_EQ(log.samples[0].reduction.type, ElementType::int32);
  EXPECT_TRUE(log.samples[0].verified);
  EXPECT_FALSE(log.samples[1].verified);
  EXPECT_EQ(log.remarks.texts(),
            (std::vector<std::string>{"o.log:5: wrong values: the row is not verified"}));
}

TEST(OsuLog, ReadsThroughTagsAndOtherLines) {
  const ImportedLog log = read(
      "srun: job 12 queued\n[1,0]<stdout>:# OSU MPI Allreduce Latency Test v7.0\r\n"
      "[1,0]<stdout>:# Size       Avg Latency(us)\r\n[1,0]<stdout>:4  2.50\r\n"
      "[box:mpi_rank_0] Warning: Size 3 of 4\n12 monkeys\n0: 8  2.75\n");

  ASSERT_EQ(log.samples.size(), 2U);
  EXPECT_EQ(log.samples[1].time, Seconds{2.75e-6});
}

// The types and the columns of a table are not those of the next one, here of one without columns.
TEST(OsuLog, ReadsTheTitlesOfEachTable) {
  const ImportedLog log =
      read(title + "# Datatype: MPI_INT.\n" + header + rows + title + header + rows + title + rows);

  ASSERT_EQ(log.samples.size(), 4U);
  EXPECT_EQ(log.samples[1].reduction.type, ElementType::int32);
  EXPECT_EQ(log.samples[2].reduction.type, ElementType::float32);
}

TEST(OsuLog, ReadsBehindTimestamps) {
  for (const std::string stamp : {"2026-01-31T09:08:07.123456789Z ", "2026-01-31 09:08:07 ",
                                  "[09:08:07] ", "2026-01-31 09:08:07.5 [0]: ", "(pid=38) "}) {
    const ImportedLog log = read(stamp + title + stamp + header + stamp + "4   2.50\n" + stamp +
                                 "12 monkeys\n" + stamp + "8   2.75\n");

    ASSERT_EQ(log.samples.size(), 2U) << stamp;
    EXPECT_EQ(log.samples[1].time, Seconds{2.75e-6}) << stamp;
  }
}

// Whatever a launcher puts before the titles is also before the rows.
TEST(OsuLog, ReadsBehindAnyPrefix) {
  for (const std::string prefix :
       {"2026-01-31T09:08:07.1Z stdout F ", "worker-0  | ", "> ", "1714560000.123 ",
        "pod container ", "Wed May  1 12:00:00 2024<stdout>:", "rank 0: "}) {
    const ImportedLog log =
        read(prefix + title + prefix + header + prefix + "4   2.50\n" + prefix + "8   2.75\n");

    ASSERT_EQ(log.samples.size(), 2U) << prefix;
    EXPECT_EQ(log.samples[1].time, Seconds{2.75e-6}) << prefix;
  }
  const ImportedLog one = read(title + header + rows + "rank0 | 8  2.04\n");
  EXPECT_EQ(one.samples.size(), 2U);
  EXPECT_EQ(one.remarks.texts(),
            (std::vector<std::string>{
                "o.log:5: the row begins with other words than its titles and is left out"}));
}

// With the tag "0", a truncated row has as many words as an untagged whole one, of 0 B.
TEST(OsuLog, KnowsATruncatedRowBehindANumber) {
  const std::string columns = "# Size  Avg Latency(us)  Iterations\n";
  const ImportedLog log = read("0 " + title + "0 " + columns +
                               "0 4  2.50  1000\n0 8  2.75\n16  3.00  1000\n0: 32  3.25  1000\n");

  ASSERT_EQ(log.samples.size(), 3U);
  EXPECT_EQ(log.samples[1].size, 16_B);
  EXPECT_EQ(log.samples[2].size, 32_B);
  EXPECT_EQ(log.remarks.texts(),
            (std::vector<std::string>{"o.log:4: the row is not whole and is left out"}));
}

// A launcher may tag the rows of a rank in another way than the titles.
TEST(OsuLog, ReadsBehindTagsOfSeveralKinds) {
  const ImportedLog log =
      read("[red] " + title + "[red] " + header + "[red] [1,0]<stdout>:4  2.50\n");

  ASSERT_EQ(log.samples.size(), 1U);
  EXPECT_EQ(log.samples[0].time, Seconds{2.5e-6});
}

TEST(OsuLog, LosesNoRowSilently) {
  const auto remarks = [](const std::string& line) {
    return read(title + header + rows + line + "\n").remarks.texts();
  };
  const std::vector<std::string> odd{"o.log:5: the row does not fit its table and is left out"};

  EXPECT_EQ(remarks("2M  430.50"), odd);
  EXPECT_EQ(remarks("2,097,152  430.50"), odd);
  EXPECT_EQ(remarks("[red:mpi_rank_0] Warning: size 3 of 4"), std::vector<std::string>{});
  EXPECT_EQ(remarks(""), std::vector<std::string>{});
}

TEST(OsuLog, KnowsTheLibrary) {
  const auto table = [](const std::string& library) {
    return "# OSU " + library + " Allreduce Latency Test v7.5\n" + header + rows;
  };
  for (const auto& [library, transport] :
       {std::pair{"MPI-CUDA", "MPI"}, std::pair{"NCCL", "NCCL"}, std::pair{"NCCL-CUDA", "NCCL"},
        std::pair{"RCCL-ROCM", "RCCL"}, std::pair{"xCCL", "xCCL"}}) {
    EXPECT_EQ(read(table(library)).transport, transport);
  }
  // One row is not the median of two libraries.
  const ImportedLog both = read(table("MPI") + table("NCCL"));
  EXPECT_EQ(both.transport, "MPI");
  EXPECT_EQ(both.samples.size(), 2U);
  EXPECT_EQ(both.remarks.texts(),
            (std::vector<std::string>{"o.log:5: OSU NCCL Allreduce Latency Test v7.5: left out"}));
  EXPECT_EQ(refusal(table("UPC")).substr(0, 40), "o.log:1: OSU UPC Allreduce Latency Test ");
}

// Whether or not the log also has tables of other tests.
TEST(OsuLog, SaysWhyNoRowStays) {
  const std::string bandwidth =
      "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1  2.41\n";
  for (const std::string& rest : {std::string{}, bandwidth}) {
    EXPECT_EQ(refusal(title + header + "1  1.00\n2  1.00\n" + rest),
              "o.log:3: a row of 1 B, no whole number of float32, is left out (and 1 more such), "
              "and no row stays (expected rows such as 1048576  230.90)");
  }
}

TEST(OsuLog, LeavesOutARowThatStopsInTheMiddle) {
  for (const std::string rest : {"20971", "2097152   4", "2097152   430.", "2097152   430.5"}) {
    const ImportedLog log = read(title + header + rows + rest);

    EXPECT_EQ(log.samples.size(), 2U) << rest;
    EXPECT_EQ(log.remarks.texts(),
              (std::vector<std::string>{"o.log:5: the row is not whole and is left out"}))
        << rest;
  }
  EXPECT_EQ(read(title + header + rows + "2097152   430.50").samples.size(), 3U);
}

TEST(OsuLog, SaysWhichRowsDoNotFit) {
  const ImportedLog odd = read(title + header + rows + "2097152  430.50  7.00\n8  -3.00\n16  x\n");
  EXPECT_EQ(odd.samples.size(), 2U);
  EXPECT_EQ(odd.remarks.texts(),
            (std::vector<std::string>{
                "o.log:5: the row does not fit its table and is left out (and 2 more such)"}));

  const ImportedLog part = read(title + header + "1  1.00\n2  1.00\n" + rows);
  EXPECT_EQ(part.samples.size(), 2U);
  EXPECT_EQ(part.remarks.texts(),
            (std::vector<std::string>{"o.log:3: a row of 1 B, no whole number of float32, is left "
                                      "out (and 1 more such)"}));
}

TEST(OsuLog, TakesATextThatAnEditorHasMarkedAsUtf8) {
  EXPECT_EQ(read("\xef\xbb\xbf" + title + header + rows).samples.size(), 2U);
}

TEST(OsuLog, NeedsToBeToldTheRanks) {
  EXPECT_EQ(refusal("\n" + title + header + rows, {}),
            "o.log:2: the log of osu_allreduce does not say how many ranks there were (expected "
            "--ranks)");
}

TEST(OsuLog, AsksWhatToTakeBytesFor) {
  const std::string bytes = title + "# Datatype: MPI_CHAR.\n" + header + rows;
  ImportOptions as_half = four_ranks();
  as_half.data_type = ElementType::float16;

  EXPECT_EQ(refusal(bytes),
            "o.log:1: elements of MPI_CHAR (expected MPI_FLOAT, MPI_DOUBLE or MPI_INT; --data-type "
            "float32 counts the bytes as float32)");
  EXPECT_EQ(read(bytes, as_half).samples.at(0).reduction.type, ElementType::float16);
}

TEST(OsuLog, HasNoTimesInPlace) {
  ImportOptions options = four_ranks();
  options.in_place = true;
  EXPECT_EQ(
      refusal(title + header + rows, options),
      "o.log: --in-place: osu_allreduce has no in-place times (expected a log of nccl-tests)");
}

TEST(OsuLog, RefusesOtherTests) {
  const std::string bandwidth =
      "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1  2.41\n";

  EXPECT_EQ(refusal(bandwidth),
            "o.log:1: OSU MPI Bandwidth Test v5.9 (expected an OSU MPI Allreduce Latency Test)");
  for (const std::string other : {"OSU MPI Non-blocking Allreduce Latency Test v5.9",
                                  "OSU MPI Non-Blocking Allreduce Latency Test v7.0"}) {
    EXPECT_EQ(refusal("# " + other + "\n" + header + "4 1.00\n"),
              "o.log:1: " + other + " (expected an OSU MPI Allreduce Latency Test)");
  }
  const ImportedLog both = read(title + header + rows + bandwidth + bandwidth);
  EXPECT_EQ(both.samples.size(), 2U);
  EXPECT_EQ(both.remarks.texts(),
            (std::vector<std::string>{"o.log:5: OSU MPI Bandwidth Test v5.9: left out"}));
}

TEST(OsuLog, RefusesWhatIsNoTable) {
  EXPECT_EQ(refusal(title + rows).substr(0, 39), "o.log: no rows of osu_allreduce (expect");
  EXPECT_EQ(refusal(title + header + "4  1.00  2.00\n"),
            "o.log:3: the row does not fit its table and is left out, and no row stays (expected "
            "rows such as 1048576  230.90)");
  EXPECT_EQ(refusal(title + header + "4  0.00\n"),
            "o.log:3: an all-reduce in 0 us (expected 0.001 us to 1e12 us)");
  EXPECT_EQ(refusal(title + "# Size  Latency (us)\n4  1.00\n"),
            "o.log:1: a table without \"Avg Latency(us)\" (expected a table as osu_allreduce "
            "prints it)");
  EXPECT_EQ(refusal(title + "# Size  Avg Latency(us)  Min Latency(us)\n4  1.00  2.00\n"),
            "o.log:3: the average is not between the least and the greatest time (expected a row "
            "as osu_allreduce prints it)");
  const auto with_most = [](const std::string& times) {
    return refusal(title + "# Size  Avg Latency(us)  Max Latency(us)\n4  " + times + "\n");
  };
  EXPECT_EQ(with_most("2.00  1.00").substr(0, 35), "o.log:3: the average is not between");
  EXPECT_EQ(with_most("0.00  1.00").substr(0, 31), "o.log:3: an all-reduce in 0 us ");
  EXPECT_EQ(with_most("1.00  2e12").substr(0, 35), "o.log:3: an all-reduce in 2e+12 us ");
}

}  // namespace
}  // namespace ringcast
