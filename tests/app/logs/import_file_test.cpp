#include "app/logs/import_file.hpp"

#include <fstream>
#include <regex>

#include <gtest/gtest.h>

#include "engine/schedule/bus_bandwidth.hpp"
#include "tests/app/logs/some_log.hpp"
#include "tests/app/report/some_result.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

std::string row_of_time(const std::string& time, const std::string& rates) {
  return " 1048576 262144 float sum -1 " + time + " " + rates + " 0 " + time + " " + rates + " 0\n";
}

TEST(ImportFile, IsAMeasuredResultThatNamesItsLog) {
  const TemporaryFolder folder;
  folder.write("logs/red.log", run_of_four());

  const Result result = import_log(folder / "logs/red.log", "nccl-tests", {}).result;

  EXPECT_EQ(result.provenance.scenario, "red.log");
  EXPECT_EQ(result.provenance.scenario_file, (folder / "logs/red.log").string());
  EXPECT_EQ(result.provenance.scenario_sha256, log_of("", run_of_four()).sha256);
  EXPECT_EQ(result.provenance.backend, "nccl-tests");
  EXPECT_EQ(result.provenance.cluster, "4 x NVIDIA L4 of 2 hosts");
  EXPECT_EQ(result.provenance.host, "red-01 and 1 other");
  EXPECT_FALSE(result.provenance.simulated);
  ASSERT_EQ(result.rows.size(), 2U);
  EXPECT_EQ(result.rows[0].cell.transport, "NCCL");
  EXPECT_EQ(result.rows[0].cell.algorithm, "");
  EXPECT_EQ(result.rows[0].cell.channels, std::nullopt);
}

TEST(ImportFile, KnowsOfWrongSums) {
  const TemporaryFolder folder;
  std::string log = run_of_four();
  folder.write("right.log", log);
  log.replace(log.find("15.73      0"), 12, "15.73     17");
  folder.write("wrong.log", log);
  folder.write("both.log", log + run_of_four());

  EXPECT_FALSE(read_result(folder / "right.log", {}).has_wrong_sums);
  EXPECT_TRUE(read_result(folder / "wrong.log", {}).has_wrong_sums);
  EXPECT_FALSE(read_result(folder / "both.log", {}).result.rows.front().verified);
}

// A published set may have a row of a log in its note.
TEST(ImportFile, NamesTheFormatOfLogsOnly) {
  const TemporaryFolder folder;
  folder.write("run.log", run_of_four());
  folder.write("titles.log", "# size time algbw busbw\n");
  folder.write("set.yaml", run_of_four());

  EXPECT_EQ(log_format_of(folder / "run.log"), "nccl-tests");
  EXPECT_EQ(log_format_of(folder / "titles.log"), "nccl-tests");
  EXPECT_EQ(log_format_of(folder / "set.yaml"), std::nullopt);
}

// The median of three runs is the middle one, that of four the mean of the middle two.
TEST(ImportFile, TakesTheMedianOfRepeatedCells) {
  const std::string three = row_of_time("100.00", "10.49 15.73") +
                            row_of_time("200.00", "5.24 7.86") +
                            row_of_time("110.00", "9.53 14.30");
  ImportOptions options;
  options.ranks = 4;
  const TemporaryFolder folder;
  folder.write("three.log", three);
  folder.write("four.log", three + row_of_time("120.00", "8.74 13.11"));

  const auto row = import_log(folder / "three.log", "nccl-tests", options).result.rows.at(0);
  const auto even = import_log(folder / "four.log", "nccl-tests", options).result.rows.at(0);

  EXPECT_DOUBLE_EQ(row.time.count(), 110e-6);
  EXPECT_DOUBLE_EQ(row.time_min.count(), 100e-6);
  EXPECT_DOUBLE_EQ(row.time_max.count(), 200e-6);
  EXPECT_DOUBLE_EQ(even.time.count(), 115e-6);
}

TEST(ImportFile, ReadsBackWhatItWrote) {
  const TemporaryFolder folder;
  folder.write("red.log", run_of_four());
  const Result result = import_log(folder / "red.log", "nccl-tests", {}).result;
  folder.write("red.json", to_json(result));

  EXPECT_EQ(to_json(read_result(folder / "red.json", {}).result), to_json(result));
  EXPECT_FALSE(read_result(folder / "red.json", {}).is_log);
  EXPECT_TRUE(read_result(folder / "red.log", {}).is_log);
  EXPECT_EQ(to_table(result),
            "# ringcast " + result.provenance.program_version +
                ": red.log, measured with nccl-tests on 4 x NVIDIA L4 of 2 hosts\n"
                "# all-reduce sum of float32, transport NCCL\n"
                "#  ranks   size  time ms  algbw GB/s  busbw GB/s\n"
                "       4  1 MiB    0.100      10.486      15.729\n"
                "       4  2 MiB    0.200      10.486      15.729\n");
}

