#include "topology/import/host_hardware.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringcast {
namespace {

using testing::ElementsAre;

HardwareDevice nic_named(const std::string& name, BytesPerSecond rate) {
  HardwareDevice made{VertexKind::nic, "of-" + name, name, "", BytesPerSecond{0}};
  made.port_rate = rate;
  made.rdma = true;
  return made;
}

HostHardware host_with_nics(std::vector<HardwareDevice> nics) {
  HostHardware host;
  host.sockets.push_back({"", "", 0, 0, Bytes{}, {{std::move(nics)}}});
  return host;
}

std::vector<std::string> nic_names(const HostHardware& host) {
  std::vector<std::string> names;
  for_each_device_of(host, [&](const HardwareDevice& device) { names.push_back(device.name); });
  return names;
}

TEST(ChooseNics, KeepsASlowerOneOfAtLeastHalfTheRate) {
  HostHardware host = host_with_nics({nic_named("a", 340_Gbps), nic_named("b", 360_Gbps),
                                      nic_named("c", 180_Gbps), nic_named("d", 360_Gbps)});

  choose_nics(host);

  EXPECT_THAT(nic_names(host), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(host.remarks, ElementsAre("NIC of-a a: 340 Gb/s where b has 360 Gb/s",
                                        "NIC of-c c: 180 Gb/s where b has 360 Gb/s"));
}

TEST(ChooseNics, LeavesOutThoseForManagement) {
  HostHardware host =
      host_with_nics({nic_named("m", 25_Gbps), nic_named("a", 400_Gbps), nic_named("u", {}),
                      nic_named("s", 199_Gbps), nic_named("b", 400_Gbps)});

  choose_nics(host);

  EXPECT_THAT(nic_names(host), ElementsAre("a", "b"));
  EXPECT_THAT(host.remarks,
              ElementsAre("NIC of-m m: left out, a is faster", "NIC of-u u: left out, a is faster",
                          "NIC of-s s: left out, a is faster"));
}

// A fast port without RDMA is no measure for those with it.
TEST(ChooseNics, ComparesRatesOfTheBestKind) {
  HardwareDevice fast = nic_named("fast", 400_Gbps);
  fast.rdma = false;
  HostHardware host = host_with_nics({fast, nic_named("a", 100_Gbps), nic_named("b", 100_Gbps)});

  choose_nics(host);

  EXPECT_THAT(nic_names(host), ElementsAre("a", "b"));
  EXPECT_THAT(host.remarks,
              ElementsAre("NIC of-fast fast: left out, a is preferred, as it has RDMA"));
}

TEST(ChooseNics, KeepsAllWhereNoRateIsKnown) {
  HostHardware host = host_with_nics({nic_named("a", {}), nic_named("b", {})});

  choose_nics(host);

  EXPECT_EQ(count_of(VertexKind::nic, host), 2);
  EXPECT_TRUE(host.remarks.empty());
}

}  // namespace
}  // namespace ringcast
