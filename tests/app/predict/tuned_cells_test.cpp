#include "app/predict/tuned_cells.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "app/predict/predict.hpp"
#include "engine/numbers/error.hpp"
#include "tests/app/predict/published_row.hpp"
#include "tests/app/temporary_folder.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

// A NIC beside each GPU: GPUDirect RDMA, at 10 GB/s. What kernels stage has 2 GB/s.
const std::string nic_beside_gpu = R"(
cluster:
  name: two nodes
  links:
    pcie: {bandwidth: 10 GB/s, latency: 1 us, source: test}
    net: {bandwidth: 10 GB/s, kernel_bandwidth: 2 GB/s, latency: 1 us, source: test}
  node_types:
    box:
      sockets:
        - root_complexes:
            - devices:
                - kind: pcie-switch
                  link: pcie
                  devices:
                    - {kind: gpu, link: pcie}
                    - {kind: nic, link: pcie}
  nodes: [{type: box, count: 2}]
  fabric: {kind: switch, link: net}
rows:
  - {ranks: 2, size: 64 MB, time: 32 ms}
)";

double seconds_with(const std::string& protocol) {
  return published_row(
             "name: two nodes\nsource: by hand\ntransport:\n  name: tuned\n  source: test\n"
             "  message_overhead: 0 us\n  staged_by: kernels\n  tuner: nccl\n"
             "  protocols: [{algorithm: ring, name: " +
             protocol + ", latencies: {network: 0 us}}]" + nic_beside_gpu)
      .predicted.count();
}

// In a ring of two each rank sends 64 MB: 6.4 ms at 10 GB/s, 32 ms at 2 GB/s, of which LL reaches
// a part. The latencies are some microseconds.
TEST(TunedCells, StageMessagesOfLlWhateverTheDistanceOfTheNic) {
  EXPECT_NEAR(seconds_with("Simple"), 6.4e-3, 0.1e-3);
  EXPECT_NEAR(seconds_with("LL"), 32e-3 / measured_constant(ll_between_nodes), 0.1e-3);
}

// Parts of switches are ranks of the job without a cable to another node. 4 GiB are 24 shards of
// which 16 are one element longer, simulated as if all were; 64 bytes less are 24 equal shards.
TEST(TunedCells, SumUnequalShardsInTheSwitchesOfTwoDomains) {
  const auto seconds = [](const std::string& size) {
    return published_row(R"(
name: two domains
source: by hand
transport: nccl
algorithm: in-switch
cluster:
  name: two domains of 12 GPUs
  node_types:
    tray:
      cpu: arm
      socket_link: host-arm
      sockets:
        - count: 2
          root_complexes:
            - count: 2
              devices:
                - {kind: gpu, link: nvlink-c2c}
                - {kind: nic, link: pcie-5.0-x16}
      nvswitch: {links_per_gpu: 18, link: nvlink-5.0, nodes: 3}
  nodes: [{type: tray, count: 6}]
  fabric: {kind: switch, link: infiniband-ndr-4x}
rows:
  - {ranks: 24, time: 10 ms, size: )" +
                         size + "}\n")
        .predicted.count();
  };
  EXPECT_NEAR(seconds("4294967296 B") / seconds("4294967232 B"), 1, 1e-3);
}

// Those that exchange a shard or chunk are the same GPU of each node, whose NICs are on one rail:
// rails without spines between them change little. Those at one place of the rings, which NCCL
// turns round on every second node, crossed sockets and took 3.6 and 2.5 times as long.
TEST(TunedCells, CombineNodesOverRailsAsOverOneSwitch) {
  const auto seconds = [](const std::string& algorithm, const std::string& rails) {
    return published_row(
               "name: three nodes\nsource: by hand\ntransport: nccl\nalgorithm: " + algorithm +
               R"(
cluster:
  name: three nodes of 4 GPUs
  node_types:
    box:
      sockets:
        - count: 2
          root_complexes:
            - count: 2
              devices:
                - kind: pcie-switch
                  link: pcie-5.0-x16
                  devices:
                    - {kind: gpu, link: pcie-5.0-x16}
                    - {kind: nic, link: pcie-5.0-x16}
      socket_link: upi-16
      nvswitch: {links_per_gpu: 18, link: nvlink-4.0}
  nodes: [{type: box, count: 3}]
  fabric: {kind: switch, link: infiniband-ndr-4x)" +
               rails + "}\nrows:\n  - {ranks: 12, time: 1 ms, size: 64 MiB}\n")
        .predicted.count();
  };
  for (const std::string algorithm : {"in-switch", "hierarchical-ring"}) {
    EXPECT_NEAR(seconds(algorithm, ", rails: 4") / seconds(algorithm, ""), 1, 0.05) << algorithm;
  }
}

