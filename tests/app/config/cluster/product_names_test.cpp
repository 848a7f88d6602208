#include <gtest/gtest.h>

#include "app/config/cluster/link_names.hpp"
#include "tests/app/config/cluster/expect_clear.hpp"

namespace ringcast {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;
using Names = std::vector<std::string>;

TEST(ProductNames, OfEthernetWithARateAreItsClass) {
  expect_clear({{"Pollara 400", "ethernet-400g"},
                {"AMD Pensando Pollara 400 AI NIC", "ethernet-400g"},
                {"Broadcom 400G", "ethernet-400g"},
                {"Broadcom Thor2 400GbE", "ethernet-400g"},
                {"Thor 2 200G", "ethernet-200g"},
                {"Spectrum-X 400G", "ethernet-400g"},
                {"Spectrum-4 400GbE", "ethernet-400g"},
                {"eRDMA 100G", "ethernet-100g"},
                {"gVNIC 100G", "ethernet-100g"},
                {"ENA 100G", "ethernet-100g"}});
  for (const std::string_view name : {"gVNIC", "eRDMA", "Spectrum-X", "Pollara", "Broadcom"}) {
    EXPECT_FALSE(link_names(name).is_clear()) << name;
    EXPECT_EQ(link_names(name).classes.front(), "ethernet-1g") << name;
  }
  EXPECT_TRUE(link_names("Jetson Thor").classes.empty());
  EXPECT_EQ(link_names("Broadcom PCIe 4.0 x16").classes.front(), "pcie-1.0-x4");
}

TEST(ProductNames, BesideANetworkSayNothing) {
  expect_clear({{"Quantum HDR", "infiniband-hdr-4x"},
                {"Spectrum XDR", "infiniband-xdr-4x"},
                {"Broadcom TCPX", "tcpx-200g"}});
}

TEST(ProductNames, OfANicWithSeveralRatesAreNoLink) {
  const LinkNames thor = link_names("Broadcom Thor2");
  EXPECT_EQ(thor.what, "a NIC");
  EXPECT_EQ(thor.classes, (Names{"ethernet-400g", "ethernet-200g"}));
  const LinkNames roce = link_names("ConnectX-7 RoCE");
  EXPECT_EQ(roce.what, "a NIC");
  EXPECT_EQ(roce.classes, Names{"ethernet-400g"});
  EXPECT_EQ(link_names("ConnectX-7 GbE").what, "a NIC");
}

TEST(ProductNames, OfInfinibandSwitchesAreTheirGeneration) {
  expect_clear({{"Quantum-2", "infiniband-ndr-4x"},
                {"Quantum-2 NDR200", "infiniband-ndr-2x"},
                {"Quantum-X800", "infiniband-xdr-4x"},
                {"Quantum 200G", "infiniband-hdr-4x"}});
  EXPECT_EQ(link_names("Quantum").classes.front(), "infiniband-xdr-4x");
  EXPECT_EQ(link_names("2x Quantum-2").count, 2);
}

TEST(ProductNames, OfOtherFabricsAreTheirClass) {
  expect_clear({{"SS11", "slingshot-11"},
                {"SS-10", "slingshot-10"},
                {"Slingshot SS11", "slingshot-11"},
                {"CN5000", "omni-path-400"},
                {"Cornelis CN5000 400G", "omni-path-400"},
                {"Omni-Path 400", "omni-path-400"},
                {"OPA 400G", "omni-path-400"},
                {"Cornelis 100G", "omni-path-100"}});
  EXPECT_FALSE(link_names("Cornelis").is_clear());
  EXPECT_EQ(link_names("CN5000 200G").what, "of another rate");
}

TEST(ProductNames, OfEthernetMayHaveAnyRate) {
  expect_clear({{"2.5GbE", "ethernet-2.5g"},
                {"5GbE", "ethernet-5g"},
                {"20GbE", "ethernet-20g"},
                {"56GbE", "ethernet-56g"},
                {"30GbE", "ethernet-30g"},
                {"16Gb/s Ethernet", "ethernet-16g"},
                {"32Gb/s Ethernet", "ethernet-32g"},
                {"RoCE v2 300G", "ethernet-300g"},
                {"GigE", "ethernet-1g"},
                {"Gigabit Ethernet", "ethernet-1g"},
                {"GbE", "ethernet-1g"}});
  EXPECT_FALSE(link_names("Ethernet 30").is_clear());  // of what unit?
  EXPECT_FALSE(link_names("4 GbE").is_clear());        // four ports?
  EXPECT_FALSE(link_names("1600GbE").is_clear());
  EXPECT_EQ(link_names("dual GigE").classes, Names{"ethernet-1g"});
  EXPECT_EQ(link_names("2x 30GbE").what, "2 NICs");
}

TEST(ProductNames, OfProtocolsAreNoLinks) {
  const LinkNames tcp = link_names("TCP 10G");
  EXPECT_EQ(tcp.what, "a protocol");
  EXPECT_EQ(tcp.classes, Names{"ethernet-10g"});
  EXPECT_EQ(tcp.remark, "with --transport nccl-sockets");
  const LinkNames ipoib = link_names("IPoIB 100G");
  EXPECT_EQ(ipoib.what, "TCP over InfiniBand");
  EXPECT_EQ(ipoib.classes, Names{"infiniband-edr-4x"});
}

TEST(ProductNames, OfPcieMayLackItsName) {
  expect_clear({{"Gen4 x16", "pcie-4.0-x16"},
                {"gen5x16", "pcie-5.0-x16"},
                {"x16 Gen3", "pcie-3.0-x16"},
                {"PCIe 16 GT/s x16", "pcie-4.0-x16"},
                {"16 GT/s x16", "pcie-4.0-x16"},
                {"PCIe Gen4 16 GT/s x8", "pcie-4.0-x8"},
                {"PCIe 2.5GT/s x1", "pcie-1.0-x1"},
                {"PCIe 3.0 x1", "pcie-3.0-x1"},
                {"OCuLink PCIe 4.0 x4", "pcie-4.0-x4"}});
  for (const std::string_view name : {"Gen4", "Gen4 DDR x16", "PCIe Gen3 16 GT/s x8",
                                      "PCIe 7 GT/s x16", "PCIe 16 GT/s", "PCIe 7 x16 GT/s"}) {
    EXPECT_FALSE(link_names(name).is_clear()) << name;
  }
  EXPECT_EQ(link_names("Thunderbolt 3").classes, Names{"pcie-3.0-x4"});
  EXPECT_EQ(link_names("Thunderbolt 3").what, "a tunnel of PCIe");
  EXPECT_EQ(link_names("OCuLink").what, "a cable of PCIe");
}

TEST(ProductNames, OfSeveralLinksBetweenSocketsAreNone) {
  for (const std::string_view name : {"3x UPI", "4x xGMI", "2x UPI 16"}) {
    EXPECT_FALSE(link_names(name).is_clear()) << name;
    EXPECT_NE(link_names(name).what, "") << name;
    EXPECT_EQ(link_names(name).count, 1) << name;  // of NICs
  }
  EXPECT_EQ(link_names("4x xGMI").classes, (Names{"xgmi-2", "xgmi-3"}));
  EXPECT_EQ(link_names("xgmi-4").classes, (Names{"xgmi-3", "xgmi-2"}));
  EXPECT_EQ(link_names("nvlink-7.0").classes.front(), "nvlink-6.0");
  expect_clear({{"UPI-14.4", "upi-14.4"}, {"X-Bus", "host-power9"}});
}

TEST(ProductNames, OfProcessorsAreWhatJoinsThem) {
  expect_clear({{"aarch64", "host-arm"},
                {"Kunpeng 920", "host-arm"},
                {"Phytium S2500", "host-arm"},
                {"Vera", "cnvlink"},
                {"Hygon 7185", "host-amd-zen2"},
                {"Trento", "host-amd-zen3"},
                {"EPYC 7A53", "host-amd-zen3"},
                {"Zhaoxin KH-40000", "host-zhaoxin-yongfeng"},
                {"KH-30000", "host-zhaoxin"},
                {"W-3375", "host-intel-skylake"},
                {"w9-3495X", "host-intel-sapphire-rapids"},
                {"w9-3595X", "host-intel-sapphire-rapids"},
                {"Xeon 6530P", "host-intel-sapphire-rapids"},
                {"6515P", "host-intel-sapphire-rapids"},
                {"Xeon 6972P", "host-intel-sapphire-rapids"},
                {"Xeon Gold 6530", "host-intel-emerald-rapids"},
                {"6548Y+", "host-intel-emerald-rapids"},
                {"SapphireRapids", "host-intel-sapphire-rapids"},
                {"EmeraldRapids", "host-intel-emerald-rapids"},
                {"GraniteRapids", "host-intel-sapphire-rapids"},
                {"IceLake", "host-intel-skylake"},
                {"CascadeLake-SP", "host-intel-skylake"},
                {"8358", "host-intel-skylake"},
                {"8480+", "host-intel-sapphire-rapids"},
                {"6248R", "host-intel-skylake"},
                {"9654P", "host-amd-zen4"},
                {"9575F", "host-amd-zen5"},
                {"7742", "host-amd-zen2"}});
  // 8124 is a Xeon and an EPYC, 3200 a rate, 7950X a Ryzen, A6000 a GPU.
  for (const std::string_view name :
       {"8124", "3200", "7950X", "A6000", "2650", "12345", "83.58", "7742 GB"}) {
    EXPECT_FALSE(link_names(name).is_clear()) << name;
  }
  EXPECT_EQ(link_names("Zhaoxin").classes, (Names{"host-zhaoxin", "host-zhaoxin-yongfeng"}));
  for (const std::string_view name : {"MI300A", "W7900", "RX 7900 XTX"})
    EXPECT_EQ(link_names(name).what, "a GPU") << name;
}

TEST(CpuVendor, IsThatOfOtherProcessorsToo) {
  for (const auto& [text, vendor] : {Pair{"aarch64", "arm"},
                                     {"Phytium", "arm"},
                                     {"Kunpeng 920", "arm"},
                                     {"Vera", "arm"},
                                     {"Hygon", "amd"},
                                     {"MI300A", "amd"},
                                     {"Trento", "amd"},
                                     {"Zhaoxin", "zhaoxin"},
                                     {"KH-40000", "zhaoxin"},
                                     {"W-2295", "intel"},
                                     {"8358", "intel"},
                                     {"9654", "amd"},
                                     {"X-Bus", ""},
                                     {"8124", ""}}) {
    EXPECT_EQ(cpu_vendor(text), vendor) << text;
  }
}

}  // namespace
}  // namespace ringcast
