#include <string>

#include <gtest/gtest.h>

#include "app/config/scenario/published_set.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

/// A set of eight GPUs: rows of MPI, and of NCCL by the alias `tuned`.
class PublishedRows : public ::testing::Test {
 protected:
  PublishedRows() {
    folder_.write("cluster.yaml", eight_gpus);
    folder_.write("nccl.yaml",
                  "name: NCCL\nsource: invented\nmessage_overhead: 0 us\ntuner: nccl\n"
                  "protocols: [{algorithm: ring, name: Simple, latencies: {p2p: 1 us}}]\n");
  }

  [[nodiscard]] PublishedSet read(const std::string& more) const {
    folder_.write("set.yaml",
                  "name: a set\nsource: invented\ncluster: cluster.yaml\n"
                  "transport: {name: MPI, source: invented, message_overhead: 0 us}\n"
                  "transports: {tuned: nccl.yaml}\n" +
                      more);
    return read_published_set(folder_ / "set.yaml");
  }
  [[nodiscard]] std::string message(const std::string& more) const {
    return message_of(folder_, [&] { return read(more); });
  }

 private:
  TemporaryFolder folder_;
};

constexpr const char* row_of_each =
    "rows:\n"
    "  - {ranks: 4, size: 4 MiB, time: 1 ms}\n"
    "  - {ranks: 4, size: 4 MiB, time: 1 ms, transport: tuned}\n";

TEST_F(PublishedRows, HaveTheDefaultRingsOfTheirOwnTransport) {
  const PublishedSet set = read(row_of_each);

  EXPECT_EQ(scenario_of(set, set.rows[0]).ring_orders.at(0).name, "by-rank");
  EXPECT_EQ(scenario_of(set, set.rows[1]).ring_orders.at(0).name, "nccl");
}

TEST_F(PublishedRows, HaveTheRingsOfTheFile) {
  const PublishedSet set = read(std::string{"ring_order: reversed\n"} + row_of_each);

  EXPECT_EQ(scenario_of(set, set.rows[0]).ring_orders.at(0).name, "reversed");
  EXPECT_EQ(scenario_of(set, set.rows[1]).ring_orders.at(0).name, "reversed");
}

// `auto` without a tuner gives a tree segments, unless the file asks for whole chunks.
TEST_F(PublishedRows, HaveWholeChunksIfTheFileSaysSo) {
  const std::string chosen = std::string{"algorithm: auto\n"} + row_of_each;

  EXPECT_FALSE(read(chosen).scenario.asks_for_whole_chunks);
  EXPECT_TRUE(read("segment_size: whole\n" + chosen).scenario.asks_for_whole_chunks);
  EXPECT_FALSE(read("segment_size: 1 MiB\n" + chosen).scenario.asks_for_whole_chunks);
}

TEST_F(PublishedRows, AreOneCellIfTheirGpusAre) {
  const auto rows_of = [](const std::string& first, const std::string& second) {
    return "rows:\n  - {ranks: 4, size: 4 MiB, time: 1 ms" + first +
           "}\n  - {ranks: 4, size: 4 MiB, time: 1 ms" + second + "}\n";
  };
  const std::string other_gpus = ", gpus: [0, 1, 4, 5]";

  EXPECT_EQ(message("gpus: {4: [0, 1, 4, 5]}\n" + rows_of("", other_gpus)),
            "set.yaml:9:5: rows[1]: a second row of 4 ranks, 4 MiB, GPUs 0, 1, 4, 5 (expected each "
            "once, or another transport, algorithm or gpus)");
  // The first GPUs, by name and by default.
  EXPECT_EQ(message(rows_of(", gpus: [0, 1, 2, 3]", "")),
            "set.yaml:8:5: rows[1]: a second row of 4 ranks, 4 MiB (expected each once, or another "
            "transport, algorithm or gpus)");
  EXPECT_EQ(message(rows_of("", other_gpus)), "nothing was refused");
}

}  // namespace
}  // namespace ringcast