Result of_pair_on_pcie(const std::string& keys, const ScenarioOverrides& overrides) {
  const TemporaryFolder folder;
  folder.write("pair.yaml",
               "sizes: 8 B\ntransport:\n  base: scenarios/transports/nccl.yaml\n  name: own\n"
               "  source: test\n" +
                   keys +
                   "cluster:\n  name: pair\n  node_types:\n    box:\n"
                   "      sockets: [{root_complexes: [{devices: [{kind: gpu, count: 2, link: "
                   "pcie-4.0-x16}]}]}]\n"
                   "  nodes: [{type: box}]\n");
  return predict(read_scenario(folder / "pair.yaml", overrides), {});
}

// On two rails: a chain in each node carries 64 MiB over the socket link at 4 GB/s each way, 16.8
// ms. From the first GPU of one node to the second of the other a message crosses the link, too.
// Before 2.10 all sums cross it first, and then all results.
TEST(TunedCells, SendTreesInTheOrderThatIsGiven) {
  const auto seconds = [](const std::string& order, const std::string& transport = "nccl") {
    return published_row("transport: " + transport + R"(
name: two rails
source: by hand
algorithm: tree
cluster:
  name: two nodes
  links:
    pcie: {bandwidth: 10 GB/s, latency: 1 us, source: test}
    upi: {bandwidth: 4 GB/s, latency: 1 us, source: test}
    net: {bandwidth: 10 GB/s, latency: 1 us, source: test}
  node_types:
    box:
      socket_link: upi
      sockets:
        - count: 2
          root_complexes:
            - devices:
                - {kind: gpu, link: pcie}
                - {kind: nic, link: pcie}
  nodes: [{type: box, count: 2}]
  fabric: {kind: switch, link: net, rails: 2}
rows:
  - {ranks: 4, size: 64 MiB, time: 1 ms}
ring_order: )" + order + "\n")
        .predicted.count();
  };
  EXPECT_NEAR(seconds("nccl"), 16.8e-3, 0.1e-3);
  EXPECT_NEAR(seconds("[0, 1, 2, 3]"), 16.8e-3, 0.4e-3);
  EXPECT_NEAR(seconds("[0, 1, 3, 2]"), 2 * 16.8e-3, 0.8e-3);
  EXPECT_NEAR(seconds("[0, 1, 2, 3]", "nccl-2.10"), 16.8e-3, 0.4e-3);
  EXPECT_NEAR(seconds("[0, 1, 2, 3]", "nccl-2.9"), 2 * 16.8e-3, 0.8e-3);
}

// 8 bytes would take LL. LL128 needs NVLinks, and no switch sums here.
TEST(TunedCells, ChooseAmongWhatTheTransportAllows) {
  EXPECT_EQ(of_pair_on_pcie("", {}).rows.at(0).cell.protocol, "LL");
  EXPECT_EQ(of_pair_on_pcie("  only_protocols: Simple\n", {}).rows.at(0).cell.protocol, "Simple");
  const auto failure = [](const std::string& keys, const ScenarioOverrides& overrides) {
    try {
      return std::to_string(of_pair_on_pcie(keys, overrides).rows.size()) + " rows";
    } catch (const ScenarioError& refusal) {
      const std::string error = refusal.what();
      return error.substr(error.find("algorithm: "));
    }
  };
  const std::string remedy =
      "cannot run on pair with own (expected a wider choice in only_algorithms, only_protocols, "
      "--protocol or --nccl-env; LL128 needs NVLinks and GPUDirect RDMA, with RCCL an MI300X or "
      "later, or eight MI250X)";
  EXPECT_EQ(failure("", {.protocol = "LL128"}), "algorithm: auto " + remedy);
  EXPECT_EQ(failure("  only_algorithms: ring\n", {.algorithm = "tree"}),
            "algorithm: tree " + remedy);
  EXPECT_EQ(failure("  protocols: none\n", {}),
            "algorithm: auto cannot run on pair with own (expected another algorithm, or a "
            "transport with protocols beside its tuner, e.g. one with base: "
            "scenarios/transports/nccl.yaml)");
}

