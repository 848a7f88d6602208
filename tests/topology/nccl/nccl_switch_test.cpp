#include <gtest/gtest.h>

#include "tests/topology/nccl/tuned_machines.hpp"
#include "topology/links/measured_constants.hpp"
#include "topology/nccl/nccl_chunks.hpp"

namespace ringcast {
namespace {

// Both ways at once over 8 channels, one of which synchronises: 25 us + S / (2 x 370 GB/s x 0.85 x
// 7/8 x 8/14); the ring takes 8.4 + 14 x 3.4 us + S / (370 x 8/14).
TEST(NcclTuner, TakesInSwitchSumsForLargeSizes) {
  const NcclChoice choice = first_choice(eight_h100(), 1_GiB);
  EXPECT_EQ(choice.protocol.full_name(), "in-switch/Simple");
  EXPECT_EQ(choice.protocol.efficiency_of(PathKind::nvlink), 0.85);
  const double gib = 1073741824;
  EXPECT_NEAR(choice.estimate.count(), 25e-6 + gib / (2 * 370e9 * 0.85 * 7 / 8 * 8 / 14), 1e-9);
  EXPECT_NEAR(first_choice(eight_h100(), 1_GiB, "ring").estimate.count(),
              56e-6 + gib / (370e9 * 8 / 14), 1e-9);
}

// Two nodes of 8 B200 with 384 GB/s of cards: the switches' 2 x 384 x 0.74 x 7/8 GB/s are least. Of
// 16 MiB NCCL expects 0.7 of that on hosts of x86, all on Grace.
TEST(NcclTuner, CorrectsSumsInSwitchesBetweenNodes) {
  NcclMachine machine{.nodes = 2,
                      .ranks = 16,
                      .generation = GpuGeneration::blackwell,
                      .nvlink = true,
                      .switch_sums = true,
                      .in_node = BytesPerSecond{720e9},
                      .between = BytesPerSecond{384e9},
                      .rings = 8};
  const auto time = [&] { return first_choice(machine, 16_MiB, "in-switch").estimate.count(); };
  const double slope = 16777216 / (2 * 384e9 * 0.74 * 7 / 8 * 16 / 30);
  EXPECT_NEAR(time(), 53e-6 + slope / 0.7, 1e-9);
  machine.grace = true;
  EXPECT_NEAR(time(), 53e-6 + slope, 1e-9);
}

// A rank sends 9/8 of the buffer over its NVLinks, 7/8 of what rings have in a node, at no more
// than 57.7 GB/s of bus bandwidth for each of 8 channels. Latencies count once: 25 us, and 14 us
// twice.
TEST(NcclTuner, LimitsTheChannelsOfSumsInSwitchesBetweenNodes) {
  NcclMachine machine = eight_h100();
  machine.nodes = 2;
  machine.ranks = 16;
  machine.in_node = BytesPerSecond{424e9};
  machine.between = BytesPerSecond{388e9};
  machine.rings = 8;
  const Protocol protocol = first_choice(machine, 1_GiB, "in-switch").protocol;
  const BytesPerSecond rate{57.7e9 * 8 * 16 / 30};
  EXPECT_NEAR(protocol.efficiency_of(PathKind::nvlink), rate.value() * 9 / 8 / 371e9, 1e-9);
  const BytesPerSecond links{0.85 * 371e9};
  const Seconds fill = detail::switched_pipeline(machine, 1_GiB, links, rate).fill;
  EXPECT_NEAR(protocol.call_overhead.count(), 53e-6 + fill.count(), 1e-12);
  EXPECT_EQ(protocol.latency_of(PathKind::network), Seconds{0});
}

// 1 GiB are 64 loops of 128 x 128 KiB, 128 MiB 16 of 128 x 64 KiB: 66 and 18 steps of 8 heads.
TEST(NcclTuner, ChargesTheStepsOfASwitchInOneNode) {
  const auto overhead = [](Bytes size) {
    return first_choice(eight_h100(), size, "in-switch").protocol.call_overhead;
  };
  const double step = measured_constant(switched_step_hopper) * 1e-6;
  EXPECT_NEAR((overhead(1_GiB) - overhead(128_MiB)).count(), (66 - 18) * 8 * step, 1e-12);
}

// On Hopper NCCL's figure, on Blackwell what machines reach, less beyond NCCL's 32 heads. A set
// that is left out is one of the samples.
TEST(NcclTuner, KnowsWhatSumsInSwitchesReach) {
  NcclMachine machine = eight_h100();
  EXPECT_EQ(detail::switched_efficiency(machine, ""), 0.85);
  machine.generation = GpuGeneration::blackwell;
  EXPECT_EQ(detail::switched_efficiency(machine, ""), measured_constant(switched_rate_blackwell));
  EXPECT_NEAR(detail::switched_efficiency(machine, "gb300"), 0.88, 1e-12);
  machine.ranks = 72;
  EXPECT_EQ(detail::switched_efficiency(machine, ""), measured_constant(switched_rate_of_racks));
}

}  // namespace
}  // namespace ringcast