TEST(ImportFile, TellsFormatsApart) {
  const TemporaryFolder folder;
  folder.write("red.log", run_of_four());
  folder.write("osu.log",
               "# OSU MPI Allreduce Latency Test v5.6\n# Size  Avg Latency(us)\n4 1.0\n");
  folder.write("other.log", "hello\n");
  folder.write("bad.json", "{\"rows\": [}");
  ImportOptions two;
  two.ranks = 2;
  const auto refusal = [&](const std::string& name, const std::string& format) {
    return message_of(folder, [&] {
      static_cast<void>(format.empty() ? read_result(folder / name, {})
                                       : import_log(folder / name, format, {}));
    });
  };

  EXPECT_EQ(read_result(folder / "red.log", {}).result.provenance.backend, "nccl-tests");
  EXPECT_EQ(read_result(folder / "osu.log", two).result.provenance.backend, "osu");
  EXPECT_EQ(refusal("red.log", "osu"),
            "red.log: no osu rows, but nccl-tests's (expected ringcast import nccl-tests red.log)");
  folder.write("notes.md", "#  ranks  time ms  algbw GB/s  busbw GB/s\n");
  EXPECT_EQ(refusal("notes.md", "osu").find("notes.md: no rows of osu_allreduce"), 0U);
  EXPECT_EQ(refusal("other.log", ""),
            "other.log: neither a result nor a log (expected JSON that ringcast wrote with "
            "--output, or what all_reduce_perf or osu_allreduce printed)");
  folder.write("titles.log", std::string{begin_of_four});
  EXPECT_EQ(refusal("titles.log", "").find("titles.log: no nccl-tests rows"), 0U);
  folder.write("j.json", "{\"version\": 2, \"results\": [{\"out_of_place\": {\"time\": 1}}]}");
  folder.write("n.json", "\n{\"version\": 2, \"results\": [{\"out_of_place\": {\"time\": 1}}]}");
  for (const std::string format : {"", "nccl-tests"}) {
    for (const std::string name : {"j.json", "n.json"}) {
      EXPECT_EQ(refusal(name, format),
                name +
                    ": JSON of nccl-tests, by -J (expected the table that it prints on standard "
                    "output)");
    }
  }
  EXPECT_EQ(refusal("bad.json", ""),
            "bad.json: not JSON at byte 11 (expected a file that ringcast wrote with --output)");
}

/// The rows "[size, time, algbw, busbw, time, algbw, busbw]" of a published measurement.
std::string published_as_log(const std::filesystem::path& file) {
  std::ifstream stream{file};
  const std::regex row{R"(- \[(\d+), ([^,]+), ([^,]+), ([^,]+), ([^,]+), ([^,]+), ([^,\]]+)\])"};
  std::string text;
  for (std::string line; std::getline(stream, line);) {
    std::smatch part;
    if (std::regex_match(line, part, row)) {
      text += fmt::format("{} {} float sum -1 {} {} {} 0 {} {} {} 0\n", part[1].str(),
                          std::stoull(part[1]) / 4, part[2].str(), part[3].str(), part[4].str(),
                          part[5].str(), part[6].str(), part[7].str());
    }
  }
  return text;
}

TEST(ImportFile, InfersTheRanksOfAPublishedMeasurement) {
  const std::filesystem::path published = std::filesystem::path{RINGCAST_SOURCE_DIR} /
                                          "../shared/data/published/nccl_8xa100_sxm4_mpirun.yaml";
  if (!std::filesystem::exists(published)) {
    GTEST_SKIP() << "no " << published;
  }
  const TemporaryFolder folder;
  folder.write("a100.log", published_as_log(published));

  const Result result = import_log(folder / "a100.log", "nccl-tests", {}).result;

  ASSERT_EQ(result.rows.size(), 30U);
  EXPECT_EQ(result.rows.back().cell.ranks, 8);
  // Its last row prints 232.81 GB/s.
  EXPECT_NEAR(bus_bandwidth(8, result.rows.back().cell.size, result.rows.back().time).value(),
              232.81e9, 0.01e9);
}

}  // namespace
}  // namespace ringcast
