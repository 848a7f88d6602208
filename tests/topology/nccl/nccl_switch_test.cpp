#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "tests/topology/nccl/tuned_machines.hpp"
#include "topology/links/measured_constants.hpp"
#include "topology/nccl/nccl_chunks.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

// H200 and B200 as github.com/stas00/ml-engineering measured them (network/README.md): NCCL chose
// the ring for up to four H200, and for up to five B200 with 2.27.7, and in-switch sums for more.
// n + 1 heads' rates fill a GPU's link: 5/6 of n of them is compared with the ring's n / (2(n -
// 1)).
TEST(NcclTuner, TakesInSwitchSumsFromAsManyGpusAsNcclDoes) {
  const auto takes_them = [](NcclMachine machine, int gpus) {
    machine.ranks = gpus;
    machine.version = {2, 27};
    return first_choice(machine, 8_GiB).protocol.algorithm == "in-switch";
  };
  NcclMachine h200 = eight_h100();
  h200.search.rings = 12;
  h200.search.ring_rate = BytesPerSecond{30e9};
  NcclMachine b200 = h200;
  b200.gpus.generation = GpuGeneration::blackwell;
  b200.switch_link = BytesPerSecond{18 * 40.1e9};
  b200.search.rings = 16;
  b200.search.ring_rate = BytesPerSecond{45e9};
  for (const int gpus : {4, 5, 6, 7, 8}) {
    EXPECT_EQ(takes_them(h200, gpus), gpus > 4) << gpus;
    EXPECT_EQ(takes_them(b200, gpus), gpus > 5) << gpus;
  }
}

// Both ways at once over 8 channels of 40 GB/s, one of which synchronises, as 9 x 40 of 370 GB/s
// are the most that the search finds: 25 us + S / (2 x 320 GB/s x 0.85 x 7/8 x 8/14); the ring
// takes 8.4 + 14 x 3.4 us + S / (370 x 8/14).
TEST(NcclTuner, TakesInSwitchSumsForLargeSizes) {
  const NcclChoice choice = first_choice(eight_h100(), 1_GiB);
  EXPECT_EQ(choice.protocol.full_name(), "in-switch/Simple");
  EXPECT_EQ(choice.protocol.efficiency_of(PathKind::nvlink), measured_constant(switched_rate));
  const double gib = 1073741824;
  EXPECT_NEAR(choice.estimate.count(), 25e-6 + gib / (2 * 320e9 * 0.85 * 7 / 8 * 8 / 14), 1e-9);
  EXPECT_NEAR(first_choice(eight_h100(), 1_GiB, "ring").estimate.count(),
              56e-6 + gib / (370e9 * 8 / 14), 1e-9);
}

// Two nodes of 8 B200 with 384 GB/s of NICs: the switches' 2 x 384 x 0.74 x 7/8 GB/s are least. Of
// 16 MiB NCCL expects 0.7 of that on hosts of x86, all on Grace.
TEST(NcclTuner, CorrectsSumsInSwitchesBetweenNodes) {
  NcclMachine machine{.nodes = 2,
                      .ranks = 16,
                      .gpus = {.generation = GpuGeneration::blackwell},
                      .nvlink = true,
                      .switch_sums = true,
                      .switch_link = BytesPerSecond{720e9},
                      .in_node = BytesPerSecond{720e9},
                      .between = BytesPerSecond{384e9},
                      .search = {.rings = 8}};
  const auto time = [&] { return first_choice(machine, 16_MiB, "in-switch").estimate.count(); };
  const double slope = 16777216 / (2 * 384e9 * 0.74 * 7 / 8 * 16 / 30);
  EXPECT_NEAR(time(), 53e-6 + slope / 0.7, 1e-9);
  machine.hosts.grace = true;
  EXPECT_NEAR(time(), 53e-6 + slope, 1e-9);
}

// A rank sends 9/8 of the buffer over its NVLinks, 7/8 of what rings have in a node, at no more
// than what machines show of bus bandwidth for each of 8 channels. Latencies count once: 25 us, and
// 14 us twice.
TEST(NcclTuner, LimitsTheChannelsOfSumsInSwitchesBetweenNodes) {
  NcclMachine machine = eight_h100();
  machine.nodes = 2;
  machine.ranks = 16;
  machine.in_node = BytesPerSecond{424e9};
  machine.between = BytesPerSecond{388e9};
  machine.search.rings = 8;
  const Protocol protocol = first_choice(machine, 1_GiB, "in-switch").protocol;
  const BytesPerSecond rate{measured_constant(switched_channel) * 1e9 * 8 * 16 / 30};
  EXPECT_NEAR(protocol.efficiency_of(PathKind::nvlink), rate.value() * 9 / 8 / 371e9, 1e-9);
  const BytesPerSecond links{measured_constant(switched_rate) * 371e9};
  const Seconds fill = detail::switched_pipeline(machine, 1_GiB, links, rate, "").fill;
  EXPECT_NEAR(protocol.call_overhead.count(), 53e-6 + fill.count(), 1e-12);
  EXPECT_EQ(protocol.latency_of(PathKind::network), Seconds{0});
}

