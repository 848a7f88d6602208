#include "engine/training/gradient_buckets.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using Parameters = std::vector<std::uint64_t>;

/// "5-3:60" for layers 5 to 3 with 60 elements together.
std::string planned(const Parameters& parameters, const BucketRule& rule) {
  std::string text;
  for (const Bucket& bucket : plan_buckets(parameters, 4_B, rule)) {
    text += fmt::format("{}{}-{}:{}", text.empty() ? "" : " ", bucket.last_layer,
                        bucket.first_layer, bucket.elements);
  }
  return text;
}

TEST(GradientBuckets, FusionNeverExceedsTheSizeButForALargerLayer) {
  // Buckets of 40 bytes, 10 elements, last layer first: 3 + 7 fit, then 4 + 5 and no 2 more, 2, 11
  // alone, 1.
  EXPECT_EQ(planned({1, 11, 2, 5, 4, 7, 3}, {Bucketing::fusion, 40_B}),
            "6-5:10 4-3:9 2-2:2 1-1:11 0-0:1");
}

TEST(GradientBuckets, DdpClosesABucketThatHasReachedItsSize) {
  // The first of 8 bytes, 2 elements: 3 reach it. Then 10 elements: 7 + 4 reach them, 5 + 2 + 11
  // do.
  EXPECT_EQ(planned({1, 11, 2, 5, 4, 7, 3}, {Bucketing::ddp, 40_B, 8_B}),
            "6-6:3 5-4:11 3-1:18 0-0:1");
}

TEST(GradientBuckets, DdpClosesABucketOfExactlyItsSize) {
  EXPECT_EQ(planned({1, 10, 2}, {Bucketing::ddp, 40_B, 8_B}), "2-2:2 1-1:10 0-0:1");
  EXPECT_EQ(planned({1, 1}, {Bucketing::ddp, 4_B, 4_B}), "1-1:1 0-0:1");
}

TEST(GradientBuckets, PerLayerAndWholeTakeNoSize) {
  EXPECT_EQ(planned({1, 11, 2}, {Bucketing::per_layer, 0_B}), "2-2:2 1-1:11 0-0:1");
  EXPECT_EQ(planned({1, 11, 2}, {Bucketing::whole, 0_B}), "2-0:14");
}

TEST(GradientBuckets, LayersWithoutParametersDelayNoBucket) {
  EXPECT_EQ(planned({0, 5, 0, 3, 0}, {Bucketing::whole, 0_B}), "3-1:8");
  EXPECT_EQ(planned({0, 5, 0, 3, 0}, {Bucketing::per_layer, 0_B}), "3-3:3 1-1:5");
  EXPECT_EQ(planned({0, 0}, {Bucketing::fusion, 4_B}), "");
  EXPECT_EQ(planned({}, {Bucketing::whole, 0_B}), "");
}

TEST(GradientBuckets, ASizeOfOneElementMakesABucketOfEachLayer) {
  EXPECT_EQ(planned({2, 1, 1}, {Bucketing::fusion, 4_B}), "2-2:1 1-1:1 0-0:2");
}

TEST(GradientBuckets, RefusesABucketBelowOneElement) {
  EXPECT_THROW(static_cast<void>(planned({1}, {Bucketing::fusion, 3_B})), ContractViolation);
  EXPECT_THROW(static_cast<void>(planned({1}, {Bucketing::ddp, 8_B, 3_B})), ContractViolation);
  EXPECT_THROW(static_cast<void>(planned({1}, {Bucketing::ddp, 3_B, 8_B})), ContractViolation);
}

TEST(GradientBuckets, EveryRuleHasAName) {
  EXPECT_EQ(name_of(Bucketing::fusion), "fusion");
  EXPECT_EQ(name_of(Bucketing::whole), "whole");
}

}  // namespace
}  // namespace ringcast
