#include "app/predict/tuned_cells.hpp"

#include <string>

#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "app/predict/predict.hpp"
#include "app/predict/validate.hpp"
#include "engine/numbers/error.hpp"
#include "tests/app/temporary_folder.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

// A card beside each GPU: GPUDirect RDMA, at 10 GB/s. What kernels stage has 2 GB/s.
const std::string card_beside_gpu = R"(
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

/// The only row of a published set.
ValidatedRow row_of(const std::string& set) {
  const TemporaryFolder folder;
  folder.write("set.yaml", set);
  return validate(read_published_sets({folder / "set.yaml"}), {}).sets.at(0).rows.at(0);
}

double seconds_with(const std::string& protocol) {
  return row_of(
             "name: two nodes\nsource: by hand\ntransport:\n  name: tuned\n  source: test\n"
             "  message_overhead: 0 us\n  staged_by: kernels\n  tuner: nccl\n"
             "  protocols: [{algorithm: ring, name: " +
             protocol + ", latencies: {network: 0 us}}]" + card_beside_gpu)
      .predicted.count();
}

// In a ring of two each rank sends 64 MB: 6.4 ms at 10 GB/s, 32 ms at 2 GB/s. The latencies are
// some microseconds.
TEST(TunedCells, StageMessagesOfLlWhateverTheDistanceOfTheCard) {
  EXPECT_NEAR(seconds_with("Simple"), 6.4e-3, 0.1e-3);
  EXPECT_NEAR(seconds_with("LL"), 32e-3, 0.1e-3);
}

ValidatedRow pair_of_nodes(const std::string& network, const std::string& gpus,
                           const std::string& algorithm = "auto", int gpus_per_node = 2,
                           const std::string& transport = "nccl", const std::string& size = "8 B") {
  return row_of("name: two nodes\nsource: by hand\ntransport: " + transport +
                "\nalgorithm: " + algorithm +
                "\ncluster:\n"
                "  name: two nodes\n  node_types:\n    box:\n      sockets:\n"
                "        - root_complexes:\n            - devices:\n"
                "                - kind: pcie-switch\n"
                "                  link: pcie-4.0-x16\n"
                "                  devices:\n"
                "                    - {kind: gpu, count: " +
                std::to_string(gpus_per_node) +
                ", link: pcie-4.0-x16}\n"
                "                    - {kind: nic, link: pcie-4.0-x16}\n"
                "      nvswitch: {link: " +
                gpus +
                "}\n"
                "  nodes: [{type: box, count: 2}]\n"
                "  fabric: {kind: switch, link: " +
                network +
                "}\n"
                "rows:\n  - {ranks: " +
                std::to_string(2 * gpus_per_node) + ", size: " + size + ", time: 20 us}\n");
}

/// A transport of its own, to which keys can be added.
const std::string own_nccl = "\n  name: test\n  source: test\n  base: " RINGCAST_SOURCE_DIR
                             "/scenarios/transports/nccl.yaml\n  ";

std::string protocol_of_8_bytes(const std::string& network, const std::string& gpus,
                                const std::string& transport = "nccl") {
  const std::string algorithm = pair_of_nodes(network, gpus, "auto", 2, transport).algorithm;
  return algorithm.substr(algorithm.find('/') + 1);
}

// LL has the least latency. On EFA before P5, AWS's plugin allows Simple alone, but where the user
// names another.
TEST(TunedCells, TakeSimpleOnlyOnEfaBeforeNvlink4) {
  EXPECT_EQ(protocol_of_8_bytes("infiniband-hdr-4x", "nvlink-3.0"), "LL");
  EXPECT_EQ(protocol_of_8_bytes("efa-100g", "nvlink-3.0"), "Simple");
  EXPECT_EQ(protocol_of_8_bytes("efa-100g", "nvlink-4.0"), "LL");
  EXPECT_EQ(protocol_of_8_bytes("efa-100g", "nvlink-3.0", own_nccl + "only_protocols: [LL, LL128]"),
            "LL");
}

// AWS's plugin takes LL128 for the smallest buffers of two P5, unless its tuner is not asked.
TEST(TunedCells, AskTheTunerOfEfa) {
  const auto chosen = [](const std::string& network, const std::string& transport) {
    return pair_of_nodes(network, "nvlink-4.0", "auto", 8, transport).algorithm;
  };
  EXPECT_EQ(chosen("efa-100g", "nccl"), "tree/LL128");
  EXPECT_EQ(chosen("efa-200g", "nccl"), "tree/LL");
  EXPECT_EQ(chosen("infiniband-ndr-4x", "nccl"), "tree/LL");
  EXPECT_EQ(chosen("efa-100g", own_nccl + "tuner: nccl-2.19"), "tree/LL128");
  EXPECT_EQ(chosen("efa-100g", own_nccl + "tuner: nccl-2.18"), "tree/LL");
  EXPECT_EQ(chosen("efa-100g", own_nccl + "only_algorithms: [tree, ring]"), "tree/LL");
}

// A tree over two nodes of two A100: the call, a hop in each node of 4 us, a message of 23 us and
// its flush, each up and down. Two of a ring's four chunks have an element, and go their six hops
// beside each other: three of 20 us and a flush, three of two slices that take 3.4 us each.
TEST(TunedCells, FlushWhatArrivesOverEfa) {
  const double flush = measured_constant(efa_flush) * 1e-6;
  EXPECT_NEAR(flush, 29.2e-6, 1e-9);
  EXPECT_NEAR(pair_of_nodes("efa-100g", "nvlink-3.0", "tree").predicted.count(),
              8.4e-6 + 2 * (4e-6 + 23e-6 + flush), 0.1e-6);
  EXPECT_NEAR(pair_of_nodes("efa-100g", "nvlink-3.0", "ring").predicted.count(),
              8.4e-6 + 3 * (20e-6 + flush) + 3 * 2 * 3.4e-6, 0.1e-6);
}

