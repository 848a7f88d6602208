#include <string>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "app/config/scenario/published_set.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

using namespace literals;

// Right as it stands; each case makes one slip in it. 4 MiB on 4 ranks in 1 ms are 4.194 GB/s,
// which is a bus bandwidth of 4.194 x 2 x 3/4 = 6.291 GB/s.
const std::string right_set = R"(name: a set
source: invented
note: for the test
cluster: cluster.yaml
transport: {name: own, source: invented, message_overhead: 0 us}
transports:
  other: {name: another, source: invented, message_overhead: 9 us}
algorithm: ring
data_type: float32
ring_order: by-rank
channels: 2
segment_size: 1 MiB
rows:
  - {ranks: 4, size: 4 MiB, time: 1.000 ms, busbw: 6.29 GB/s}
  - {ranks: 4, size: 4 MiB, time: 2 ms, transport: other, algorithm: tree}
  - {ranks: 8, size: 400 B, time: 20 us, judged: false, why: too small}
fit_on:
  numbers: [{name: link infiniband-fdr-4x latency, from: the data sheet}, {name: link pcie-3.0-x16 bandwidth}]
  rows: [[8, 400 B]]
gpus: {4: [0, 1, 4, 5]}
)";

class PublishedReader : public ::testing::Test {
 protected:
  PublishedReader() { folder_.write("cluster.yaml", eight_gpus); }

