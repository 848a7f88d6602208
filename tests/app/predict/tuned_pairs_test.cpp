// What NCCL's tuner, its plugins and the networks do between two nodes.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/app/predict/published_row.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

ValidatedRow pair_of_nodes(const std::string& network, const std::string& gpus,
                           const std::string& algorithm = "auto", int gpus_per_node = 2,
                           const std::string& transport = "nccl", const std::string& size = "8 B",
                           const std::string& pcie = "pcie-4.0-x16") {
  const bool counts = gpus.find("links_per_gpu") != gpus.npos;
  const std::string nvlinks = counts ? gpus : gpus + ", links_per_gpu: 1";
  return published_row(fmt::format(R"(
name: two nodes
source: by hand
transport: {}
algorithm: {}
cluster:
  name: two nodes
  links: {{pcie: {}}}
  node_types:
    box:
      sockets:
        - root_complexes:
            - devices:
                - {{kind: pcie-switch, link: pcie, devices: [{{kind: gpu, count: {}, link: pcie}}, {{kind: nic, link: pcie}}]}}
      nvswitch: {{link: {}}}
  nodes: [{{type: box, count: 2}}]
  fabric: {{kind: switch, link: {}}}
rows:
  - {{ranks: {}, size: {}, time: 20 us}}
)",
                                   transport, algorithm, pcie, gpus_per_node, nvlinks, network,
                                   2 * gpus_per_node, size));
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
TEST(TunedPairs, TakeSimpleOnlyOnEfaBeforeNvlink4) {
  EXPECT_EQ(protocol_of_8_bytes("infiniband-hdr-4x", "nvlink-3.0"), "LL");
  EXPECT_EQ(protocol_of_8_bytes("efa-100g", "nvlink-3.0"), "Simple");
  EXPECT_EQ(protocol_of_8_bytes("efa-100g", "nvlink-4.0"), "LL");
  EXPECT_EQ(protocol_of_8_bytes("efa-100g", "nvlink-3.0", own_nccl + "only_protocols: [LL, LL128]"),
            "LL");
}

// Eight H100 share a NIC of 400 Gb/s. Chunks of 576 kB wait for some 90 us before the NIC takes
// them, but each channel has eight in flight: the time grows with the buffer, but for less than a
// quarter of it, which fills the pipeline.
TEST(TunedPairs, KeepChunksOfTreesInFlight) {
  const auto time = [](const std::string& size) {
    return pair_of_nodes("infiniband-ndr-4x", "nvlink-4.0, links_per_gpu: 18", "tree", 8,
                         own_nccl + "only_protocols: [LL128]", size, "pcie-5.0-x16")
        .predicted;
  };
  const double ratio = time("256 MiB") / time("64 MiB");
  EXPECT_GT(ratio, 3.25);  // 1/4 + 3/4 x 4
  EXPECT_LT(ratio, 4);
}

// In 2024 AWS's plugin took LL128 for the smallest buffers of two P5, unless its tuner was not
// asked; since 2025 it leaves pairs to NCCL. To 2.18 the plugin's 75 us count for trees and rings
// alone: two hops of them are more than the 25 + 2 x 14 us of in-switch sums. To 2.21 the plugin
// leaves narrowed choices to NCCL, since then those that it may not take.
TEST(TunedPairs, AskTheTunerOfEfa) {
  const auto chosen = [](const std::string& network, const std::string& transport) {
    return pair_of_nodes(network, "nvlink-4.0", "auto", 8, transport).algorithm;
  };
  const std::string old = own_nccl + "efa_tuner: 2024\n  ";
  EXPECT_EQ(chosen("efa-100g", "nccl"), "tree/LL");
  EXPECT_EQ(chosen("efa-100g", old), "tree/LL128");
  EXPECT_EQ(chosen("efa-100g", own_nccl + "efa_tuner: none"), "tree/LL");
  EXPECT_EQ(chosen("efa-200g", old), "tree/LL");
  EXPECT_EQ(chosen("infiniband-ndr-4x", old), "tree/LL");
  EXPECT_EQ(chosen("efa-100g", old + "tuner: nccl-2.19"), "tree/LL128");
  EXPECT_EQ(chosen("efa-100g", old + "tuner: nccl-2.18"), "in-switch/Simple");
  EXPECT_EQ(chosen("efa-100g", old + "tuner: nccl-2.21\n  only_algorithms: [tree, ring]"),
            "tree/LL");
  EXPECT_EQ(chosen("efa-100g", old + "only_algorithms: [tree, ring]"), "tree/LL128");
  EXPECT_EQ(chosen("efa-100g", old + "only_protocols: [LL, Simple]"), "tree/LL");
}

