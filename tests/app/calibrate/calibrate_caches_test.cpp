// Caches that are put into a simulated host are found again, by what its ranks measure.
#include <gtest/gtest.h>

#include "app/calibrate/machine_files.hpp"
#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "tests/app/calibrate/simulated_calibration.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {
namespace {

constexpr int ranks = 2;
constexpr double memory_rate = 8e9;

ClusterSpec written(const std::string& yaml) {
  return read_cluster(yaml_of("cluster.yaml", yaml));
}

/// 30 GB/s up to 2 MiB, 8 GB/s from 8 MiB on; at 4 MiB, halfway in the logarithm,
/// 2 / (1/30 + 1/8) = 12.63 GB/s. A receive that reduces takes in 6 GB/s from 8 MiB on, and as much
/// as a copy up to 2 MiB: halfway 2 / (1/30 + 1/6) = 10 GB/s. What is lent moves at 60 GB/s and 12,
/// halfway 2 / (1/60 + 1/12) = 20.
ClusterSpec host_with_caches() {
  return written(R"(name: one host
node_types:
  host:
    sockets:
      - processes: 2
        process_link: {bandwidth: 8 GB/s, latency: 0.3 us, source: test}
        caches:
          - {touched: 2 MiB, bandwidth: 30 GB/s, lent_rate: 60 GB/s}
          - {touched: 8 MiB, bandwidth: 8 GB/s, reduce_rate: 6 GB/s, lent_rate: 12 GB/s}
nodes: [{type: host}]
)");
}

/// Each size of a sweep on the machine as its buffers find it.
Calibration measured(const ClusterSpec& host, const TransportProfile& transport) {
  const Cluster cluster = build_cluster(host);
  CalibrationEffort effort = testing::small_effort();
  Calibration all;
  for (Bytes touched{1U << 20U}; touched <= Bytes{16U << 20U}; touched = 2 * touched) {
    effort.least_sweep = effort.most_sweep = touched;
    const Bytes buffer{touched.count() / ranks};
    TransportProfile as_found = transport;
    const BytesPerSecond cached = cached_reduce_rate(cluster, ranks, buffer);
    if (transport.fused_reduction && cached > BytesPerSecond{0}) as_found.reduce_rate = cached;
    as_found.lent_rate = cached_lent_rate(cluster, ranks, buffer);
    Calibration one =
        testing::simulated_calibration(with_caches(cluster, ranks, buffer), as_found, effort);
    // The other patterns go over the largest buffers last: of each only those count.
    const auto is_sweep = [](const ProbeSample& each) {
      return each.probe == Probe::node_passed || each.probe == Probe::node_passed_reduced ||
             each.probe == Probe::node_lent;
    };
    std::erase_if(all.samples, [&](const ProbeSample& each) { return !is_sweep(each); });
    one.samples.insert(one.samples.begin(), all.samples.begin(), all.samples.end());
    all = std::move(one);
  }
  return all;
}

TransportProfile fused(BytesPerSecond reduce_rate) {
  return {.name = "test",
          .host_copies = 1,
          .message_overhead = Seconds{0.5e-6},
          .reduce_rate = reduce_rate,
          .fused_reduction = true};
}

TEST(CalibrateCaches, FindsWhatFitsIntoACacheAndWritesItForPredict) {
  const ClusterSpec host = host_with_caches();

  const MachineModel model = machine_model(measured(host, fused(BytesPerSecond{40e9})));

  ASSERT_TRUE(model.node);
  EXPECT_NEAR(model.node->cost.bandwidth.value(), memory_rate, 0.01 * memory_rate);
  // 1 to 16 MiB; the last two are of memory.
  ASSERT_EQ(model.caches.size(), 5U);
  EXPECT_EQ(model.caches[1].touched, Bytes{2U << 20U});
  EXPECT_NEAR(model.caches[1].bandwidth.value(), 30e9, 0.02 * 30e9);
  EXPECT_NEAR(model.caches[2].bandwidth.value(), 12.63e9, 0.02 * 12.63e9);
  EXPECT_NEAR(model.caches[3].bandwidth.value(), memory_rate, 0.02 * memory_rate);
  EXPECT_NEAR(model.caches[4].bandwidth.value(), memory_rate, 0.02 * memory_rate);
  EXPECT_TRUE(model.fused);
  EXPECT_EQ(model.caches[1].reduce_rate, BytesPerSecond{0});
  EXPECT_NEAR(model.caches[2].reduce_rate.value(), 10e9, 0.02 * 10e9);
  EXPECT_NEAR(model.caches[3].reduce_rate.value(), 6e9, 0.02 * 6e9);
  EXPECT_NEAR(model.caches[1].lent_rate.value(), 60e9, 0.02 * 60e9);
  EXPECT_NEAR(model.caches[2].lent_rate.value(), 20e9, 0.02 * 20e9);
  EXPECT_NEAR(model.caches[3].lent_rate.value(), 12e9, 0.02 * 12e9);
  EXPECT_NEAR(model.caches[4].lent_rate.value(), 12e9, 0.02 * 12e9);

  const ClusterSpec found = written(scenario_yaml(model, {"h0", "2026-01-01 12:00:00 UTC"}));

  const auto& caches = found.node_types.front().sockets.front().caches;
  ASSERT_EQ(caches.size(), model.caches.size());
  EXPECT_EQ(caches[2].touched, model.caches[2].touched);
  EXPECT_NEAR(caches[2].bandwidth.value(), model.caches[2].bandwidth.value(), 1e4);
  EXPECT_EQ(caches[1].reduce_rate, BytesPerSecond{0});
  EXPECT_NEAR(caches[3].reduce_rate.value(), model.caches[3].reduce_rate.value(), 1e4);
  EXPECT_NEAR(caches[1].lent_rate.value(), model.caches[1].lent_rate.value(), 1e4);
}

// Simulated time does not scatter: the median of three rounds is each of them.
TEST(CalibrateCaches, KeepsTheMediansOfSeveralRounds) {
  const Cluster cluster = build_cluster(host_with_caches());
  CalibrationEffort effort = testing::small_effort();
  effort.most_sweep = Bytes{2U << 20U};
  const TransportProfile transport = fused(BytesPerSecond{40e9});
  const Calibration once = testing::simulated_calibration(cluster, transport, effort);
  effort.sweep_rounds = 3;
  const Calibration thrice = testing::simulated_calibration(cluster, transport, effort);

  ASSERT_EQ(thrice.samples.size(), once.samples.size());
  for (std::size_t i = 0; i < once.samples.size(); ++i) {
    const PatternTimes& one = once.samples[i].sample;
    const PatternTimes& all = thrice.samples[i].sample;
    const bool is_sweep = once.samples[i].probe == Probe::node_passed ||
                          once.samples[i].probe == Probe::node_passed_reduced ||
                          once.samples[i].probe == Probe::node_lent;
    EXPECT_EQ(thrice.samples[i].probe, once.samples[i].probe);
    EXPECT_EQ(all.pattern.size, one.pattern.size);
    EXPECT_NEAR(all.times[0].count(), one.times[0].count(), 1e-6 * one.times[0].count());
    EXPECT_EQ(all.repetitions, is_sweep ? 3 * one.repetitions : one.repetitions);
  }
}

// A reduction of 10 GB/s that follows a copy of 30 takes 1/30 + 1/10, not the longer of the two.
TEST(CalibrateCaches, TellsAReductionThatFollowsTheReceiveFromOneThatIsPartOfIt) {
  TransportProfile transport = fused(BytesPerSecond{10e9});
  transport.fused_reduction = false;

  const MachineModel model = machine_model(measured(host_with_caches(), transport));

  EXPECT_FALSE(model.fused);
  EXPECT_NEAR(model.reduce_rate.value(), 10e9, 0.02 * 10e9);
  ASSERT_EQ(model.caches.size(), 5U);
  EXPECT_NEAR(model.caches[1].lent_rate.value(), 60e9, 0.02 * 60e9);
  EXPECT_NEAR(model.caches[4].lent_rate.value(), 12e9, 0.02 * 12e9);
}

}  // namespace
}  // namespace ringcast
