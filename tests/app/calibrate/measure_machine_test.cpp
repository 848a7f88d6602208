#include <gtest/gtest.h>

#include "app/config/cluster/cluster_reader.hpp"
#include "tests/app/calibrate/simulated_calibration.hpp"
#include "tests/app/temporary_folder.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace ringcast {
namespace {

TEST(MeasureMachine, SweepsTheNodeOfMostRanks) {
  const TemporaryFolder folder;
  folder.write("cluster.yaml", R"(name: two kinds of nodes
links:
  core: {bandwidth: 4 GB/s, latency: 0.3 us, source: test}
  card: {bandwidth: 1 GB/s, latency: 5 us, source: test}
node_types:
  narrow:
    sockets:
      - {processes: 2, process_link: core, root_complexes: [{devices: [{kind: nic, link: card}]}]}
  wide:
    sockets:
      - {processes: 4, process_link: core, root_complexes: [{devices: [{kind: nic, link: card}]}]}
nodes: [{type: narrow}, {type: wide}]
fabric: {kind: switch, link: card}
)");
  CalibrationEffort effort = testing::small_effort();
  effort.most_large = Bytes{1U << 20U};

  const Calibration found = testing::simulated_calibration(
      build_cluster(read_cluster(folder / "cluster.yaml")),
      {.name = "test", .host_copies = 1, .reduce_rate = BytesPerSecond{3e9}}, effort);

  int sweeps = 0;
  for (const auto& [probe, sample] : found.samples) {
    if (probe != Probe::node_passed) continue;
    EXPECT_EQ(sample.pattern.flows.size(), 4U);
    ++sweeps;
  }
  EXPECT_EQ(sweeps, 4);  // 1, 2, 4 and 8 MiB
}

}  // namespace
}  // namespace ringcast
