// What older releases of NCCL expect and do otherwise.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/nccl/tuned_machines.hpp"
#include "topology/nccl/nccl_chunks.hpp"
#include "topology/nccl/nccl_trees.hpp"

namespace ringcast {
namespace {

constexpr double mib = 1048576;

NcclMachine two_nodes_of_h100(NcclVersion version) {
  NcclMachine machine = eight_h100();
  machine.nodes = 2;
  machine.ranks = 16;
  machine.between = BytesPerSecond{384e9};
  machine.search.balanced_trees = true;
  machine.search.rings = 8;
  machine.version = version;
  return machine;
}

NcclMachine two_nodes_of_b200(NcclVersion version) {
  NcclMachine machine = two_nodes_of_h100(version);
  machine.gpus.generation = GpuGeneration::blackwell;
  machine.in_node = BytesPerSecond{750e9};
  return machine;
}

// Before 2.28 in-switch sums were expected at 5/6 of what the search finds: eight heads of 40 GB/s,
// as a GPU's 370 GB/s carry nine times that and not 42, and of the NICs' 384 GB/s between two
// nodes, half of that between more. 25 us in the node, 14 for a level.
TEST(NcclReleases, ExpectedSumsInSwitchesWithoutLimits) {
  NcclMachine machine = eight_h100();
  machine.version = {2, 27};
  EXPECT_NEAR(estimate_of(machine, 64_MiB, "in-switch/Simple"), 25e-6 + 64 * mib / (320e9 * 5 / 6),
              1e-12);
  machine = two_nodes_of_h100({2, 27});
  EXPECT_NEAR(estimate_of(machine, 64_MiB, "in-switch/Simple"), 53e-6 + 64 * mib / (320e9 * 5 / 6),
              1e-12);
  machine.nodes = 4;
  machine.ranks = 32;
  EXPECT_NEAR(estimate_of(machine, 64_MiB, "in-switch/Simple"), 81e-6 + 64 * mib / (192e9 * 5 / 6),
              1e-12);
}

// 20.9 us for a level in 2.28, 14 before, whatever the profile has; 8 bytes take no time.
TEST(NcclReleases, ExpectedFasterLevelsOfSumsInSwitches) {
  TransportProfile profile = tuned_profile();
  profile.protocols.back().latencies[PathKind::network] = Seconds{20.9e-6};
  const auto estimate = [&](NcclVersion version) {
    return nccl_choices(two_nodes_of_h100(version), profile, 8_B, "in-switch")
        .at(0)
        .estimate.count();
  };
  EXPECT_NEAR(estimate({2, 28}) - estimate({2, 27}), 2 * 6.9e-6, 1e-9);
}

// On one node of H100 a ring of LL reaches 141 GB/s; before 2.21 87.7, or a quarter of 200.
TEST(NcclReleases, ExpectedLessOfLl) {
  NcclMachine machine = eight_h100();
  const double newer = estimate_of(machine, 1_MiB, "ring/LL");
  machine.version = {2, 21};
  EXPECT_NEAR(estimate_of(machine, 1_MiB, "ring/LL"), newer, 1e-12);
  machine.version = {2, 20};
  const double older = estimate_of(machine, 1_MiB, "ring/LL");
  EXPECT_NEAR(newer, 15e-6 + mib / (141e9 * 8 / 14), 1e-12);
  EXPECT_NEAR(older, 15e-6 + mib / (87.7e9 * 8 / 14), 1e-12);
  machine.in_node = BytesPerSecond{200e9};
  EXPECT_NEAR(estimate_of(machine, 1_MiB, "ring/LL"), 15e-6 + mib / (50e9 * 8 / 14), 1e-12);
  // Between two nodes a quarter of 320 GB/s is more than the limit of 39, then as now.
  machine = two_nodes_of_h100({2, 20});
  EXPECT_NEAR(estimate_of(machine, 2_MiB, "ring/LL") - estimate_of(machine, 1_MiB, "ring/LL"),
              mib / (39e9 * 16 / 30), 1e-12);
}

// Blackwell had twice the limits of Hopper for each of 8 rings, 36.7 GB/s for LL128 and 41.4 for
// trees; 0.92 of 750 GB/s is more. Later a ring of LL128 has 40 GB/s and a tree 42.8.
TEST(NcclReleases, TookBlackwellForTwoHopper) {
  const auto per_byte = [](NcclVersion version, const std::string& protocol) {
    const NcclMachine machine = two_nodes_of_b200(version);
    return (estimate_of(machine, 2_GiB, protocol) - estimate_of(machine, 1_GiB, protocol)) / mib /
           1024;
  };
  EXPECT_NEAR(per_byte({2, 27}, "tree/Simple"), 2 / (8 * 82.8e9), 1e-18);
  EXPECT_NEAR(per_byte({2, 28}, "tree/Simple"), 2 / (8 * 42.8e9), 1e-18);
  EXPECT_NEAR(per_byte({2, 27}, "tree/LL128"), 2 / (8 * 73.4e9), 1e-18);
  EXPECT_NEAR(per_byte({2, 29}, "ring/LL128"), 1 / (384e9 * 0.92 * 16 / 30), 1e-18);
  EXPECT_NEAR(per_byte(newest_nccl, "ring/LL128"), 1 / (8 * 40e9 * 16 / 30), 1e-18);
}

// One H100 in each of two nodes: until 2.22 LL128 at 0.7 of 48 GB/s, with the ring's 4 us for four
// of two hops, and 2.5 us for minus two.
TEST(NcclReleases, ExpectedLessOfLl128BetweenNodesOfOneRank) {
  NcclMachine machine = two_lone_h100();
  EXPECT_NEAR(estimate_of(machine, 1_MiB, "ring/LL128"), 14e-6 + 2 * 8.5e-6 + mib / (48e9 * 0.92),
              1e-12);
  machine.version = {2, 22};
  EXPECT_NEAR(estimate_of(machine, 1_MiB, "ring/LL128"),
              14e-6 - 2 * 2.5e-6 + 4 * 4e-6 + mib / (48e9 * 0.7), 1e-12);
}

// Two nodes of A100: 0.92 of 240 GB/s in the nodes are least for a tree of Simple, of which NCCL
// expects 0.9 for 512 MiB since 2.30, and all before. 8.4 us, 14 hops of 4 us and two of 14.
TEST(NcclReleases, ExpectedAllOfATreeOf512MiB) {
  NcclMachine machine = two_nodes_of_a100();
  machine.search.rings = 16;
  EXPECT_NEAR(simple_of(machine, 512_MiB, "tree").estimate.count(),
              92.4e-6 + 512 * mib / (0.9 * 0.92 * 240e9 / 2), 1e-9);
  machine.version = {2, 29};
  EXPECT_NEAR(simple_of(machine, 512_MiB, "tree").estimate.count(),
              92.4e-6 + 512 * mib / (0.92 * 240e9 / 2), 1e-9);
}

// A quarter of the tuner's 42.8 GB/s of two nodes, and of 24 of more. Before 2.28 two nodes of B200
// show 11.6 GB/s on each of 32 channels, all that their NICs carry.
TEST(NcclReleases, LimitTreesOfBlackwellBetweenNodes) {
  const auto rate_between = [](NcclMachine machine, int nodes, const std::string& protocol) {
    machine.ranks = 8 * nodes;
    machine.nodes = nodes;
    const Protocol tree{.algorithm = "tree", .name = protocol};
    return detail::tree_pipeline(machine, tree, 1_GiB).across.value();
  };
  EXPECT_NEAR(rate_between(two_nodes_of_b200({2, 28}), 2, "Simple"), 42.8e9 / 4, 1);
  EXPECT_NEAR(rate_between(two_nodes_of_b200({2, 28}), 4, "Simple"), 24e9 / 4, 1);
  EXPECT_EQ(rate_between(two_nodes_of_b200({2, 28}), 4, "LL"), 0);
  EXPECT_EQ(rate_between(two_nodes_of_b200({2, 27}), 4, "Simple"), 0);
  EXPECT_EQ(rate_between(two_nodes_of_h100(newest_nccl), 4, "Simple"), 0);
  const auto payload_between = [](NcclVersion version) {
    return simple_of(two_nodes_of_b200(version), 1_GiB, "tree").protocol.network_rate.value();
  };
  EXPECT_NEAR(payload_between({2, 28}), 42.8e9 / 4, 1);
  EXPECT_EQ(payload_between({2, 27}), 0);
}

// RCCL shortens the chunks of a tree of Simple and gives small buffers all channels (as before 2.20
// and 2.26): 16 MiB of two nodes are 16 chunks of 64 KiB on each of 16 channels. A segment has room
// for an element of 8 bytes, by which parts of a buffer may differ. Its blocks have 256 threads: 24
// KiB are 12 passes of 2 KiB.
TEST(NcclReleases, AreNotRccls) {
  NcclMachine machine = two_nodes_of_h100(newest_nccl);
  const Protocol simple{.algorithm = "tree", .name = "Simple"};
  const Protocol ll128{.algorithm = "tree", .name = "LL128"};
  EXPECT_EQ(detail::tree_pipeline(machine, simple, 16_MiB).segment, Bytes{(512 << 10) + 8});
  EXPECT_EQ(detail::channels_in_use(machine, ll128, 64_KiB), 4);
  machine.rccl = true;
  EXPECT_EQ(detail::tree_pipeline(machine, simple, 16_MiB).segment, Bytes{(64 << 10) + 8});
  EXPECT_EQ(detail::channels_in_use(machine, ll128, 24_KiB), 12);
}

// Until 2.9 the threads of a tree's channel reduced first, but with LL128, and RCCL's do with
// Simple.
TEST(NcclReleases, ReducedBeforeTheyBroadcast) {
  const auto reduces_first = [](NcclMachine machine, const std::string& protocol) {
    machine.nvlink = true;
    for (const NcclChoice& choice : nccl_choices(machine, tuned_profile(), 64_MiB)) {
      if (choice.protocol.full_name() == protocol) return choice.reduce_first;
    }
    ADD_FAILURE() << protocol;
    return false;
  };
  for (const std::string protocol : {"tree/Simple", "tree/LL"}) {
    EXPECT_TRUE(reduces_first(two_nodes_of_h100({2, 9}), protocol));
    EXPECT_FALSE(reduces_first(two_nodes_of_h100({2, 10}), protocol));
  }
  EXPECT_FALSE(reduces_first(two_nodes_of_h100({2, 9}), "tree/LL128"));
  EXPECT_FALSE(reduces_first(two_nodes_of_h100({2, 9}), "ring/Simple"));
  NcclMachine rccl = two_nodes_of_h100(newest_nccl);
  rccl.rccl = true;
  EXPECT_TRUE(reduces_first(rccl, "tree/Simple"));
  EXPECT_FALSE(reduces_first(rccl, "tree/LL"));
}

// LL128 has two bytes of traffic for each of a buffer: 64 KiB are 12 passes of a channel's threads,
// 8 times 16 KiB and 4 times 32 KiB of traffic. LL counts four times as much.
TEST(NcclReleases, GaveSmallBuffersMoreChannels) {
  const auto channels = [](NcclVersion version, const char* protocol, Bytes size) {
    return detail::channels_in_use(two_nodes_of_h100(version),
                                   {.algorithm = "tree", .name = protocol}, size);
  };
  EXPECT_EQ(channels({2, 25}, "LL128", 64_KiB), 12);
  EXPECT_EQ(channels({2, 26}, "LL128", 64_KiB), 8);
  EXPECT_EQ(channels({2, 28}, "LL128", 64_KiB), 8);
  EXPECT_EQ(channels({2, 29}, "LL128", 64_KiB), 4);
  EXPECT_EQ(channels({2, 28}, "LL", 32_KiB), 8);
  EXPECT_EQ(channels({2, 28}, "LL128", 0_B), 1);
}

// Before 2.28 rings and trees had the 32 channels of in-switch sums between nodes of B200, where
// NCCL sets them up; few fast rings run four times.
TEST(NcclMachineChannels, AreThoseOfRingsOrOfSwitches) {
  NcclMachine machine = two_nodes_of_b200({2, 28});
  machine.nvls = true;
  EXPECT_EQ(machine.channels(), 16);
  machine = two_nodes_of_b200({2, 27});
  EXPECT_EQ(machine.channels(), 16);
  machine.nvls = true;
  EXPECT_EQ(machine.channels(), 32);
  machine.nodes = 1;
  machine.ranks = 8;
  EXPECT_EQ(machine.channels(), 24);
  machine.nvls = false;
  machine.nodes = 2;
  machine.ranks = 4;
  machine.search.rings = 2;
  machine.search.ring_rate = BytesPerSecond{48e9};
  EXPECT_EQ(machine.channels(), 8);
  machine.search.rings = 8;
  EXPECT_EQ(machine.channels(), 16);  // not few
  machine.search.rings = 2;
  machine.gpus.generation = GpuGeneration::ampere;
  EXPECT_EQ(machine.channels(), 4);
  machine.gpus.generation = GpuGeneration::blackwell;
  machine.search.ring_rate = BytesPerSecond{24e9};
  EXPECT_EQ(machine.channels(), 4);
}

// Four NICs for eight GPUs are four heads; in a node each GPU is one.
TEST(NcclMachineHeads, AreTheGpusWithNics) {
  NcclMachine machine = two_nodes_of_h100(newest_nccl);
  EXPECT_EQ(machine.heads(), 8);
  machine.nics = 4;
  EXPECT_EQ(machine.heads(), 4);
  // 8 MiB are two loops of 16 x 4 heads with 64 KiB each.
  EXPECT_EQ(
      detail::switched_pipeline(machine, 8_MiB, BytesPerSecond{300e9}, BytesPerSecond{200e9}, "")
          .steps,
      2 * 4);
  machine.nodes = 1;
  machine.ranks = 8;
  EXPECT_EQ(machine.heads(), 8);
}

// A plugin for the network reports 75 us. Two nodes have two hops between them in a tree, in-switch
// sums and a ring; for a byte of Simple the plateau of rings has not begun. Since 2.20 the 75 us
// are added, twice for Simple; from 2.12 on they replace the 5, 14 and 2.7 us of the profile but
// for in-switch sums. With such a plugin the other latencies are those of the newest release.
TEST(NcclReleases, ExpectWhatTheNetworkReports) {
  const auto more = [](NcclVersion version, const std::string& protocol) {
    const double without = estimate_of(two_nodes_of_h100(newest_nccl), 1_B, protocol);
    NcclMachine machine = two_nodes_of_h100(version);
    machine.reported_latency = Seconds{75e-6};
    return 1e6 * (estimate_of(machine, 1_B, protocol) - without);
  };
  EXPECT_NEAR(more({2, 20}, "tree/LL"), 2 * 75, 1e-6);
  EXPECT_NEAR(more({2, 20}, "tree/Simple"), 2 * 2 * 75, 1e-6);
  EXPECT_NEAR(more({2, 20}, "ring/LL128"), 2 * 75, 1e-6);
  EXPECT_NEAR(more(newest_nccl, "ring/Simple"), 2 * 2 * 75, 1e-6);
  EXPECT_NEAR(more(newest_nccl, "in-switch/Simple"), 2 * 2 * 75, 1e-6);
  EXPECT_NEAR(more({2, 19}, "tree/LL"), 2 * (75 - 5), 1e-6);
  EXPECT_NEAR(more({2, 19}, "tree/Simple"), 2 * (75 - 14), 1e-6);
  EXPECT_NEAR(more({2, 12}, "ring/LL"), 2 * (75 - 2.7), 1e-6);
  EXPECT_NEAR(more({2, 19}, "in-switch/Simple"), 0, 1e-6);
  EXPECT_NEAR(more({2, 11}, "tree/LL"), 0, 1e-6);
}

// What a plugin reports is an expectation: messages take as long as without.
TEST(NcclReleases, PredictWithoutWhatTheNetworkReports) {
  NcclMachine machine = two_nodes_of_h100(newest_nccl);
  const NcclChoice without = first_choice(machine, 1_MiB, "tree");
  machine.reported_latency = Seconds{75e-6};
  const auto with = nccl_choices(machine, tuned_profile(), 1_MiB, "tree");
  const auto same = std::ranges::find(with, without.protocol.name,
                                      [](const NcclChoice& each) { return each.protocol.name; });
  EXPECT_EQ(same->protocol, without.protocol);
}

// Nodes of A100 and of H100 in one job have no LL128; of H100 and of B200 since 2.29.
TEST(NcclTuner, HasNoLl128BetweenGenerations) {
  const auto has_ll128 = [](NcclMachine machine) {
    return std::ranges::any_of(
        nccl_choices(machine, tuned_profile(), 8_MiB),
        [](const NcclChoice& choice) { return choice.protocol.name == "LL128"; });
  };
  NcclMachine machine = eight_h100();
  EXPECT_TRUE(has_ll128(machine));
  machine.gpus.mixed = true;
  EXPECT_TRUE(has_ll128(machine));
  machine.version = {2, 28};
  EXPECT_FALSE(has_ll128(machine));
  machine.version = newest_nccl;
  machine.gpus.generation = GpuGeneration::ampere;
  EXPECT_FALSE(has_ll128(machine));
}

}  // namespace
}  // namespace ringcast