// A card of 400 Gb/s at PCIe 4.0 (24 GB/s) has one ring, which NCCL runs twice: two channels, each
// with a quarter of 36.7 GB/s of LL128. Besides, longer segments fill the pipeline later.
TEST(TunedCells, LimitTheChannelsOfTreesOfLl128) {
  const auto seconds = [](const std::string& size) {
    return pair_of_nodes("infiniband-ndr-4x", "nvlink-4.0", "tree", 2,
                         own_nccl + "only_protocols: [LL128]", size)
        .predicted.count();
  };
  const double more = (seconds("128 MiB") - seconds("64 MiB")) / (67108864 / 36.7e9);
  EXPECT_GT(more, 2);
  EXPECT_LT(more, 2.1);
}

// A tree's two messages between nodes, up and down, and as many in each node.
TEST(TunedCells, KeepTheOverheadOfMessagesOfTrees) {
  const auto seconds = [](const std::string& key) {
    return pair_of_nodes("infiniband-ndr-4x", "nvlink-4.0", "tree", 2, own_nccl + key)
        .predicted.count();
  };
  const double without = seconds("message_overhead: 0 us");
  EXPECT_NEAR(seconds("message_overhead: 0 us\n  overheads: {network: 50 us}") - without, 100e-6,
              1e-9);
  EXPECT_NEAR(seconds("message_overhead: 50 us") - without, 200e-6, 1e-9);
}

// Before 2.20 a channel of a tree has 16 chunks of 128 KiB for 2 MiB, and 32 for 4 MiB. On each of
// two channels 16 more take their flush, and 12.6 us for 128 KiB at 10.4 GB/s, mostly while the
// other channel flushes.
TEST(TunedCells, FlushAChunkBeforeTheNextOfItsChannel) {
  const auto seconds = [](const std::string& size) {
    return pair_of_nodes("efa-100g", "nvlink-3.0", "tree", 2, own_nccl + "tuner: nccl-2.19", size)
        .predicted.count();
  };
  EXPECT_NEAR((seconds("8 MiB") - seconds("4 MiB")) / (16 * (29.2e-6 + 12.6e-6)), 1, 0.02);
}

// As over two nodes of A100, without a flush: EFA's 20 us and less than 0.4 for the PCIe switches.
TEST(TunedCells, TakeChunksOneByOneOverEfa) {
  const double chunk = measured_constant(efa_chunk) * 1e-6;
  EXPECT_NEAR(chunk, 4.2e-6, 1e-9);
  const std::string simple = own_nccl + "only_protocols: [Simple]";
  EXPECT_NEAR(pair_of_nodes("efa-100g", "nvlink-4.0", "tree", 2, simple).predicted.count(),
              8.4e-6 + 2 * (4e-6 + 20e-6 + chunk), 0.8e-6);
}

// Without Simple alone an in-switch sum between the nodes or LL would be chosen.
TEST(TunedCells, TakeSimpleOnlyOnTcpxo) {
  EXPECT_EQ(protocol_of_8_bytes("ethernet-200g", "nvlink-4.0"), "LL");
  EXPECT_EQ(protocol_of_8_bytes("tcpxo-200g", "nvlink-4.0"), "Simple");
}

// Parts of switches are ranks of the job without a cable to another node. 4 GiB are 24 shards of
// which 16 are one element longer, simulated as if all were; 64 bytes less are 24 equal shards.
TEST(TunedCells, SumUnequalShardsInTheSwitchesOfTwoDomains) {
  const auto seconds = [](const std::string& size) {
    return row_of(R"(
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

// Those that exchange a shard or chunk are the same GPU of each node, whose cards are on one rail:
// rails without spines between them change little. Those at one place of the rings, which NCCL
// turns round on every second node, crossed sockets and took 3.6 and 2.5 times as long.
TEST(TunedCells, CombineNodesOverRailsAsOverOneSwitch) {
  const auto seconds = [](const std::string& algorithm, const std::string& rails) {
    return row_of("name: three nodes\nsource: by hand\ntransport: nccl\nalgorithm: " + algorithm +
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
      "cannot run on pair with own (expected more than only_algorithms, only_protocols or "
      "--protocol leave here; LL128 needs NVLinks and GPUDirect RDMA)";
  EXPECT_EQ(failure("", {.protocol = "LL128"}), "algorithm: auto " + remedy);
  EXPECT_EQ(failure("  only_algorithms: ring\n", {.algorithm = "tree"}),
            "algorithm: tree " + remedy);
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
  EXPECT_TRUE(jobs.serve(other, topology));
  EXPECT_FALSE(jobs.serve(other, another));

  const auto serves_with = [&](auto change) {
    Scenario changed = scenario;
    change(changed);
    return jobs.serve(changed, topology);
  };
  EXPECT_FALSE(serves_with([](Scenario& s) { s.transport.left_out = "a set"; }));
  EXPECT_FALSE(serves_with([](Scenario& s) { s.transport.nccl_version = {2, 18}; }));
  EXPECT_FALSE(serves_with([](Scenario& s) { s.channels = {3}; }));
  EXPECT_FALSE(serves_with([](Scenario& s) { ++s.seed; }));
}

}  // namespace
}  // namespace ringcast