  [[nodiscard]] PublishedSet read(const std::string& text) const {
    folder_.write("set.yaml", text);
    return read_published_set(folder_ / "set.yaml");
  }
  [[nodiscard]] std::string message(const std::string& text) const {
    return message_of(folder_, [&] { return read(text); });
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(PublishedReader, KeepsWhatTheFileSays) {
  const PublishedSet set = read(right_set);

  EXPECT_EQ(set.scenario.name, "a set");
  EXPECT_EQ(set.source, "invented");
  EXPECT_EQ(set.note, "for the test");
  EXPECT_EQ(set.scenario.cluster.name, "eight GPUs");
  EXPECT_EQ(set.scenario.channels, std::vector{2});
  EXPECT_EQ(set.scenario.segment_size, 1_MiB);
  EXPECT_EQ(set.scenario.ranks, (std::vector{4, 8}));
  EXPECT_EQ(set.scenario.sizes, (std::vector{4_MiB, 400_B}));
  ASSERT_EQ(set.rows.size(), 3U);
  EXPECT_EQ(set.rows[0].measured, Seconds{1e-3});
  EXPECT_TRUE(is_judged(set.rows[0]));
  EXPECT_EQ(set.rows[2].not_judged, "too small");
  EXPECT_TRUE(set.rows[2].fitted);
  ASSERT_EQ(set.fitted_numbers.size(), 2U);
  EXPECT_EQ(set.fitted_numbers[0].name, "link infiniband-fdr-4x latency");
  EXPECT_EQ(set.fitted_numbers[0].from, "the data sheet");
}

TEST_F(PublishedReader, ATransferHasItsGpusAndPosition) {
  std::string text = right_set;
  const std::string row = "{ranks: 4, size: 4 MiB, time: 2 ms, transport: other, algorithm: tree}";
  text.replace(text.find(row), row.size(),
               "{ranks: 2, size: 4 MiB, time: 2 ms, gpus: [5, 2], algorithm: both-ways}");

  const PublishedSet set = read(text);

  const Scenario scenario = scenario_of(set, set.rows.at(1));
  EXPECT_EQ(scenario.algorithms, std::vector<std::string>{"both-ways"});
  EXPECT_EQ(scenario.cluster.job_gpus, (std::vector{5, 2}));
  EXPECT_TRUE(position_of(scenario, "algorithm", "both-ways")
                  .ends_with("set.yaml:15:66: rows[1].algorithm"));
  EXPECT_TRUE(position_of(scenario_of(set, set.rows[0]), "algorithm", "ring")
                  .ends_with(":8:12: algorithm"));
  EXPECT_EQ(position_of(scenario, "channels", "7"), "channels");
  EXPECT_EQ(to_text(set.rows[1]), "2 ranks, 4 MiB, GPUs 5, 2");
}

TEST_F(PublishedReader, ARowHasTheSetsSoftwareOrItsOwn) {
  const PublishedSet set = read(right_set);

  const Scenario first = scenario_of(set, set.rows[0]);
  const Scenario second = scenario_of(set, set.rows[1]);

  EXPECT_EQ(first.cluster.job_gpus, (std::vector{0, 1, 4, 5}));
  EXPECT_TRUE(scenario_of(set, set.rows[2]).cluster.job_gpus.empty());
  EXPECT_EQ(first.transport.name, "own");
  EXPECT_EQ(first.algorithms, std::vector<std::string>{"ring"});
  EXPECT_EQ(first.ranks, std::vector{4});
  EXPECT_EQ(first.sizes, std::vector{4_MiB});
  EXPECT_EQ(second.transport.name, "another");
  EXPECT_EQ(second.transport.message_overhead, 9_us);
  EXPECT_EQ(second.algorithms, std::vector<std::string>{"tree"});
}

// 2 x 3/4 x 4 MiB / (6.291456 GB/s) = 1 ms.
TEST_F(PublishedReader, TheTimeFollowsFromTheBusBandwidth) {
  const PublishedSet set =
      read(right_with(right_set, {"", "time: 1.000 ms, busbw: 6.29 GB/s", "busbw: 6.291456 GB/s"}));

  EXPECT_NEAR(set.rows[0].measured.count(), 1e-3, 1e-15);
}

// 1.0 ms may have been 0.95 to 1.05 ms: 5.99 to 6.62 GB/s. 6.0 GB/s may have been 5.95 to
// 6.05 GB/s. 1 ms may have been anything from 0.5 to 1.5 ms.
TEST_F(PublishedReader, RoundedFiguresDoNotContradictEachOther) {
  for (const char* figures : {"time: 1.0 ms, busbw: 6.0 GB/s", "time: 1.0 ms, busbw: 6.62 GB/s",
                              "time: 1000 us, busbw: 6.3 GB/s", "time: 1 ms, busbw: 12 GB/s"}) {
    EXPECT_NO_THROW(static_cast<void>(
        read(right_with(right_set, {"", "time: 1.000 ms, busbw: 6.29 GB/s", figures}))))
        << figures;
  }
}

TEST_F(PublishedReader, AllButTheRowsAndTheSoftwareHasADefault) {
  const PublishedSet set = read(R"(name: small
source: invented
cluster: cluster.yaml
transport: {name: own, source: invented, message_overhead: 0 us}
rows: [{ranks: 2, size: 8 B, time: 1 us}]
)");

  EXPECT_EQ(set.note, "");
  EXPECT_EQ(set.scenario.algorithms, std::vector<std::string>{"ring"});
  EXPECT_TRUE(set.scenario.channels.empty());
  EXPECT_EQ(set.rows[0].algorithm, "ring");
  EXPECT_TRUE(set.fitted_numbers.empty());
}

const Slip set_slips[] = {
    {"NoName", "name: a set\n", "", "set.yaml:1:1: name: missing (expected a text)"},
    {"NoSource", "source: invented\nnote", "note",
     "set.yaml:1:1: source: missing (expected who published the measurements, and where)"},
    {"NoCluster", "cluster: cluster.yaml\n", "",
     "set.yaml:1:1: cluster: missing (expected the cluster file of the machine)"},
    {"ClusterFileMissing", "cluster: cluster.yaml", "cluster: none.yaml",
     "set.yaml:4:10: cluster: none.yaml cannot be read: No such file or directory (expected a YAML "
     "file, relative to this one, or a map)"},
    {"AScenariosKey", "channels: 2", "sizes: 4 MiB",
     "set.yaml:11:1: sizes: unknown key (expected name, source, note, cluster, gpus, "
     "transport, transports, algorithm, data_type, operation, ring_order, channels, segment_size, "
     "rows, judged_from or fit_on)"},
    {"ClusterPerRow", "ranks: 8, size", "cluster: cluster.yaml, ranks: 8, size",
     "set.yaml:16:6: rows[2].cluster: unknown key (expected ranks, size, time, busbw, gpus, "
     "transport, algorithm, judged or why)"},
    {"SeveralAlgorithms", "algorithm: ring\n", "algorithm: [ring, tree]\n",
     fmt::format("set.yaml:8:12: algorithm: is a list (expected {}, one-way, both-ways, ping-pong "
                 "or auto)",
                 fmt::join(allreduce_names(), ", "))},
    {"ATransferOfManyRanks", "transport: other, algorithm: tree", "algorithm: one-way",
     "set.yaml:15:13: rows[1].ranks: 4 ranks for one-way (expected 2)"},
    {"GpusOfARowTwice", "ranks: 8, size", "ranks: 2, gpus: [1, 1], size",
     "set.yaml:16:26: rows[2].gpus[1]: GPU 1 is repeated (expected each GPU once)"},
    {"TooFewGpusOfARow", "ranks: 8, size", "ranks: 2, gpus: [1], size",
     "set.yaml:16:22: rows[2].gpus: 1 GPU for 2 ranks (expected a GPU for each rank, e.g. [0, "
     "4])"},
    {"SeveralOrders", "ring_order: by-rank", "ring_order: [by-rank, reversed]",
     "set.yaml:10:13: ring_order: several orders (expected the one of the measurements)"},
    {"SeveralNumbersOfChannels", "channels: 2", "channels: [1, 2]",
     "set.yaml:11:11: channels: several numbers (expected the one of the measurements)"},
    {"AnOrderOfOneRankCount", "ring_order: by-rank", "ring_order: [0, 1, 2, 3]",
     "set.yaml:10:13: ring_order: an order of 4 ranks in a scenario of 8 (expected an order of 8, "
     "or ranks: 4)"},
    {"MoreRanksThanGpus", "ranks: 8, size", "ranks: 9, size",
     "set.yaml:16:13: rows[2].ranks: 9 ranks, but the cluster has 8 (expected 1 to 8)"},
    {"OneRank", "ranks: 8, size", "ranks: 1, size",
     "set.yaml:16:13: rows[2].ranks: a single rank has nothing to send (expected 2 or more)"},
    {"NoRanks", "ranks: 8, size", "size",
     "set.yaml:16:5: rows[2].ranks: missing (expected how many ranks took part)"},
    {"SizeOfZero", "size: 400 B", "size: 0",
     "set.yaml:16:22: rows[2].size: nothing to send (expected more than 0)"},
    {"SizeOfAFraction", "size: 400 B", "size: 401 B",
     "set.yaml:16:22: rows[2].size: 401 B is not a whole number of elements (expected a multiple "
     "of 4 bytes, the size of a float32)"},
    {"SizeWithoutUnit", "size: 400 B", "size: 400",
     "set.yaml:16:22: rows[2].size: no unit in \"400\" (expected a size such as 64 MiB or 1.2 GB)"},
    {"NoTime", "time: 20 us, ", "",
     "set.yaml:16:5: rows[2].time: missing (expected the measured time, or busbw)"},
    {"NoTimeAtAll", "time: 20 us", "time: 0",
     "set.yaml:16:35: rows[2].time: 0 for an all-reduce (expected more than 0)"},
    {"NoBandwidthAtAll", "6.29 GB/s", "0 GB/s",
     "set.yaml:14:52: rows[0].busbw: 0 of a ring that ended (expected more than 0)"},
    {"BandwidthContradictsTheTime", "6.29 GB/s", "4.19 GB/s",
     "set.yaml:14:52: rows[0].busbw: 4.19 GB/s contradicts the time (expected 6.291 GB/s, the "
     "busbw of 4 MiB in 1 ms)"},
    {"UnknownTransport", "transport: other,", "transport: othre,",
     "set.yaml:15:52: rows[1].transport: unknown transport \"othre\", did you mean \"other\"? "
     "(expected other)"},
    {"NoTransports",
     "transports:\n  other: {name: another, source: invented, message_overhead: "
     "9 us}\n",
     "",
     "set.yaml:13:52: rows[1].transport: \"other\" in a file without transports (expected an alias "
     "defined under transports)"},
    {"NotJudgedWithoutReason", ", why: too small", "",
     "set.yaml:16:5: rows[2].why: missing (expected the reason why the row is not judged)"},
    {"ReasonOfAJudgedRow", "judged: false, ", "",
     "set.yaml:16:47: rows[2].why: a reason for a row that is judged (expected judged: false, or "
     "no why)"},
    {"SameCellTwice", "ranks: 8, size: 400 B, time: 20 us", "ranks: 4, size: 4 MiB, time: 20 us",
     "set.yaml:16:5: rows[2]: a second row of 4 ranks, 4 MiB (expected each once, or another "
     "transport, algorithm or gpus)"},
    {"NoRows", "rows: [[8, 400 B]]", "rows: []",
     "set.yaml:19:9: fit_on.rows: an empty list (expected at least one value)"},
    {"FittedOnNoRow", "[[8, 400 B]]", "[[8, 404 B]]",
     "set.yaml:19:10: fit_on.rows[0]: no row of 8 ranks and 404 B (expected ranks and size of one "
     "under rows)"},
    {"FittedTwiceOnARow", "[[8, 400 B]]", "[[8, 400 B], [8, 400 B]]",
     "set.yaml:19:22: fit_on.rows[1]: is repeated (expected each row once)"},
    {"FittedOnARankCount", "[[8, 400 B]]", "[[8]]",
     "set.yaml:19:10: fit_on.rows[0]: is not one row (expected [ranks, size], e.g. [16, 4 MiB])"},
    {"FittedNumberTwice", "link pcie-3.0-x16 bandwidth", "link infiniband-fdr-4x latency",
     "set.yaml:18:82: fit_on.numbers[1].name: link infiniband-fdr-4x latency is repeated (expected "
     "each number once)"},
    {"TooManyFittedNumbers", "{name: link pcie-3.0-x16 bandwidth}",
     "{name: link infiniband-fdr-4x bandwidth}, "
     "{name: link pcie-3.0-x16 latency}, {name: link pcie-3.0-x16 bandwidth}",
     "set.yaml:18:12: fit_on.numbers: 4 fitted numbers (expected at most 3: with more, anything "
     "fits)"},
    {"FittedUnknownNumber", "link pcie-3.0-x16 bandwidth", "link pcie-3.0-x16 bandwith",
     "set.yaml:18:82: fit_on.numbers[1].name: unknown parameter \"link pcie-3.0-x16 bandwith\", "
     "did you mean \"link pcie-3.0-x16 bandwidth\"? (expected link pcie-3.0-x16 bandwidth, link "
     "pcie-3.0-x16 latency, link pcie-3.0-x16 peer_bandwidth, link pcie-3.0-x16 kernel_bandwidth, "
     "link infiniband-fdr-4x bandwidth, link infiniband-fdr-4x latency or "
     "link infiniband-fdr-4x kernel_bandwidth)"},
    {"GpusForOtherRanks", "{4: [0, 1, 4, 5]}", "{4: [0, 1, 4]}",
     "set.yaml:20:11: gpus.4: 3 GPUs for 4 ranks (expected a list of as many GPUs as the key says "
     "ranks, e.g. 2: [0, 4])"},
    {"GpuThatIsNotThere", "[0, 1, 4, 5]", "[0, 1, 4, 8]",
     "set.yaml:20:21: gpus.4[3]: 8 is out of range (expected a whole number from 0 to 7)"},
    {"GpusForRanksOfNoRow", "{4: [0, 1, 4, 5]}", "{2: [0, 1]}",
     "set.yaml:20:11: gpus.2: no row of 2 ranks (expected ranks of one under rows)"},
    {"GpuTwice", "[0, 1, 4, 5]", "[0, 1, 4, 4]",
     "set.yaml:20:21: gpus.4[3]: GPU 4 is repeated (expected each GPU once)"},
    {"FittedNothing",
     "  numbers: [{name: link infiniband-fdr-4x latency, from: the data sheet}, {name: link "
     "pcie-3.0-x16 bandwidth}]\n",
     "",
     "set.yaml:18:3: fit_on.numbers: missing (expected a list of {name, from}: what was fitted)"},
};

class PublishedSlip : public PublishedReader, public ::testing::WithParamInterface<Slip> {};

TEST_P(PublishedSlip, IsRefusedWithItsPlace) {
  EXPECT_EQ(message(right_with(right_set, GetParam())), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Slips, PublishedSlip, ::testing::ValuesIn(set_slips), name_of_slip);

}  // namespace
}  // namespace ringcast
