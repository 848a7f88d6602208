#include "topology/links/link_class.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ringcast {
namespace {

struct Expected {
  const char* name;
  double raw;         // GB/s
  double achievable;  // GB/s
};

/// `pcie-3.0-x16` as a name of a test: `pcie_3_0_x16`.
std::string test_name(const ::testing::TestParamInfo<Expected>& test) {
  std::string name = test.param.name;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

class LinkClassRates : public ::testing::TestWithParam<Expected> {};

TEST_P(LinkClassRates, FollowFromLanesLineRateAndSource) {
  const LinkClass* found = find_link_class(GetParam().name);

  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(found->raw.value() / 1e9, GetParam().raw, 1e-9 * GetParam().raw);
  EXPECT_NEAR(found->achievable.value() / 1e9, GetParam().achievable, 1e-9 * GetParam().achievable);
}

INSTANTIATE_TEST_SUITE_P(
    Pcie, LinkClassRates,
    ::testing::Values(Expected{"pcie-1.0-x16", 4.0, 3.0},  // 16 * 2.5 * 8/10 / 8
                      Expected{"pcie-2.0-x8", 4.0, 3.0},   // 8 * 5 * 8/10 / 8; NCCL 6.0 for x16
                      Expected{"pcie-3.0-x16", 16 * 8 * 128 / 130.0 / 8, 12.2},
                      Expected{"pcie-3.0-x4", 4 * 8 * 128 / 130.0 / 8, 12.2 / 4},
                      Expected{"pcie-4.0-x16", 32 * 128 / 130.0, 25.3},  // 16 lanes * 16 / 8 = 32
                      Expected{"pcie-5.0-x16", 64 * 128 / 130.0, 55},
                      Expected{"pcie-6.0-x16", 128 * 242 / 256.0, 96}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    InTheNode, LinkClassRates,
    ::testing::Values(Expected{"nvlink-1.0", 20, 18},           // 8 * 20 / 8
                      Expected{"nvlink-2.0", 25, 20},           // 8 * 25 / 8
                      Expected{"nvlink-3.0", 25, 235.0 / 12},   // 4 * 50 / 8
                      Expected{"nvlink-4.0", 25, 20.6},         // 2 * 100 / 8
                      Expected{"nvlink-5.0", 50, 40.1},         // 2 * 200 / 8
                      Expected{"nvlink-6.0", 50, 31.2},         // 36 links: 3.6 TB/s both ways
                      Expected{"nvlink-3.0-rtx", 14.0625, 12},  // 4 * 28.125 / 8
                      Expected{"nvlink-c2c", 450, 405},         // 0.9 of it
                      Expected{"xgmi-mi100", 46, 0.7 * 46},     // 276 of three, both ways
                      Expected{"xgmi-mi210", 50, 0.7 * 50},     // 300 of three, both ways
                      Expected{"xgmi-mi355x", 76.8, 0.7 * 76.8},
                      Expected{"qpi-6.4", 12.8, 4.8},  // 16 * 6.4 / 8; 6.0 * 6.4/8.0
                      Expected{"qpi-8.0", 16, 6},      // 16 * 8.0 / 8
                      Expected{"qpi-9.6", 19.2, 7.2},  // 16 * 9.6 / 8
                      Expected{"upi-10.4", 20.8, 10},  // 16 * 10.4 / 8
                      Expected{"upi-11.2", 22.4, 10 * 11.2 / 10.4},
                      Expected{"upi-16", 32, 22},                 // 16 * 16 / 8
                      Expected{"upi-20", 40, 40},                 // 16 * 20 / 8
                      Expected{"upi-24", 48, 40},                 // 16 * 24 / 8
                      Expected{"xgmi-2", 108, 0.7 * 108},         // 3 * 16 * 18 / 8
                      Expected{"xgmi-3", 192, 0.7 * 192},         // 3 * 16 * 32 / 8
                      Expected{"host-amd-zen3", 108, 0.7 * 108},  // as xgmi-2
                      Expected{"cnvlink", 100, 4 * 18.4},  // nvlink-4.0: (17.4 .. 19.6)^(1/5) of 25
                      Expected{"host-intel-broadwell", 6, 6}, Expected{"host-power9", 32, 32}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Network, LinkClassRates,
    ::testing::Values(Expected{"infiniband-sdr-4x", 1.0, 0.96},   // 4 * 2.5 * 8/10 / 8; * 12/12.5
                      Expected{"infiniband-ddr-1x", 0.5, 0.48},   // 5 * 8/10 / 8
                      Expected{"infiniband-qdr-4x", 4.0, 3.84},   // 4 * 10 * 8/10 / 8
                      Expected{"infiniband-fdr10-4x", 5.0, 4.8},  // 4 * 10.3125 * 64/66 / 8
                      Expected{"infiniband-fdr-4x", 56.25 * 64 / 66 / 8, 6.5},
                      Expected{"infiniband-fdr-1x", 14.0625 * 64 / 66 / 8, 6.5 / 4},
                      Expected{"infiniband-edr-4x", 12.5, 12},  // 4 * 25.78125 * 64/66 / 8
                      Expected{"infiniband-hdr-4x", 25, 24},    // 4 * 53.125 * 512/544 / 8
                      Expected{"infiniband-ndr-4x", 50, 48.5},  // 4 * 106.25 * 512/544 / 8
                      Expected{"infiniband-xdr-4x", 100, 96},   // 4 * 212.5 * 512/544 / 8; * 0.96
                      Expected{"ethernet-1g", 0.125, 0.125 * 1448 / 1538},
                      Expected{"ethernet-100g", 12.5, 12.5 * 1448 / 1538},
                      Expected{"ethernet-800g", 100, 100 * 1448.0 / 1538},
                      // 0.83 in steps of 0.05; 0.91 on both machines
                      Expected{"efa-100g", 12.5, 0.90 * 12.5},
                      Expected{"efa-50g", 6.25, 0.90 * 6.25}, Expected{"efa-400g", 50, 48},
                      Expected{"omni-path-400", 50, 48},  // * 12/12.5
                      Expected{"slingshot-11", 25, 0.90 * 25}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    ScaledFromTheTable, LinkClassRates,
    ::testing::Values(Expected{"ethernet-2.5g", 0.3125, 0.3125 * 1448 / 1538},  // 2.5 / 8
                      Expected{"ethernet-30g", 3.75, 3.75 * 1448 / 1538},
                      Expected{"ethernet-56g", 7, 7.0 * 1448 / 1538},
                      Expected{"pcie-3.0-x1", 8 * 128 / 130.0 / 8, 12.2 / 16},
                      Expected{"pcie-4.0-x2", 2 * 16 * 128 / 130.0 / 8, 25.3 / 8},
                      Expected{"upi-12.8", 25.6, 22 * 12.8 / 16},  // 16 * 12.8 / 8
                      Expected{"upi-14.4", 28.8, 22 * 14.4 / 16},  // 16 * 14.4 / 8
                      Expected{"qpi-4.8", 9.6, 6 * 4.8 / 8},
                      Expected{"qpi-7.2", 14.4, 6 * 7.2 / 8}),
    test_name);

TEST(LinkClasses, AchieveNoMoreThanTheirRawRate) {
  for (const LinkClass& link_class : link_classes()) {
    EXPECT_GT(link_class.achievable.value(), 0) << link_class.name;
    EXPECT_LE(link_class.achievable, link_class.raw) << link_class.name;
  }
}

TEST(LinkClasses, NameALatencyAndASourceForEachRow) {
  for (const LinkClass& link_class : link_classes()) {
    EXPECT_GT(link_class.latency.count(), 0) << link_class.name;
    const bool slow = link_class.name.starts_with("efa-") || link_class.name.starts_with("tcpx");
    EXPECT_LT(link_class.latency.count(), slow ? 30e-6 : 1e-6) << link_class.name;
    EXPECT_NE(link_class.source.find("latency:"), std::string::npos) << link_class.name;
  }
}

// RoCE v2 adds to each packet 20 bytes of preamble and gap, 18 of Ethernet, 20 of IP, 8 of UDP, 12
// of BTH and 4 of ICRC: 82.
TEST(LinkClasses, SayWhatRoceWouldReach) {
  const std::string shares =
      fmt::format("1024/1106 = {:.3f} with a path MTU of 1024 bytes, 4096/4178 = {:.3f} with 4096",
                  1024.0 / (1024 + 82), 4096.0 / (4096 + 82));

  EXPECT_NE(find_link_class("ethernet-400g")->source.find(shares), std::string::npos);
}

TEST(LinkClasses, NameTheUsualWidthOfInfiniBandFirst) {
  EXPECT_LT(find_link_class("infiniband-ndr-4x"), find_link_class("infiniband-ndr-2x"));
  EXPECT_LT(find_link_class("infiniband-ndr-2x"), find_link_class("infiniband-ndr-1x"));
}

TEST(LinkClasses, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const LinkClass& link_class : link_classes()) {
    EXPECT_TRUE(names.insert(link_class.name).second) << link_class.name;
  }

  // PCIe 6 * 3, NVLink 8, xGMI 7, socket links 11, hosts 12, InfiniBand 9 * 3, Ethernet 9, others
  // 10
  EXPECT_EQ(names.size(), 102U);
}

TEST(LinkClasses, TakeTheirLatencyFromDifferencesOfMeasuredPaths) {
  // GPU to GPU 0.36 us over two PCIe cables; 0.44 us with a socket link more.
  EXPECT_NEAR(find_link_class("pcie-5.0-x16")->latency.count(), 0.18e-6, 1e-15);
  EXPECT_NEAR(find_link_class("xgmi-3")->latency.count(), 0.08e-6, 1e-15);
  // Host to host 1.18 us over two PCIe and two network cables: (1.18 - 2 * 0.18) / 2 = 0.41.
  EXPECT_NEAR(find_link_class("infiniband-edr-4x")->latency.count(), 0.41e-6, 1e-15);
  // (20 - 2 x 0.18) / 2 us.
  EXPECT_NEAR(find_link_class("efa-100g")->latency.count(), 9.82e-6, 1e-15);
  // (29.4 - 2 x 0.18) / 2 us; without the one machine NCCL's 14 us.
  EXPECT_NEAR(find_link_class("tcpxo-200g")->latency.count(), 14.52e-6, 1e-15);
  // TCP sockets' 39 us, the geometric mean of 42.4, 45.4, 80.8 and 15.4: (39 - 2 x 0.18) / 2 us.
  EXPECT_NEAR(find_link_class("tcpx-200g")->latency.count(), 19.32e-6, 1e-15);
}

TEST(LinkClasses, KnowWhatPassesARootComplexWhereItWasMeasured) {
  for (const LinkClass& link_class : link_classes()) {
    EXPECT_LE(link_class.peer_achievable, link_class.achievable) << link_class.name;
    EXPECT_LE(link_class.kernel_achievable, link_class.achievable) << link_class.name;
  }
  EXPECT_EQ(find_link_class("pcie-3.0-x16")->peer_achievable, BytesPerSecond{8.8e9});
  EXPECT_EQ(find_link_class("pcie-4.0-x16")->peer_achievable, BytesPerSecond{20e9});
  EXPECT_NEAR(find_link_class("pcie-3.0-x8")->peer_achievable.value(), 4.4e9, 1);
  EXPECT_NEAR(find_link_class("pcie-5.0-x16")->peer_achievable.value(), 55e9 * 5 / 6, 1);
  // (20.6 x 20.4)^(1/2) GB/s, the second from eight MI100 with two rings: 8 GiB x 2 x 7/8 in 368.7
  // ms are 2 x 20.4 GB/s.
  EXPECT_EQ(find_link_class("xgmi-2")->peer_achievable, BytesPerSecond{20.5e9});
  EXPECT_EQ(find_link_class("host-amd-zen5")->peer_achievable, BytesPerSecond{24e9});
  // 0.65 of NCCL's 48 and 24 GB/s: (7.1/12 x 8.0/12 x 6.9/12 x 21/24 x 10.4/24 x 27.3/48 x 8.7/12
  // x 17.5/24)^(1/8) = 0.633, to the next 0.05.
  EXPECT_NEAR(find_link_class("pcie-5.0-x16")->kernel_achievable.value(), 31.2e9, 1);
  EXPECT_NEAR(find_link_class("pcie-4.0-x4")->kernel_achievable.value(), 15.6e9 / 4, 1);
}

// 0.55 of 12 GB/s for what kernels stage; also of a bandwidth of one's own. PCIe has no such share.
TEST(LinkClasses, KnowWhatStagedMessagesReachOfANetwork) {
  const LinkClass& edr = *find_link_class("infiniband-edr-4x");
  EXPECT_NEAR(edr.kernel_achievable.value(), 6.6e9, 1);
  EXPECT_NEAR(kernel_limit(edr, BytesPerSecond{10e9}).value(), 5.5e9, 1);
  EXPECT_EQ(kernel_limit(*find_link_class("pcie-3.0-x16"), BytesPerSecond{10e9}),
            BytesPerSecond{0});
}

// 0.55 of 48.5 GB/s would be 26.7, more than two channels move: (8.9 x 8.1 x 9.6 x 9.8 x 9.4 x
// 14.7)^(1/6) = 9.892 GB/s. Without the second machine (8.9 x 9.6 x 9.8 x 9.4 x 14.7)^(1/5) =
// 10.2960. A network of 10 GB/s is below that.
TEST(LinkClasses, KnowTheMostThatKernelsStageForANetwork) {
  const LinkClass& ndr = *find_link_class("infiniband-ndr-4x");
  EXPECT_NEAR(ndr.kernel_achievable.value(), 9.9e9, 1);
  EXPECT_NEAR(kernel_limit(ndr, BytesPerSecond{10e9}).value(), 5.5e9, 1);
  const std::vector<LinkClass> others = link_classes_without("2xl40s");
  EXPECT_NEAR(
      std::ranges::find(others, "infiniband-ndr-4x", &LinkClass::name)->kernel_achievable.value(),
      10.2960e9, 1e5);
}

// 11 GB/s are more than kernels on PCIe 4.0 move, 9.9; on PCIe 5.0 they are taken to move twice
// that.
TEST(LinkClasses, KnowThatKernelsOnNewerPcieStageFaster) {
  const LinkClass& ndr = *find_link_class("infiniband-ndr-4x");
  EXPECT_NEAR(kernel_limit(ndr, BytesPerSecond{5e9}, 4).value(), 5e9, 1);
  EXPECT_NEAR(kernel_limit(ndr, BytesPerSecond{11e9}, 4).value(), 9.9e9, 1);
  EXPECT_NEAR(kernel_limit(ndr, BytesPerSecond{11e9}, 5).value(), 11e9, 1);
  EXPECT_NEAR(kernel_limit(ndr, ndr.achievable, 5).value(), 19.8e9, 1);
}

// Kernels reach 0.65 of NCCL's rates of PCIe; without the sixth machine the mean of the others,
// (7.1/12 x 8.0/12 x 6.9/12 x 21/24 x 10.4/24 x 8.7/12 x 17.5/24)^(1/7) = 0.64304; (18.7
// x 18.0)^(1/2) = 18.347. EFA is known from three machines: (0.85 x 0.99)^(1/2) = 0.91733 without
// the first; the latency of late EFA from one, without which that of all EFA remains.
TEST(LinkClasses, CanLeaveTheMeasurementsOfASetOut) {
  const auto found = [](const char* name, const char* set) {
    const std::vector<LinkClass> classes = link_classes_without(set);
    return *std::ranges::find(classes, name, &LinkClass::name);
  };
  EXPECT_NEAR(found("pcie-3.0-x16", "another").kernel_achievable.value(), 7.8e9, 1);
  EXPECT_NEAR(found("pcie-5.0-x16", "4x5090").kernel_achievable.value(), 0.64304 * 48e9, 1e6);
  EXPECT_NEAR(found("nvlink-3.0", "4xa100-polaris").direct_achievable.value(), 18.347e9, 1e6);
  EXPECT_NEAR(found("efa-100g", "2xp4de").achievable.value(), 0.91733 * 12.5e9, 1e5);
  EXPECT_EQ(found("efa-400g", "2x8b200-efa").latency, found("efa-100g", "another").latency);
}

// 0.9 of 8 lanes of 25 Gb/s; (17.3 x 18.7 x 18.0)^(1/3) = 17.99 of three machines;
// (17.4 x 17.5 x 18.8 x 18.9 x 19.6)^(1/5) = 18.42 of five; NCCL's constants for later generations.
TEST(LinkClasses, KnowNvlinksWithoutASwitch) {
  EXPECT_NEAR(find_link_class("nvlink-2.0")->direct_achievable.value(), 22.5e9, 1);
  EXPECT_NEAR(find_link_class("nvlink-3.0")->direct_achievable.value(), 18e9, 1);
  EXPECT_NEAR(find_link_class("nvlink-4.0")->direct_achievable.value(), 18.4e9, 1);
  EXPECT_NEAR(find_link_class("nvlink-5.0")->direct_achievable.value(), 40.1e9, 1);
  EXPECT_EQ(find_link_class("pcie-5.0-x16")->direct_achievable, BytesPerSecond{0});
}

TEST(LinkClasses, FindNothingUnderAnUnknownName) {
  EXPECT_EQ(find_link_class("pcie-3.0-x32"), nullptr);
  EXPECT_EQ(find_link_class(""), nullptr);
  for (const char* name :
       {"ethernet-", "ethernet-g", "ethernet-2g", "ethernet-030g", "ethernet-3e1g", "ethernet-801g",
        "ethernet-30", "ethernet--30g", "ethernet-nang", "pcie-7.0-x1", "pcie-x1", "pcie-3.0-x11",
        "upi-13.6", "qpi-8"}) {
    EXPECT_EQ(find_link_class(name), nullptr) << name;
  }
}

// 30 of 100 Gb/s of Ethernet; staged by kernels 0.55 of 3.75 x 1448/1538 GB/s. A lane of PCIe 3.0
// has a sixteenth of the peers' 8.8 GB/s.
TEST(LinkClasses, AreScaledWithAllTheirLimits) {
  const LinkClass& ethernet = *find_link_class("ethernet-30g");
  EXPECT_TRUE(ethernet.is_network);
  EXPECT_EQ(ethernet.latency, find_link_class("ethernet-100g")->latency);
  EXPECT_NEAR(ethernet.kernel_achievable.value(), 0.55e9 * 3.75 * 1448 / 1538, 1);
  EXPECT_TRUE(ethernet.source.ends_with("; scaled from ethernet-100g"));
  EXPECT_EQ(find_link_class("ethernet-30g"), &ethernet);
  EXPECT_NEAR(find_link_class("pcie-3.0-x1")->peer_achievable.value(), 0.55e9, 1);
}

// Without the sixth machine kernels reach 0.64304 of NCCL's 48 GB/s of PCIe 5.0.
TEST(LinkClasses, AreScaledFromATableThatLeavesASetOut) {
  const std::vector<LinkClass> table = link_classes_without("4x5090");
  EXPECT_NEAR(link_class_in(table, "pcie-5.0-x16", "4x5090").kernel_achievable.value(),
              0.64304 * 48e9, 1e6);
  EXPECT_NEAR(link_class_in(table, "pcie-5.0-x2", "4x5090").kernel_achievable.value(),
              0.64304 * 6e9, 1e6);
  EXPECT_ANY_THROW(static_cast<void>(link_class_in(table, "pcie-9.0-x2", "4x5090")));
}

TEST(LinkClasses, KnowGenerationsByNames) {
  EXPECT_EQ(pcie_generation("pcie-4.0-x16"), 4);
  EXPECT_EQ(pcie_generation("nvlink-4.0"), std::nullopt);
  EXPECT_EQ(nvlink_generation("nvlink-4.0"), 4);
  EXPECT_EQ(nvlink_generation("nvlink-3.0-rtx"), 3);
  EXPECT_EQ(nvlink_generation("nvlink-c2c"), std::nullopt);
  EXPECT_EQ(nvlink_generation("pcie-4.0-x16"), std::nullopt);
}

}  // namespace
}  // namespace ringcast