// NCCL's four ranks take all six steps of a ring of LL, whichever of the four chunks have elements.
TEST(TunedPairs, TakeAllStepsOfARingForFewElements) {
  const auto predicted = [](const std::string& size) {
    return pair_of_nodes("infiniband-hdr-4x", "nvlink-3.0", "ring", 2, "nccl", size).predicted;
  };
  EXPECT_NEAR(predicted("4 B") / predicted("16 B"), 1, 1e-3);
  EXPECT_NEAR(predicted("8 B") / predicted("16 B"), 1, 1e-3);
}

// A tree over two nodes of two A100: the call, a hop in each node of 4 us, a message of 23 us and
// its flush, each up and down. Two of a ring's four chunks have an element, and go their six hops
// beside each other: three of 20 us and a flush, three of two slices that take 3.4 us each.
TEST(TunedPairs, FlushWhatArrivesOverEfa) {
  const double flush = measured_constant(efa_flush) * 1e-6;
  EXPECT_NEAR(flush, 29.2e-6, 1e-9);
  EXPECT_NEAR(pair_of_nodes("efa-100g", "nvlink-3.0", "tree").predicted.count(),
              8.4e-6 + 2 * (4e-6 + 23e-6 + flush), 0.1e-6);
  EXPECT_NEAR(pair_of_nodes("efa-100g", "nvlink-3.0", "ring").predicted.count(),
              8.4e-6 + 3 * (20e-6 + flush) + 3 * 2 * 3.4e-6, 0.1e-6);
}

// In-switch sums over EFA: the first messages of 16 channels wait for each other, up and down. One
// way up and down takes 20 us, where EDR takes 1.18. Late EFA takes 10 and lets nothing wait; its
// NICs are faster than NCCL's channels, as NDR's.
TEST(TunedPairs, FillSumsInSwitchesMessageByMessageOverEfa) {
  const double chunk = measured_constant(efa_chunk) * 1e-6;
  EXPECT_NEAR(chunk, 3.6e-6, 1e-9);
  const auto seconds = [](const std::string& network) {
    return pair_of_nodes(network, "nvlink-4.0", "in-switch", 8).predicted.count();
  };
  EXPECT_NEAR(seconds("efa-100g") - seconds("infiniband-edr-4x"),
              32 * chunk + 2 * (20e-6 - 1.18e-6), 0.1e-6);
  EXPECT_NEAR(seconds("efa-400g") - seconds("infiniband-ndr-4x"), 2 * (10e-6 - 1.18e-6), 0.1e-6);
}

