#include "topology/nccl/aws_tuner.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

std::string choice_of(AwsInstance instance, int ranks, Bytes size) {
  return std::string{aws_choice(instance, ranks / 8, ranks, size).value_or("NCCL's own")};
}

// Two P5 take LL128 from the smallest size to 30 MiB, then sums in switches.
TEST(AwsTuner, HasALimitForTwoInstances) {
  EXPECT_EQ(choice_of(AwsInstance::p5, 16, 8_B), "tree/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p5, 16, 30_MiB), "tree/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p5, 16, 30_MiB + 1_B), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p5, 16, 64_GiB), "in-switch/Simple");
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
  EXPECT_EQ(choice_of(AwsInstance::p5en, 16, 12_MiB), "tree/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p5en, 32, 280_MiB), "ring/LL128");
  // (32, 486 MiB) to (256, 7168 MiB): 3349.7 MiB for 128 ranks.
  EXPECT_EQ(choice_of(AwsInstance::p5en, 128, 3349_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p5en, 128, 3350_MiB), "ring/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p6_b200, 16, 384_KiB), "tree/LL");
  EXPECT_EQ(choice_of(AwsInstance::p6_b200, 64, 40_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p6_b200, 64, 64_MiB), "ring/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p6_b200, 64, 128_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p6_b200, 64, 1024_MiB), "ring/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 16, 704_KiB), "tree/LL");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 16, 30_MiB), "tree/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 16, 60_MiB), "ring/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 16, 61_MiB), "in-switch/Simple");
  // Rings begin at 352 MiB for 128 ranks, at 104 for 64: at 228 for 96.
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 96, 228_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 96, 229_MiB), "ring/LL128");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 128, 961_MiB), "in-switch/Simple");
  EXPECT_EQ(choice_of(AwsInstance::p6_b300, 256, 9217_MiB), "ring/Simple");
}

TEST(AwsTuner, LeavesOtherJobsToNccl) {
  EXPECT_FALSE(aws_choice(AwsInstance::p5, 1, 8, 1_KiB));
  EXPECT_FALSE(aws_choice(AwsInstance::p5, 2, 8, 1_KiB));
  EXPECT_FALSE(aws_choice(AwsInstance::p5, 2, 2, 1_KiB));
}

}  // namespace
}  // namespace ringcast
