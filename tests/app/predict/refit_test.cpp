#include "app/predict/refit.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/predict/validate.hpp"
#include "engine/numbers/error.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

// The files say 10 GB/s and 1 us for a cable, 3 us for a message. The times are those of 8 GB/s,
// 2 us and 5 us; a hop crosses two cables, so for 2 ranks
//   t = 2 (overhead + 2 latency + S / (2 bandwidth)).
constexpr const char* cluster_text = R"(name: star
links: {pcie: {bandwidth: 10 GB/s, latency: 1 us, source: test}}
node_types:
  box: {sockets: [{root_complexes: [{devices: [{kind: gpu, count: 2, link: pcie}]}]}]}
nodes: [{type: box}]
)";
constexpr const char* transport_text = "name: own\nsource: test\nmessage_overhead: 3 us\n";

/// The time of `megabytes` at 8 GB/s, with this latency of a cable and overhead of a message.
std::string time_of(double megabytes, double latency_us, double overhead_us) {
  return fmt::format("{} us", 2 * (overhead_us + 2 * latency_us + megabytes * 1e3 / (2 * 8)));
}

std::string set_of(const std::string& name, const std::string& cluster_file,
                   const std::string& number, const std::string& row) {
  return fmt::format(
      "name: {}\nsource: test\ncluster: {}\ntransport: transport.yaml\n"
      "transports: {{other: {{name: other, source: test, message_overhead: 3 us}}}}\n"
      "rows:\n  - {{ranks: 2, {}}}\n"
      "fit_on: {{numbers: [{{name: {}}}], rows: [[2, {}]]}}\n",
      name, cluster_file, row, number, row.substr(6, row.find(',') - 6));
}

class RefitTest : public ::testing::Test {
 protected:
  RefitTest() {
    folder_.write("cluster.yaml", cluster_text);
    folder_.write("twin.yaml", cluster_text);
    folder_.write("transport.yaml", transport_text);
  }

  [[nodiscard]] Refit refitted(const std::vector<std::string>& sets) const {
    std::vector<std::filesystem::path> files;
    for (const std::string& set : sets) {
      const std::string name = fmt::format("set{}.yaml", files.size());
      folder_.write(name, set);
      files.push_back(folder_ / name);
    }
    return refit(read_published_sets(files), {.jobs = 2});
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

TEST_F(RefitTest, FindsTheBandwidthOfTheTimes) {
  const Refit found = refitted({set_of("a", "cluster.yaml", "link pcie bandwidth",
                                       "size: 100 MB, time: " + time_of(100, 1, 3))});

  ASSERT_EQ(found.numbers.size(), 1U);
  EXPECT_EQ(found.numbers[0].stored.name, "link pcie bandwidth");
  EXPECT_EQ(found.numbers[0].stored.value, 10e9);
  EXPECT_NEAR(found.numbers[0].value / 8e9, 1, 1e-6);
  EXPECT_TRUE(found.numbers[0].determined);
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.rows, 1U);
  // 2 (5 us + 100 MB / 20 GB/s) = 10.01 ms instead of 2 (5 us + 100 MB / 16 GB/s) = 12.51 ms.
  EXPECT_NEAR(found.error_stored, 1 - 10.01 / 12.51, 1e-6);
  EXPECT_NEAR(found.error_refitted, 0, 1e-6);
}

// The first set tells the bandwidth, the second the latency: of one file, so both sets feel both.
TEST_F(RefitTest, SetsOfOneClusterFileShareItsNumbers) {
  const Refit found = refitted({set_of("a", "cluster.yaml", "link pcie bandwidth",
                                       "size: 100 MB, time: " + time_of(100, 2, 3)),
                                set_of("b", "cluster.yaml", "link pcie latency",
                                       "size: 8 kB, time: " + time_of(0.008, 2, 3))});

  ASSERT_EQ(found.numbers.size(), 2U);
  EXPECT_NEAR(found.numbers[0].value / 8e9, 1, 1e-6);
  EXPECT_NEAR(found.numbers[1].value / 2e-6, 1, 1e-6);
  EXPECT_EQ(found.rows, 2U);
}

TEST_F(RefitTest, ANumberNamedTwiceOfOneFileIsOne) {
  const std::string row = "size: 100 MB, time: " + time_of(100, 1, 3);
  const std::string number = "link pcie bandwidth";

  EXPECT_EQ(
      refitted({set_of("a", "cluster.yaml", number, row), set_of("b", "cluster.yaml", number, row)})
          .numbers.size(),
      1U);
  EXPECT_EQ(
      refitted({set_of("a", "cluster.yaml", number, row), set_of("b", "twin.yaml", number, row)})
          .numbers.size(),
      2U);
}

TEST_F(RefitTest, FindsTheOverheadOfAMessage) {
  const Refit found = refitted({set_of("a", "cluster.yaml", "transport message_overhead",
                                       "size: 8 B, time: " + time_of(8e-6 * 8 / 10, 1, 5))});

  ASSERT_EQ(found.numbers.size(), 1U);
  EXPECT_NEAR(found.numbers[0].value / 5e-6, 1, 1e-6);
  EXPECT_EQ(found.numbers[0].file.filename(), "transport.yaml");
}

TEST_F(RefitTest, ANumberOfTheTransportDoesNotReachOtherSoftware) {
  const Refit found =
      refitted({set_of("a", "cluster.yaml", "transport message_overhead",
                       "size: 8 kB, time: " + time_of(0.008, 1, 5) + ", transport: other")});

  ASSERT_EQ(found.numbers.size(), 1U);
  EXPECT_FALSE(found.numbers[0].determined);
}

TEST_F(RefitTest, ANumberOfTheClusterReachesOtherSoftware) {
  const Refit found =
      refitted({set_of("a", "cluster.yaml", "link pcie bandwidth",
                       "size: 100 MB, time: " + time_of(100, 1, 3) + ", transport: other")});

  EXPECT_TRUE(found.numbers.at(0).determined);
  EXPECT_NEAR(found.numbers.at(0).value / 8e9, 1, 1e-6);
}

TEST_F(RefitTest, NothingToFitIsRefused) {
  std::string set = set_of("a", "cluster.yaml", "link pcie bandwidth", "size: 1 MB, time: 1 ms");
  set.erase(set.find("fit_on"));

  EXPECT_EQ(message_of(folder(), [&] { static_cast<void>(refitted({set})); }),
            "--refit: no set names a number to fit (expected the key fit_on)");
}

TEST_F(RefitTest, TheTableHasTheValuesSideBySide) {
  Refit found;
  found.numbers = {
      {{"link ib bandwidth", 6e9, Unit::rate, ""}, "a/ib.yaml", 5.7e9, true, false, 0.012},
      {{"transport message_overhead", 5e-6, Unit::time, ""},
       "b/t.yaml",
       5e-4,
       true,
       true,
       std::nullopt}};
  found.rows = 2;
  found.error_stored = 0.051;
  found.error_refitted = 0.024;
  found.converged = true;

  EXPECT_EQ(to_table(found),
            "# refit on 2 rows: mean absolute error 5.1 % with the stored values, 2.4 % refitted\n"
            "#  number                      stored  refitted  difference %  +- %  remark        "
            "file\n"
            "   link ib bandwidth           6 GB/s  5.7 GB/s          -5.0   1.2  -             "
            "ib.yaml\n"
            "   transport message_overhead    5 us    500 us       +9900.0     -  at its bound  "
            "t.yaml\n");
}

}  // namespace
}  // namespace ringcast
