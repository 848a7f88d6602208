#include "topology/import/hardware_links.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "tests/app/temporary_folder.hpp"
#include "topology/import/system_rates.hpp"

namespace ringcast {
namespace {

HardwareDevice nic(double gigabits, bool infiniband, double link_gigabytes = 0) {
  HardwareDevice some;
  some.kind = VertexKind::nic;
  some.port_rate = BytesPerSecond{gigabits * 1e9 / 8};
  some.infiniband = infiniband;
  some.link = BytesPerSecond{link_gigabytes * 1e9};
  return some;
}

// hwloc counts lanes x line rate x code: 16 x 8 GT/s x 128/130 / 8 = 15.754 GB/s.
TEST(HardwareLinks, NamePcieByRate) {
  EXPECT_EQ(pcie_link(BytesPerSecond{15.753846e9}).link_class, "pcie-3.0-x16");
  EXPECT_EQ(pcie_link(BytesPerSecond{7.876923e9}).link_class, "pcie-3.0-x8");
  EXPECT_EQ(pcie_link(BytesPerSecond{3.938462e9}).link_class, "pcie-3.0-x4");
  EXPECT_EQ(pcie_link(BytesPerSecond{4e9}).link_class, "pcie-1.0-x16");
  EXPECT_EQ(pcie_link(BytesPerSecond{31.507692e9}).link_class, "pcie-4.0-x16");
  EXPECT_EQ(pcie_link(BytesPerSecond{31e9}).link_class, "pcie-4.0-x16");
  EXPECT_EQ(pcie_link(BytesPerSecond{63.015385e9}).link_class, "pcie-5.0-x16");
  EXPECT_FALSE(pcie_link(BytesPerSecond{15.753846e9}).assumed);
  EXPECT_TRUE(pcie_link(BytesPerSecond{0}).assumed);
}

// Two lanes of 3.0 carry 1.969 of the 2 GB/s of 1.0-x8, the next faster class; so they reach as
// much of its 1.5 GB/s.
TEST(HardwareLinks, ScaleWhatIsNoClass) {
  const LinkChoice two_lanes = pcie_link(BytesPerSecond{1.969231e9});

  EXPECT_EQ(two_lanes.link_class, "pcie-1.0-x8");
  EXPECT_NEAR(two_lanes.bandwidth.value(), 1.5e9 * 1.969231 / 2, 1);
}

TEST(HardwareLinks, NameNetworksByTheRateAsSold) {
  EXPECT_EQ(network_link(nic(56, true)).link_class, "infiniband-fdr-4x");
  EXPECT_EQ(network_link(nic(200, true)).link_class, "infiniband-hdr-4x");
  EXPECT_EQ(network_link(nic(25, false)).link_class, "ethernet-25g");
  EXPECT_FALSE(network_link(nic(25, false)).assumed);
  // 2.5 of 10 Gb/s, of which 1448/1538 is payload.
  const LinkChoice odd = network_link(nic(2.5, false));
  EXPECT_EQ(odd.link_class, "ethernet-10g");
  EXPECT_NEAR(odd.bandwidth.value(), 2.5e9 / 8 * 1448 / 1538, 1);
}

TEST(HardwareLinks, AssumeOfANetworkWhatItsPcieLinkCanFeed) {
  EXPECT_EQ(network_link(nic(0, true, 15.75)).link_class, "infiniband-edr-4x");
  EXPECT_EQ(network_link(nic(0, true, 7.88)).link_class, "infiniband-fdr-4x");
  EXPECT_EQ(network_link(nic(0, false, 2.0)).link_class, "ethernet-10g");
  EXPECT_EQ(network_link(nic(0, true)).link_class, "infiniband-edr-4x");
  EXPECT_TRUE(network_link(nic(0, true, 15.75)).assumed);
}

// 150 GB/s of an A100's neighbour: six links of 25.
TEST(HardwareLinks, CountNvlinks) {
  EXPECT_EQ(nvlink(150_GBps, "NVIDIA A100-SXM4-40GB").links, 6);
  EXPECT_EQ(nvlink(150_GBps, "NVIDIA A100-SXM4-40GB").link.link_class, "nvlink-3.0");
  EXPECT_EQ(nvlink(40_GBps, "Tesla P100-SXM2-16GB").links, 2);
  EXPECT_TRUE(nvlink(50_GBps, "").link.assumed);
  // 56.25 GB/s of a bridge of GA102: four links of 14.06.
  const NvlinkChoice bridge = nvlink(BytesPerSecond{56.25e9}, "NVIDIA GeForce RTX 3090");
  EXPECT_EQ(bridge.links, 4);
  EXPECT_EQ(bridge.link.link_class, "nvlink-3.0-rtx");
}

// QDR uses 3.84 GB/s of its 32 Gb/s, PCIe 1.0 with 16 lanes 3 of its 4 GB/s.
TEST(HardwareLinks, FeedAPortByTheFirstGenerationThatCan) {
  EXPECT_EQ(pcie_link(pcie_rate_for("infiniband-ddr-4x")).link_class, "pcie-1.0-x16");
  EXPECT_EQ(pcie_link(pcie_rate_for("infiniband-qdr-4x")).link_class, "pcie-2.0-x16");
  EXPECT_EQ(pcie_link(pcie_rate_for("infiniband-hdr-4x")).link_class, "pcie-4.0-x16");
  EXPECT_EQ(pcie_link(pcie_rate_for("infiniband-ndr-4x")).link_class, "pcie-5.0-x16");
  EXPECT_EQ(pcie_link(pcie_rate_for("infiniband-xdr-4x")).link_class, "pcie-6.0-x16");
}

TEST(HardwareLinks, KnowSocketsByCpu) {
  EXPECT_EQ(socket_link_class({"GenuineIntel", "6", "79", "", ""}), "host-intel-broadwell");
  EXPECT_EQ(socket_link_class({"GenuineIntel", "6", "143", "", ""}), "host-intel-sapphire-rapids");
  EXPECT_EQ(socket_link_class({"AuthenticAMD", "25", "17", "", ""}), "host-amd-zen4");
  for (const auto& [name, link_class] :
       {std::pair{"AMD EPYC 9755 128-Core Processor", "host-amd-zen5"},
        {"AMD EPYC 75F3 32-Core Processor", "host-amd-zen3"},
        {"AMD EPYC-Rome Processor", ""},
        {"AMD EPYC", ""}}) {
    EXPECT_EQ(socket_link_class({"AuthenticAMD", "", "", name, ""}), link_class) << name;
  }
  EXPECT_EQ(socket_link_class({"", "", "", "POWER9, altivec supported", "ppc64le"}), "host-power9");
  EXPECT_EQ(socket_link_class({"", "", "", "POWER8NVL, altivec supported", ""}), "host-power9");
  EXPECT_EQ(socket_link_class({"", "", "", "", "ppc64"}), "host-power9");
  EXPECT_EQ(socket_link_class({"", "", "", "Xeon", "x86_64"}), "");
}

// Intel ARK: Ice Lake, the latest Xeon before Sapphire Rapids, has PCIe 4.0. NCCL has the bandwidth
// of Skylake for it.
TEST(HardwareLinks, AssumeSocketsByTheirPcie) {
  for (const auto& [rate, link_class] : {std::pair{15.75, "host-intel-skylake"},
                                         {31.5, "host-intel-skylake"},
                                         {63.0, "host-intel-sapphire-rapids"}}) {
    HostHardware host;
    host.sockets.resize(2);
    HardwareDevice gpu;
    gpu.link = BytesPerSecond{1e9 * rate};
    host.sockets[1].root_complexes = {{{gpu}}};
    EXPECT_TRUE(socket_link(host).assumed);
    EXPECT_EQ(socket_link(host).link_class, link_class) << rate;
  }
}

TEST(SystemRates, ReadWhatLinuxSays) {
  const TemporaryFolder sys;
  const std::string gpu = "bus/pci/devices/0000:04:00.0/";
  sys.write(gpu + "max_link_speed", "16.0 GT/s PCIe\n");
  sys.write(gpu + "max_link_width", "16\n");
  sys.write("bus/pci/devices/0000:05:00.0/max_link_speed", "Unknown\n");
  sys.write("bus/pci/devices/0000:05:00.0/max_link_width", "255\n");
  sys.write("bus/pci/devices/0000:05:00.1/physfn/vendor", "0x15b3\n");
  sys.write("class/net/eth0/speed", "25000\n");
  sys.write("class/net/eth0/operstate", "up\n");
  sys.write("class/net/eth1/speed", "-1\n");
  sys.write("class/net/eth1/operstate", "down\n");
  sys.write("class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n");
  const SystemRates rates{sys / ""};

  // 16 x 16 GT/s x 128/130 / 8
  EXPECT_NEAR(rates.pcie_link("0000:04:00.0").value(), 31.507692e9, 1e3);
  EXPECT_EQ(rates.pcie_link("0000:05:00.0"), BytesPerSecond{0});
  EXPECT_EQ(rates.pcie_link("0000:06:00.0"), BytesPerSecond{0});
  EXPECT_FALSE(rates.is_virtual_function("0000:05:00.0"));
  EXPECT_TRUE(rates.is_virtual_function("0000:05:00.1"));
  EXPECT_EQ(rates.interface_rate("eth0"), 25_Gbps);
  EXPECT_FALSE(rates.interface_down("eth0"));
  EXPECT_EQ(rates.interface_rate("eth1"), BytesPerSecond{0});
  EXPECT_TRUE(rates.interface_down("eth1"));
  EXPECT_EQ(rates.rdma_rate("mlx5_0"), 100_Gbps);
  EXPECT_EQ(rates.rdma_rate("mlx5_7"), BytesPerSecond{0});
}

TEST(HardwareLinks, ADeviceMayHaveAClassOfItsOwn) {
  HardwareDevice gpu;
  gpu.link = BytesPerSecond{447.12e9};  // Grace Hopper, as NCCL has it: within 1 % of 450
  gpu.link_class = "nvlink-c2c";
  EXPECT_EQ(device_link(gpu, "NCCL").link_class, "nvlink-c2c");
  EXPECT_EQ(device_link(gpu, "NCCL").bandwidth.value(), 0);
  gpu.link = BytesPerSecond{345e9};  // of 450 GB/s that achieve 405
  EXPECT_NEAR(device_link(gpu, "NCCL").bandwidth.value(), 345e9 * 0.9, 1);
}

}  // namespace
}  // namespace ringcast