// 1 GiB are 64 loops of 128 x 128 KiB, 128 MiB 16 of 128 x 64 KiB: 48 steps more of 8 heads. Their
// links take 9/8 of the 8 MiB by which a loop is longer, and the program fills with 1.4 loops.
TEST(NcclTuner, ChargesTheStepsAndTheFillOfASwitchInOneNode) {
  const auto overhead = [](Bytes size) {
    return first_choice(eight_h100(), size, "in-switch").protocol.call_overhead.count();
  };
  const double step = measured_constant(switched_step_hopper) * 1e-6;
  const double loops = measured_constant(switched_fill_hopper) - 1.4;
  const double longer = 8 * 1048576 * 9.0 / 8 / (measured_constant(switched_rate) * 370e9);
  EXPECT_NEAR(overhead(1_GiB) - overhead(128_MiB), 48 * 8 * step + loops * longer, 1e-12);
}

// One loop of 2 MiB and the fill; NCCL's 16.6 us over NVLink are in its estimate alone.
TEST(NcclTuner, PutsTheFillInThePlaceOfNcclsLatency) {
  const Protocol protocol = first_choice(eight_h100(), 2_MiB, "in-switch").protocol;
  const double step = measured_constant(switched_step_hopper) * 1e-6;
  const double filling = measured_constant(switched_fill_hopper);
  const double pass = 2 * 1048576 * 9.0 / 8 / (measured_constant(switched_rate) * 370e9);
  EXPECT_NEAR(protocol.call_overhead.count(),
              8.4e-6 + (1 + filling) * 8 * step + (filling - 1.4) * pass, 1e-12);
  EXPECT_EQ(protocol.latency_of(PathKind::nvlink), Seconds{0});
}

TEST(NcclMachine, KnowsH20ByItsModel) {
  const auto is_h20 = [](const char* gpu) {
    NodeTypeSpec type = machines::eight_rails();
    type.gpu = gpu;
    const Topology topology{build_cluster(machines::cluster_of(type, 1))};
    const TransferPaths paths{topology, {}, places_of_ranks(topology, 8, {})};
    return nccl_machine(paths, channel_rings(paths)).gpus.h20;
  };
  EXPECT_TRUE(is_h20("NVIDIA H20-3e"));
  EXPECT_FALSE(is_h20("H200"));
}

// H20 begin as H100 do; then the transfer takes longer than the links need, and hides all steps. A
// loop is 16 MiB.
TEST(NcclTuner, HidesTheStepsOfLongSumsOnH20) {
  NcclMachine h20 = eight_h100();
  h20.gpus.h20 = true;
  const Protocol protocol = first_choice(h20, 1_GiB, "in-switch").protocol;
  EXPECT_EQ(protocol.efficiency_of(PathKind::nvlink), measured_constant(switched_rate_of_h20));
  const double loops = measured_constant(switched_fill_hopper) - 1.4;
  const double loop = 16 * 1048576 * 9.0 / 8 / (measured_constant(switched_rate) * 370e9);
  EXPECT_NEAR(protocol.call_overhead.count(), 8.4e-6 + loops * loop, 1e-12);
}

// What machines reach, less beyond NCCL's 32 heads. A set that is left out is one of the samples.
TEST(NcclTuner, KnowsWhatSumsInSwitchesReach) {
  NcclMachine machine = eight_h100();
  EXPECT_EQ(detail::switched_efficiency(machine, ""), measured_constant(switched_rate));
  EXPECT_NEAR(detail::switched_efficiency(machine, "gb300"), 0.89, 0.002);
  machine.gpus.generation = GpuGeneration::blackwell;
  machine.ranks = 32;
  EXPECT_EQ(detail::switched_efficiency(machine, ""), measured_constant(switched_rate));
  machine.ranks = 72;
  EXPECT_EQ(detail::switched_efficiency(machine, ""), measured_constant(switched_rate_of_racks));
  machine.nodes = 2;
  machine.ranks = 144;
  EXPECT_EQ(detail::switched_efficiency(machine, ""),
            measured_constant(switched_rate_between_racks));
}

TEST(NcclTuner, TakesInSwitchSumsForTwoGpusSinceTwoPoint28) {
  const auto is_possible = [](int ranks, NcclVersion version) {
    NcclMachine machine = eight_h100();
    machine.ranks = ranks;
    machine.version = version;
    return !nccl_choices(machine, tuned_profile(), 8_B, "in-switch").empty();
  };
  EXPECT_TRUE(is_possible(2, {2, 28}));
  EXPECT_FALSE(is_possible(2, {2, 27}));
  EXPECT_TRUE(is_possible(3, {2, 27}));
}

}  // namespace
}  // namespace ringcast
