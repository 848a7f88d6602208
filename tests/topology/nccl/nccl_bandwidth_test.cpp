// The bandwidth that NCCL expects of protocols, and the channels that it gives them.
#include <gtest/gtest.h>

#include "tests/topology/nccl/tuned_machines.hpp"
#include "topology/links/measured_constants.hpp"
#include "topology/nccl/nccl_chunks.hpp"

namespace ringcast {
namespace {

NcclChoice choice_of(const NcclMachine& machine, Bytes size, const std::string& protocol) {
  for (NcclChoice& choice : nccl_choices(machine, tuned_profile(), size)) {
    if (choice.protocol.full_name() == protocol) return choice;
  }
  return {};
}

double time_per_byte(const NcclMachine& machine, const std::string& protocol) {
  const auto time = [&](Bytes size) { return choice_of(machine, size, protocol).estimate.count(); };
  return (time(2_GiB) - time(1_GiB)) / (1 << 30);
}

// In one node 7/9 of a tree's 0.92 of 370 GB/s, less than 12 channels of 36.7; between nodes
// 120/128 of 0.92 of the network's 2 x 60, less than 8 channels of 36.7. Each byte is sent twice.
TEST(NcclBandwidth, OfTreesOfLl128DependsOnTheNumberOfNodes) {
  EXPECT_NEAR(time_per_byte(eight_h100(), "tree/LL128"), 2 / (0.92 * 370e9 * 7 / 9), 1e-17);
  NcclMachine two = eight_h100();
  two.nodes = 2;
  two.ranks = 16;
  two.between = BytesPerSecond{60e9};
  two.search.rings = 8;
  two.search.balanced_trees = true;
  EXPECT_NEAR(time_per_byte(two, "tree/LL128"), 2 / (0.92 * 2 * 60e9 * 120 / 128), 1e-17);
}

// Eight heads of 40 GB/s, both ways, of which 7/8 sum and 0.74 are reached: 8/14 of that is of the
// data. The 0.7 that trees of 16 MiB have left is for sums between nodes.
TEST(NcclBandwidth, OfSumsInTheSwitchesOfOneNodeIsNotCorrected) {
  NcclMachine b200 = eight_h100();
  b200.gpus.generation = GpuGeneration::blackwell;
  EXPECT_NEAR(choice_of(b200, 16_MiB, "in-switch/Simple").estimate.count(),
              25e-6 + 16777216 / (8 * 2 * 40e9 * 7 / 8 * 0.74 * 8 / 14), 1e-12);
}

// Cables between switches carry an eighth of what the NICs do: NCCL, which does not see them,
// chooses as if they carried all, but it takes longer.
TEST(NcclBandwidth, IsExpectedWithoutCablesBetweenSwitches) {
  NcclMachine all = eight_h100();
  all.nodes = 2;
  all.ranks = 16;
  all.between = BytesPerSecond{384e9};
  all.search.rings = 8;
  NcclMachine eighth = all;
  eighth.between = BytesPerSecond{48e9};
  eighth.expected_between = all.between;
  for (const char* const protocol : {"ring/Simple", "tree/LL128", "in-switch/Simple"}) {
    EXPECT_EQ(choice_of(eighth, 1_GiB, protocol).estimate, choice_of(all, 1_GiB, protocol).estimate)
        << protocol;
  }
  const auto slowed = [&](const NcclMachine& machine) {
    return choice_of(machine, 1_GiB, "in-switch/Simple").protocol.call_overhead;
  };
  EXPECT_GT(slowed(eighth), slowed(all));
}

NcclMachine two_nodes_of_h100() {
  NcclMachine two = eight_h100();
  two.nodes = 2;
  two.ranks = 16;
  two.between = BytesPerSecond{384e9};
  two.search.rings = 8;
  return two;
}

// With 8 MiB twice as much is on the way. Rings of one node have none, nor have those of Blackwell.
TEST(NcclBandwidth, OfAChannelBetweenNodesOfHopperIsLimitedByItsBuffer) {
  const auto rate = [](const NcclMachine& machine, const char* protocol = "ring/Simple") {
    return choice_of(machine, 1_GiB, protocol).protocol.channel_rate.value();
  };
  NcclMachine two = two_nodes_of_h100();
  EXPECT_NEAR(rate(two), measured_constant(ring_channel) * 1e9, 1);
  EXPECT_EQ(rate(two, "ring/LL128"), 0);
  two.limits.channel_buffer = 8_MiB;
  EXPECT_NEAR(rate(two), 2 * measured_constant(ring_channel) * 1e9, 1);
  two.gpus.generation = GpuGeneration::blackwell;
  EXPECT_EQ(rate(two), 0);
  EXPECT_EQ(rate(eight_h100()), 0);
}

// LL128 has 36.7 GB/s for each of eight rings of the search, which have two channels each. NCCL
// expects no more of more channels.
TEST(NcclBandwidth, OfLl128RisesWithItsChannels) {
  const NcclMachine usual = two_nodes_of_h100();
  NcclMachine more = usual;
  more.limits.least_channels = 18;
  const auto efficiency = [](const NcclMachine& machine) {
    return choice_of(machine, 64_MiB, "ring/LL128").protocol.efficiency;
  };
  EXPECT_NEAR(efficiency(usual), 8 * 36.7 / 370, 1e-6);
  EXPECT_NEAR(efficiency(more) / efficiency(usual), 18.0 / 16, 1e-12);
  NcclMachine fewer = usual;
  fewer.limits.most_channels = 4;
  EXPECT_EQ(fewer.channels(), 4);
  EXPECT_NEAR(efficiency(fewer) / efficiency(usual), 4.0 / 16, 1e-12);
  EXPECT_EQ(choice_of(more, 64_MiB, "ring/LL128").estimate,
            choice_of(usual, 64_MiB, "ring/LL128").estimate);
}

TEST(Nvswitches, AddAllTypesAndFindExtremesOfSome) {
  for (const ElementType type : all_element_types) {
    const bool wide = type == ElementType::float32 || type == ElementType::float64;
    EXPECT_TRUE(switches_combine({type, Operation::sum}));
    EXPECT_EQ(switches_combine({type, Operation::min}), !wide);
    EXPECT_EQ(switches_combine({type, Operation::max}), !wide);
    EXPECT_FALSE(switches_combine({type, Operation::prod}));
    EXPECT_FALSE(switches_combine({type, Operation::avg}));
  }
}

// Only rings of Simple are corrected by what B200 measures: a ring of LL has 282 GB/s, its limit,
// or 282/370 of its links' rate.
TEST(NcclBandwidth, IsMeasuredForRingsOfSimpleOnBlackwell) {
  NcclMachine b200 = eight_h100();
  b200.gpus.generation = GpuGeneration::blackwell;
  b200.in_node = BytesPerSecond{800e9};
  const auto efficiency = [&](const char* protocol) {
    return choice_of(b200, 1_GiB, protocol).protocol.efficiency_of(PathKind::nvlink);
  };
  EXPECT_NEAR(efficiency("ring/Simple"), measured_constant(ring_rate_blackwell), 1e-12);
  EXPECT_NEAR(efficiency("ring/LL"), 282.0 / 800, 1e-12);
}

// Pairs with one GPU per node, whose receivers poll lines in host memory. RCCL's do not show it,
// nor do rings of several GPUs per node.
TEST(NcclBandwidth, IsMeasuredForLinesOfLowLatencyBetweenNodes) {
  const auto part = [](int ranks, bool rccl) {
    const NcclMachine machine{.nodes = 2,
                              .ranks = ranks,
                              .in_node = BytesPerSecond{300e9},
                              .between = BytesPerSecond{12e9},
                              .rccl = rccl};
    const Protocol ring = choice_of(machine, 64_KiB, "ring/LL").protocol;
    return ring.efficiency_of(PathKind::network) / ring.efficiency;
  };
  EXPECT_NEAR(part(2, false), measured_constant(ll_between_nodes), 1e-12);
  EXPECT_EQ(part(2, true), 1);
  EXPECT_EQ(part(16, false), 1);
}

TEST(NcclBandwidth, IsMeasuredForKernelsOfRcclInHostMemory) {
  const auto staged = [](bool rccl, const char* protocol) {
    const NcclMachine pair{
        .ranks = 2, .in_node = BytesPerSecond{16e9}, .between = {}, .rccl = rccl};
    return choice_of(pair, 1_GiB, protocol).protocol.efficiency_of(PathKind::staged);
  };
  EXPECT_NEAR(staged(true, "ring/Simple") / staged(false, "ring/Simple"),
              measured_constant(rccl_staging), 1e-12);
  EXPECT_EQ(staged(true, "ring/LL"), staged(false, "ring/LL"));
}

/// The part of `in_node` that Simple reaches by P2P where a GPU's PCIe carries 25 GB/s.
double part_of_peers(NcclMachine machine, const char* protocol, BytesPerSecond in_node = 25_GBps) {
  machine.pcie_link = 25_GBps;
  machine.in_node = in_node;
  machine.between = machine.nodes > 1 ? 20_GBps : BytesPerSecond{};
  return choice_of(machine, 1_GiB, protocol).protocol.efficiency_of(PathKind::p2p);
}

// A socket link of 20 GB/s is the limit itself, and rings that are together twice as fast as the
// PCIe of a GPU do not only cross it.
TEST(NcclBandwidth, IsThatOfKernelsOfRcclOverPcie) {
  const double share = measured_constant(rccl_peers);
  const NcclMachine four{.ranks = 4, .rccl = true};
  EXPECT_NEAR(part_of_peers(four, "ring/Simple"), share, 1e-12);
  EXPECT_NEAR(part_of_peers(four, "tree/Simple"), share, 1e-12);
  EXPECT_EQ(part_of_peers(four, "ring/Simple", 20_GBps), 1);
  NcclMachine hives = four;
  hives.hops = {{PathKind::nvlink, 0.75}, {PathKind::p2p, 0.25}};
  EXPECT_EQ(part_of_peers(hives, "ring/Simple"), 1);
  NcclMachine two_nodes = four;
  two_nodes.nodes = 2;
  EXPECT_EQ(part_of_peers(two_nodes, "ring/Simple"), 1);
}

TEST(NcclBandwidth, IsMeasuredForTwoGpusOverPcie) {
  const double share = measured_constant(peers_of_two);
  NcclMachine two{.ranks = 2};
  EXPECT_NEAR(part_of_peers(two, "ring/Simple"), share, 1e-12);
  EXPECT_NEAR(part_of_peers(two, "tree/Simple"), share, 1e-12);
  EXPECT_EQ(part_of_peers(two, "ring/LL"), part_of_peers({.ranks = 4}, "ring/LL"));
  EXPECT_EQ(part_of_peers({.ranks = 4}, "ring/Simple"), 1);
  two.version = {2, 25};
  EXPECT_NEAR(part_of_peers(two, "ring/Simple"), share, 1e-12);
  two.version = {2, 24};
  EXPECT_EQ(part_of_peers(two, "ring/Simple"), 1);
  two.rccl = true;
  EXPECT_NEAR(part_of_peers(two, "ring/Simple"), measured_constant(rccl_peers), 1e-12);
}

// Two of the GPUs at NVSwitches, not two that are linked directly, nor one in each of two nodes.
TEST(NcclBandwidth, IsMeasuredForRingsOfTwoGpusAtSwitches) {
  const auto efficiency = [](const NcclMachine& machine) {
    return choice_of(machine, 1_GiB, "ring/Simple").protocol.efficiency_of(PathKind::nvlink);
  };
  NcclMachine pair = eight_h100();
  pair.switch_sums = false;
  const double of_eight = efficiency(pair);
  pair.ranks = 2;
  EXPECT_NEAR(efficiency(pair) / of_eight, measured_constant(ring_rate_of_two), 1e-12);
  pair.switch_link = BytesPerSecond{0};
  EXPECT_NEAR(efficiency(pair) / of_eight, 1, 1e-12);
  NcclMachine lone = two_lone_h100();
  lone.switch_link = eight_h100().switch_link;
  EXPECT_NEAR(efficiency(lone), 1, 1e-12);
}

// Two rings of 6 GB/s are no faster than PCIe 3.0: until 2.30 half of the 512 threads, which take
// 64 bytes each. 64 KiB have room for four channels, two with all threads.
TEST(NcclBandwidth, OfPcie3HalvesTheThreadsOfAChannel) {
  NcclMachine machine{
      .ranks = 4, .in_node = BytesPerSecond{12e9}, .between = {}, .search = {.rings = 2}};
  const Protocol simple{.algorithm = "ring", .name = "Simple"};
  machine.search.ring_rate = BytesPerSecond{6e9};
  EXPECT_EQ(detail::channels_in_use(machine, simple, 64_KiB), 2);
  machine.version = {2, 30};
  EXPECT_EQ(detail::channels_in_use(machine, simple, 64_KiB), 4);
  machine.search.ring_rate = BytesPerSecond{6.1e9};
  EXPECT_EQ(detail::channels_in_use(machine, simple, 64_KiB), 2);
}

// Eight chunks of 576000 bytes: 1 GiB leaves each of 24 channels 77 chunks, of which shortening
// begins below 16 x 0.8 + 16 = 28.8 x 64 / 8 / 16 = 14.4.
TEST(NcclBandwidth, OfATreeOfLl128HasEightWholeChunksInFlight) {
  EXPECT_EQ(choice_of(eight_h100(), 1_GiB, "tree/LL128").in_flight, Bytes{8 * 576000});
}

}  // namespace
}  // namespace ringcast
