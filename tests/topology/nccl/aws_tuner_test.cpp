#include "topology/nccl/aws_tuner.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

std::string choice_of(AwsInstance instance, int ranks, Bytes size,
                      EfaTuner tuner = EfaTuner::of_2025) {
  return std::string{aws_choice(instance, tuner, ranks / 8, ranks, size).value_or("NCCL's own")};
}

// In 2024 two P5 took LL128 from the smallest size to 30 MiB, then sums in switches.
TEST(AwsTuner, HadALimitForTwoInstances) {
  const auto old = [](AwsInstance instance, Bytes size) {
    return choice_of(instance, 16, size, EfaTuner::of_2024);
  };
  EXPECT_EQ(old(AwsInstance::p5, 8_B), "tree/LL128");
  EXPECT_EQ(old(AwsInstance::p5, 30_MiB), "tree/LL128");
  EXPECT_EQ(old(AwsInstance::p5, 30_MiB + 1_B), "in-switch/Simple");
  EXPECT_EQ(old(AwsInstance::p5, 64_GiB), "in-switch/Simple");
  EXPECT_EQ(old(AwsInstance::p5en, 12_MiB), "tree/LL128");
}

// `num_nodes <= 2` is left to NCCL since 2025, and P6 came after that.
TEST(AwsTuner, BeginsAtThreeInstances) {
  for (const AwsInstance instance :
       {AwsInstance::p5, AwsInstance::p5en, AwsInstance::p6_b200, AwsInstance::p6_b300}) {
    EXPECT_EQ(choice_of(instance, 16, 8_MiB), "NCCL's own");
    EXPECT_EQ(choice_of(instance, 24, 8_MiB), "tree/LL128");
    EXPECT_EQ(choice_of(instance, 24, 8_MiB, EfaTuner::none), "NCCL's own");
  }
  EXPECT_EQ(choice_of(AwsInstance::p6_b200, 16, 8_B, EfaTuner::of_2024), "NCCL's own");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 64, 8_B, EfaTuner::of_2024), "NCCL's own");
}

// 24 ranks are half of the way from 16, with 30 MiB, to 32 with 36.
TEST(AwsTuner, JoinsCornersByLines) {
  EXPECT_EQ(choice_of(AwsInstance::p5, 24, 33_MiB), "tree/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p5, 24, 33_MiB + 1_B), "ring/LL128");
}

// Beyond 192 ranks the line from (160, 7680 MiB) to (192, 9216 MiB) goes on: 12288 MiB for 256.
TEST(AwsTuner, ExtendsTheLastLine) {
  EXPECT_EQ(choice_of(AwsInstance::p5, 256, 12288_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p5, 256, 12288_MiB + 1_B), "ring/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p5, 8192, 384_MiB), "tree/LL128");
}

// For 256 ranks rings of LL128 lie between two regions of sums in switches, for 64 ranks between
// trees and NCCL's own choice; for 512 there is none.
TEST(AwsTuner, KnowsRegionsThatEnd) {
  EXPECT_EQ(choice_of(AwsInstance::p5, 256, 1025_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p5, 256, 1026_MiB), "ring/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p5, 256, 2049_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p5, 64, 2048_MiB), "ring/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p5, 64, 2049_MiB), "NCCL's own");
  EXPECT_EQ(choice_of(AwsInstance::p5, 64, 2561_MiB), "ring/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p5, 512, 1500_MiB), "in-switch/Simple");
}

TEST(AwsTuner, DiffersByInstance) {
  EXPECT_EQ(choice_of(AwsInstance::p5en, 64, 192_KiB), "tree/LL");
  EXPECT_EQ(choice_of(AwsInstance::p5en, 32, 280_MiB), "ring/LL128");
  // (32, 486 MiB) to (256, 7168 MiB): 3349.7 MiB for 128 ranks.
  EXPECT_EQ(choice_of(AwsInstance::p5en, 128, 3349_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p5en, 128, 3350_MiB), "ring/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p6_b200, 24, 384_KiB), "tree/LL");
  EXPECT_EQ(choice_of(AwsInstance::p6_b200, 64, 40_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p6_b200, 64, 64_MiB), "ring/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p6_b200, 64, 128_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p6_b200, 64, 1024_MiB), "ring/Simple");
  // Half of the way from 16 to 32 ranks: (704 + 480) / 2 KiB, (30 + 52) / 2 and (60 + 576) / 2 MiB.
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 24, 592_KiB), "tree/LL");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 24, 41_MiB), "tree/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 24, 318_MiB), "ring/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 24, 319_MiB), "in-switch/Simple");
  // Rings begin at 352 MiB for 128 ranks, at 104 for 64: at 228 for 96.
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 96, 228_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 96, 229_MiB), "ring/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 128, 961_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 256, 9217_MiB), "ring/Simple");
}

TEST(AwsTuner, LeavesOtherJobsToNccl) {
  for (const EfaTuner tuner : {EfaTuner::of_2024, EfaTuner::of_2025}) {
    EXPECT_FALSE(aws_choice(AwsInstance::p5, tuner, 1, 8, 1_KiB));
    EXPECT_FALSE(aws_choice(AwsInstance::p5, tuner, 4, 16, 1_KiB));
    EXPECT_FALSE(aws_choice(AwsInstance::p5, tuner, 4, 4, 1_KiB));
  }
}

// P4d, P5, P5en, P6, P3dn; a G7e with NICs of P6, which the plugin does not list.
TEST(AwsTuner, ReportsALatencyByInstance) {
  EXPECT_EQ(aws_latency({"nvlink-3.0", "pcie-4.0-x16", "efa-100g"}), Seconds{75e-6});
  EXPECT_EQ(aws_latency({"nvlink-4.0", "pcie-5.0-x16", "efa-100g"}), Seconds{75e-6});
  EXPECT_EQ(aws_latency({"nvlink-4.0", "pcie-5.0-x16", "efa-200g"}), Seconds{35e-6});
  EXPECT_EQ(aws_latency({"nvlink-5.0", "pcie-6.0-x16", "efa-400g"}), Seconds{35e-6});
  EXPECT_EQ(aws_latency({"nvlink-2.0", "pcie-3.0-x16", "efa-100g"}), Seconds{150e-6});
  EXPECT_EQ(aws_latency({"pcie-5.0-x16", "efa-400g"}), Seconds{75e-6});
  EXPECT_EQ(aws_latency({"nvlink-4.0", "infiniband-ndr-4x"}), Seconds{0});
}

TEST(AwsTuner, ComesWithLongBuffersOnP5AndLater) {
  EXPECT_TRUE(aws_sets_buffers({"nvlink-4.0", "pcie-5.0-x16", "efa-100g"}));
  EXPECT_TRUE(aws_sets_buffers({"nvlink-5.0", "pcie-6.0-x16", "efa-400g"}));
  EXPECT_FALSE(aws_sets_buffers({"nvlink-3.0", "pcie-4.0-x16", "efa-100g"}));
  EXPECT_FALSE(aws_sets_buffers({"nvlink-2.0", "pcie-3.0-x16", "efa-100g"}));
  EXPECT_FALSE(aws_sets_buffers({"pcie-5.0-x16", "efa-400g"}));
  EXPECT_FALSE(aws_sets_buffers({"nvlink-4.0", "infiniband-ndr-4x"}));
}

}  // namespace
}  // namespace ringcast