TEST(TunedJobs, ServeScenariosOnTheSameMachineAlone) {
  const Scenario scenario =
      read_scenario(std::string{RINGCAST_SOURCE_DIR} + "/scenarios/rivals.yaml");
  const Topology topology{build_cluster(scenario.cluster)};
  const Topology another{build_cluster(scenario.cluster)};
  const TunedJobs jobs{scenario, topology};

  Scenario other = scenario;
  other.sizes = {Bytes{64}};
  other.algorithms = {"tree"};
  EXPECT_TRUE(jobs.apply_to(other, topology));
  EXPECT_FALSE(jobs.apply_to(other, another));

  const auto serves_with = [&](auto change) {
    Scenario changed = scenario;
    change(changed);
    return jobs.apply_to(changed, topology);
  };
  EXPECT_FALSE(serves_with([](Scenario& s) { s.transport.left_out = "a set"; }));
  EXPECT_FALSE(serves_with([](Scenario& s) { s.transport.nccl_version = {2, 18}; }));
  EXPECT_FALSE(serves_with([](Scenario& s) { s.channels = {3}; }));
  EXPECT_FALSE(serves_with([](Scenario& s) { ++s.seed; }));
}

/// The segments of the tree that stands for `auto`, of 64 MiB.
std::optional<Bytes> segments_of_tree(std::optional<Bytes> asked_for, bool whole_chunks) {
  PlannedCell open;
  open.cell.algorithm = auto_algorithm;
  open.cell.size = 64_MiB;
  open.cell.segment_size = open.options.segment_size = asked_for;
  for (const PlannedCell& planned : with_alternatives({open}, whole_chunks)) {
    if (planned.cell.algorithm != "tree") continue;
    EXPECT_EQ(planned.cell.segment_size, planned.options.segment_size);
    return planned.cell.segment_size;
  }
  ADD_FAILURE() << "no tree";
  return std::nullopt;
}

TEST(Alternatives, SendTheSegmentsThatTheirCellsHave) {
  EXPECT_EQ(segments_of_tree(std::nullopt, false), 2_MiB);
  EXPECT_EQ(segments_of_tree(1_MiB, false), 1_MiB);
  EXPECT_EQ(segments_of_tree(std::nullopt, true), std::nullopt);
}

CellOutcome outcome_of(double seconds) {
  Row row;
  row.cell.ranks = 2;
  row.cell.size = 1_MiB;
  row.time = row.time_min = row.time_max = Seconds{seconds};
  return {0, checked_outcome(row)};
}

/// The algorithm of the best of a cell, whose all-reduce takes 2 s, and of its alternative.
std::string best_beside(const CellOutcome& alternative) {
  std::vector<PlannedCell> cells(2);
  cells[0].cell.algorithm = "ring";
  cells[1].cell.algorithm = "tree";
  cells[1].is_alternative = true;
  const auto best = best_predictions(cells, {outcome_of(2), alternative});
  EXPECT_EQ(best.size(), 1U);
  return std::get<Row>(best.at(0)).cell.algorithm;
}

TEST(Alternatives, StandForTheirCellIfTheyAreFaster) {
  EXPECT_EQ(best_beside(outcome_of(1)), "tree");
  EXPECT_EQ(best_beside(outcome_of(3)), "ring");
  EXPECT_EQ(best_beside({2, "refused"}), "ring");
}

}  // namespace
}  // namespace ringcast