// A NIC of 400 Gb/s at PCIe 4.0 (24 GB/s) has one ring, which NCCL runs twice: two channels, each
// with a quarter of 36.7 GB/s of LL128. Besides, longer segments fill the pipeline later.
TEST(TunedPairs, LimitTheChannelsOfTreesOfLl128) {
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
TEST(TunedPairs, KeepTheOverheadOfMessagesOfTrees) {
  const auto seconds = [](const std::string& key) {
    return pair_of_nodes("infiniband-ndr-4x", "nvlink-4.0", "tree", 2, own_nccl + key)
        .predicted.count();
  };
  const double without = seconds("message_overhead: 0 us");
  EXPECT_NEAR(seconds("message_overhead: 0 us\n  overheads: {network: 50 us}") - without, 100e-6,
              1e-9);
  EXPECT_NEAR(seconds("message_overhead: 50 us") - without, 200e-6, 1e-9);
}

// Before 2.20 a channel of a tree has 8 chunks of 128 KiB for 1 MiB, and 16 for 2 MiB. On each of
// two channels 8 more take their flush, and 11.7 us for 128 KiB at 11.25 GB/s, mostly while the
// other channel flushes.
TEST(TunedPairs, FlushAChunkBeforeTheNextOfItsChannel) {
  const auto seconds = [](const std::string& size) {
    return pair_of_nodes("efa-100g", "nvlink-3.0", "tree", 2, own_nccl + "tuner: nccl-2.19", size)
        .predicted.count();
  };
  EXPECT_NEAR((seconds("4 MiB") - seconds("2 MiB")) / (8 * (29.2e-6 + 11.7e-6)), 1, 0.02);
}

// As over two nodes of A100, without a flush: EFA's 20 us and less than 0.4 for the PCIe switches.
TEST(TunedPairs, TakeChunksOneByOneOverEfa) {
  const double chunk = measured_constant(efa_chunk) * 1e-6;
  EXPECT_NEAR(chunk, 3.6e-6, 1e-9);
  const std::string simple = own_nccl + "only_protocols: [Simple]";
  EXPECT_NEAR(pair_of_nodes("efa-100g", "nvlink-4.0", "tree", 2, simple).predicted.count(),
              8.4e-6 + 2 * (4e-6 + 20e-6 + chunk), 0.8e-6);
}

// One NIC of 400 Gb/s has one ring, which becomes four channels of NCCL. Between two nodes of B200
// a channel carries a quarter of 42.8 GB/s each way.
TEST(TunedPairs, ShareTheLimitOfAllChannelsInATreeOfBlackwell) {
  const double seconds = pair_of_nodes("infiniband-ndr-4x", "nvlink-5.0, links_per_gpu: 18", "tree",
                                       2, "nccl", "16 GiB", "pcie-5.0-x16")
                             .predicted.count();
  EXPECT_NEAR(seconds / (16.0 * (1U << 30U) / (4 * 42.8e9 / 4)), 1, 0.01);
}

// Without Simple alone an in-switch sum between the nodes or LL would be chosen.
TEST(TunedPairs, TakeSimpleOnlyOnTcpx) {
  EXPECT_EQ(protocol_of_8_bytes("ethernet-200g", "nvlink-4.0"), "LL");
  EXPECT_EQ(protocol_of_8_bytes("tcpxo-200g", "nvlink-4.0"), "Simple");
  // Trees of two nodes of eight are faster; the settings for GPUDirect-TCPX have rings alone.
  EXPECT_EQ(pair_of_nodes("tcpxo-200g", "nvlink-4.0", "auto", 8, "nccl").algorithm, "tree/Simple");
  EXPECT_EQ(pair_of_nodes("tcpx-200g", "nvlink-4.0", "auto", 8, "nccl").algorithm, "ring/Simple");
  EXPECT_EQ(pair_of_nodes("tcpx-200g", "nvlink-4.0", "tree", 8, "nccl").algorithm, "tree/Simple");
  EXPECT_EQ(pair_of_nodes("tcpx-200g", "nvlink-4.0", "auto", 8, own_nccl + "only_algorithms: tree")
                .algorithm,
            "tree/Simple");
  // NCCL_PROTO=LL128,Simple.
  EXPECT_EQ(pair_of_nodes("tcpxo-200g", "nvlink-4.0", "tree", 8,
                          own_nccl + "only_protocols: [LL128, Simple]")
                .algorithm,
            "tree/LL128");
  // Sums in the switches of a node are left out of the choice, but not refused.
  EXPECT_EQ(pair_of_nodes("tcpxo-200g", "nvlink-4.0", "in-switch", 8, "nccl").algorithm,
            "in-switch/Simple");
}

/// Two nodes with one GPU each on 100 Gb/s Ethernet, over TCP at 3.1 GB/s and 39 us more than RDMA.
double time_of(const std::string& algorithm, const std::string& transport,
               const std::string& size) {
  return pair_of_nodes("ethernet-100g", "nvlink-3.0", algorithm, 1, transport, size)
      .predicted.count();
}

// Each rank sends and receives the buffer once, and its thread moves both: 2 x 4 GiB at 3.1 GB/s,
// whatever the number of channels and of connections.
TEST(TcpPairs, TakeAsLongInATreeAsInARing) {
  const double bytes = 4.0 * (1U << 30U);
  const double expected = 2 * bytes / 3.1e9;
  EXPECT_NEAR(time_of("ring", "nccl-sockets", "4 GiB"), expected, 1e-3 * expected);
  EXPECT_NEAR(time_of("tree", "nccl-sockets", "4 GiB"), expected, 1e-3 * expected);
}

// Two messages one after the other: to the other node and back.
TEST(TcpPairs, WaitForTheKernelTwice) {
  for (const std::string algorithm : {"ring", "tree"}) {
    EXPECT_NEAR(
        time_of(algorithm, "nccl-sockets", "8 B") - time_of(algorithm, "nccl-no-gdr", "8 B"),
        2 * 39e-6, 0.1e-6)
        << algorithm;
  }
}

}  // namespace
}  // namespace ringcast
