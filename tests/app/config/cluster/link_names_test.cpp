#include "app/config/cluster/link_names.hpp"

#include <gtest/gtest.h>

#include "tests/app/config/cluster/expect_clear.hpp"

namespace ringcast {
namespace {

struct Named {
  std::string_view text;
  std::vector<std::string> classes;
};

void expect_unclear(std::initializer_list<Named> names) {
  for (const auto& [text, classes] : names) {
    const LinkNames found = link_names(text);
    EXPECT_FALSE(found.is_clear()) << text;
    EXPECT_EQ(found.classes, classes) << text;
    for (const std::string& name : found.classes)
      EXPECT_NE(find_link_class(name), nullptr) << text << ": " << name;
  }
}

TEST(LinkNames, OfPcieSayGenerationAndLanes) {
  expect_clear({{"PCIe Gen5 x16", "pcie-5.0-x16"},
                {"PCIe 4.0 x16", "pcie-4.0-x16"},
                {"PCI Express 3.0 x8", "pcie-3.0-x8"},
                {"pcie4-x16", "pcie-4.0-x16"},
                {"PCIe x16 Gen3", "pcie-3.0-x16"},
                {"PCIe_Gen_4_x16", "pcie-4.0-x16"},
                {"pcie-5-x16", "pcie-5.0-x16"},
                {"PCIe5.0x16", "pcie-5.0-x16"},
                {"pcie-gen6-x16", "pcie-6.0-x16"},
                {"16x PCIe 4.0", "pcie-4.0-x16"}});
  expect_unclear({{"PCIe Gen4", {"pcie-4.0-x16", "pcie-4.0-x8", "pcie-4.0-x4"}},
                  {"PCIe 4.0 x32", {"pcie-4.0-x16", "pcie-4.0-x8", "pcie-4.0-x4"}}});
  EXPECT_FALSE(link_names("PCIe 4.01 x16").is_clear());
}

TEST(LinkNames, OfNvlinkSayTheGeneration) {
  expect_clear({{"NVLink4", "nvlink-4.0"},
                {"NVLink 3.0", "nvlink-3.0"},
                {"nvlink-gen5", "nvlink-5.0"},
                {"NVLink-v2", "nvlink-2.0"},
                {"4th gen NVLink", "nvlink-4.0"},
                {"NVLink-C2C", "nvlink-c2c"},
                {"C2C", "nvlink-c2c"}});
  expect_unclear({{"NVLink bridge", {"nvlink-3.0-rtx", "nvlink-4.0", "nvlink-2.0"}}});
  EXPECT_FALSE(link_names("NVLink").is_clear());
  EXPECT_FALSE(link_names("RTX 2080 Ti NVLink").is_clear());
  EXPECT_EQ(link_names("NV18").classes.front(), "nvlink-1.0");
  EXPECT_FALSE(link_names("NVLink 900 GB/s").is_clear());
}

TEST(LinkNames, OfInfinibandSayGenerationAndRate) {
  expect_clear({{"NDR400", "infiniband-ndr-4x"},
                {"NDR", "infiniband-ndr-4x"},
                {"NDR200", "infiniband-ndr-2x"},
                {"HDR100", "infiniband-hdr-2x"},
                {"HDR-200", "infiniband-hdr-4x"},
                {"InfiniBand HDR", "infiniband-hdr-4x"},
                {"IB EDR 4x", "infiniband-edr-4x"},
                {"EDR 100 Gb/s", "infiniband-edr-4x"},
                {"FDR", "infiniband-fdr-4x"},
                {"FDR 56G InfiniBand", "infiniband-fdr-4x"},
                {"FDR10", "infiniband-fdr10-4x"},
                {"QDR 40Gb", "infiniband-qdr-4x"},
                {"XDR800", "infiniband-xdr-4x"},
                {"infiniband-ndr", "infiniband-ndr-4x"},
                {"ndr infiniband 400Gbps", "infiniband-ndr-4x"},
                {"ConnectX-7 NDR200", "infiniband-ndr-2x"},
                {"infiniband-fdr-x4", "infiniband-fdr-4x"},
                {"hdr-2x", "infiniband-hdr-2x"},
                {"FDR14", "infiniband-fdr-4x"},
                {"InfiniBand 56G", "infiniband-fdr-4x"},
                {"InfiniBand 100G", "infiniband-edr-4x"},
                {"InfiniBand 200 Gb/s", "infiniband-hdr-4x"},
                {"InfiniBand 400G", "infiniband-ndr-4x"},
                {"IB 800G", "infiniband-xdr-4x"}});
  expect_unclear({{"HDR 300", {"infiniband-hdr-4x", "infiniband-hdr-2x", "infiniband-hdr-1x"}},
                  {"DDR5", {"infiniband-ddr-4x", "infiniband-ddr-2x", "infiniband-ddr-1x"}},
                  {"HDR/EDR", {"infiniband-hdr-4x", "infiniband-edr-4x"}},
                  {"HDR 50 GB/s", {"infiniband-hdr-1x"}},
                  {"InfiniBand 300G",
                   {"infiniband-xdr-4x", "infiniband-ndr-4x", "infiniband-hdr-4x",
                    "infiniband-edr-4x", "infiniband-fdr-4x"}}});
}

TEST(LinkNames, ThatCountNicsAreNone) {
  expect_unclear({{"2x HDR", {"infiniband-hdr-4x", "infiniband-hdr-2x"}},
                  {"NDR x2", {"infiniband-ndr-4x", "infiniband-ndr-2x"}},
                  {"HDR 2x", {"infiniband-hdr-4x", "infiniband-hdr-2x"}},
                  {"4x HDR", {"infiniband-hdr-4x"}},
                  {"dual-port HDR100", {"infiniband-hdr-2x"}},
                  {"ConnectX-7 NDR200 x2", {"infiniband-ndr-2x"}},
                  {"dual 100GbE", {"ethernet-100g"}},
                  {"2 ports Slingshot 11", {"slingshot-11"}},
                  {"4x EFA 100G", {"efa-100g"}}});
  // Not of one NIC, and lanes as the driver writes them.
  expect_clear({{"1x NDR400", "infiniband-ndr-4x"},
                {"400 Gb/sec (4X NDR)", "infiniband-ndr-4x"},
                {"200 Gb/sec (2X NDR)", "infiniband-ndr-2x"},
                {"100 Gb/sec (4X EDR)", "infiniband-edr-4x"}});
  const LinkNames both = link_names("2x HDR");
  EXPECT_EQ(both.what, "2 NICs or 2 lanes");
  EXPECT_EQ(both.count, 2);
  EXPECT_EQ(link_names("8 x 100GbE").what, "8 NICs");
  EXPECT_EQ(link_names("2x400 Gb/s").what, "a rate of 2 NICs");
}

TEST(LinkNames, OfEthernetSayTheRate) {
  expect_clear({{"400GbE", "ethernet-400g"},
                {"RoCE v2 200G", "ethernet-200g"},
                {"RoCEv2 400 Gb/s", "ethernet-400g"},
                {"roce-200g", "ethernet-200g"},
                {"100 GbE", "ethernet-100g"},
                {"Ethernet 10G", "ethernet-10g"},
                {"25GE", "ethernet-25g"},
                {"100Gb Ethernet", "ethernet-100g"},
                {"eth-100g", "ethernet-100g"},
                {"ConnectX-6 Dx 100GbE", "ethernet-100g"}});
  EXPECT_FALSE(link_names("RoCE v2").is_clear());
  EXPECT_EQ(link_names("RoCE v2").classes.front(), "ethernet-1g");
  EXPECT_FALSE(link_names("Ethernet 1000G").is_clear());
  EXPECT_FALSE(link_names("100 Mb/s Ethernet").is_clear());
  EXPECT_EQ(link_names("Ethernet 100 GB/s").what, "a rate in bytes");
  EXPECT_EQ(link_names("RoCE HDR").what, "of several networks");
  EXPECT_TRUE(link_names("100GBE").is_clear());
}

TEST(LinkNames, OfOtherFabrics) {
  expect_clear({{"Slingshot 11", "slingshot-11"},
                {"HPE Slingshot-11 200G", "slingshot-11"},
                {"Slingshot", "slingshot-11"},
                {"Slingshot 10", "slingshot-10"},
                {"Cray Slingshot 200 Gb/s", "slingshot-11"},
                {"EFA 100G", "efa-100g"},
                {"EFA v3 200 Gb/s", "efa-200g"},
                {"GPUDirect-TCPXO 200 Gb/s", "tcpxo-200g"},
                {"TCPXO", "tcpxo-200g"},
                {"GPUDirect-TCPX", "tcpx-200g"},
                {"OPA100", "omni-path-100"},
                {"OPA", "omni-path-100"},
                {"Omni-Path 100", "omni-path-100"}});
  expect_unclear({{"EFA v2", {"efa-50g", "efa-100g", "efa-200g", "efa-400g"}},
                  {"Omni-Path 200", {"omni-path-100", "omni-path-400"}},
                  {"TCPXO 400", {"tcpxo-200g"}},
                  {"Slingshot 11 100G", {"slingshot-11", "slingshot-10"}},
                  {"Slingshot 10 200G", {"slingshot-11", "slingshot-10"}}});
}

TEST(LinkNames, ARateIsOfSeveralNetworks) {
  using Names = std::vector<std::string>;
  const LinkNames rate = link_names("200Gb");
  EXPECT_EQ(rate.classes, (Names{"infiniband-hdr-4x", "infiniband-ndr-2x", "ethernet-200g",
                                 "efa-200g", "slingshot-11"}));
  EXPECT_EQ(rate.what, "a rate");
  EXPECT_EQ(link_names("100 Gb/s").classes,
            (Names{"infiniband-edr-4x", "infiniband-hdr-2x", "ethernet-100g", "omni-path-100",
                   "efa-100g", "slingshot-10"}));
  EXPECT_FALSE(link_names("1Gbps").is_clear());
  EXPECT_EQ(link_names("1Gbps").classes, (Names{"ethernet-1g"}));
  EXPECT_EQ(link_names("25 GB/s").classes, Names{});  // of no network
  EXPECT_EQ(link_names("333G").classes, Names{"ethernet-333g"});
  EXPECT_EQ(link_names("1333G").classes, Names{});
}

TEST(LinkNames, BetweenSocketsAreLinksOrProcessors) {
  expect_clear({{"UPI 10.4 GT/s", "upi-10.4"},
                {"UPI 16 GT/s", "upi-16"},
                {"UPI 24 GT/s", "upi-24"},
                {"QPI 9.6", "qpi-9.6"},
                {"QPI 8 GT/s", "qpi-8.0"},
                {"xGMI-2", "xgmi-2"},
                {"xGMI 3", "xgmi-3"},
                {"Zen 3", "host-amd-zen3"},
                {"amd-zen4", "host-amd-zen4"},
                {"EPYC 7742", "host-amd-zen2"},
                {"AMD EPYC 7763", "host-amd-zen3"},
                {"EPYC 9654", "host-amd-zen4"},
                {"EPYC Turin", "host-amd-zen5"},
                {"Xeon Platinum 8480+", "host-intel-sapphire-rapids"},
                {"Xeon Gold 6148", "host-intel-skylake"},
                {"Xeon 6776P", "host-intel-sapphire-rapids"},
                {"Granite Rapids", "host-intel-sapphire-rapids"},
                {"Xeon E5-2680 v3", "host-intel-broadwell"},
                {"E5-2695 v4", "host-intel-broadwell"},
                {"Intel Ice Lake", "host-intel-skylake"},
                {"2x EPYC 7763", "host-amd-zen3"},
                {"EPYC 75F3", "host-amd-zen3"},
                {"EPYC 7F52", "host-amd-zen2"},
                {"Threadripper PRO 5995WX", "host-amd-zen3"},
                {"Emerald Rapids", "host-intel-emerald-rapids"},
                {"Broadwell", "host-intel-broadwell"},
                {"NVIDIA Grace", "cnvlink"},
                {"POWER9", "host-power9"}});
  EXPECT_EQ(link_names("UPI").classes.size(), 5U);
  EXPECT_EQ(link_names("2x UPI 16").what, "2 links");
  EXPECT_EQ(link_names("xgmi-3 x 4").what, "4 links");
  EXPECT_EQ(link_names("xgmi-3 x 4").classes, (std::vector<std::string>{"xgmi-3"}));
  EXPECT_EQ(link_names("UPI 3x 16 GT/s").what, "3 links");
  EXPECT_EQ(link_names("UPI 2.0").classes,
            (std::vector<std::string>{"upi-16", "upi-20", "upi-24"}));
  EXPECT_FALSE(link_names("Xeon").is_clear());
  EXPECT_FALSE(link_names("Xeon E5-2650 v2").is_clear());
  EXPECT_FALSE(link_names("Xeon X5570").is_clear());
}

TEST(LinkNames, OfAmdsGpusSayTheModel) {
  expect_clear({{"xGMI MI300X", "xgmi-mi300x"},
                {"Infinity Fabric MI250X", "xgmi-mi250x"},
                {"Infinity Fabric MI210", "xgmi-mi210"},
                {"xGMI of MI300A", "xgmi-mi300a"},
                {"xgmi-mi350x", "xgmi-mi355x"}});
}

TEST(LinkNames, OfGpusAndNicsAreNoLinks) {
  const auto of_gpu = [](std::string_view name) { return link_names(name); };
  for (const std::string_view name :
       {"H100 SXM5", "A100-SXM4-80GB", "NVIDIA H200", "B200", "GB200", "V100-SXM2-32GB", "Tesla T4",
        "L40S", "RTX 4090", "GeForce RTX 3090", "RTX PRO 6000", "A10G", "MI300X", "H20",
        "RTX A6000"}) {
    EXPECT_EQ(of_gpu(name).what, "a GPU") << name;
  }
  expect_unclear({{"H100 SXM5", {"nvlink-4.0", "pcie-5.0-x16"}},
                  {"A100-SXM4-80GB", {"nvlink-3.0", "pcie-4.0-x16"}},
                  {"Tesla T4", {"pcie-3.0-x16"}},
                  {"ConnectX-7", {"infiniband-ndr-4x", "infiniband-ndr-2x", "ethernet-400g"}},
                  {"CX-6", {"infiniband-hdr-4x", "infiniband-hdr-2x", "ethernet-200g"}},
                  {"BlueField-3", {"infiniband-ndr-4x", "ethernet-400g"}}});
  EXPECT_EQ(link_names("ConnectX-7").what, "a NIC");
}

TEST(LinkNames, OfNothingKnownAreNone) {
  for (const std::string_view name :
       {"", "-", "chewing gum", "7", "x16", "400", "infiniband-fdx"}) {
    EXPECT_FALSE(link_names(name).is_clear()) << name;
  }
  EXPECT_TRUE(link_names("chewing gum").classes.empty());
  // Links of other vendors' accelerators.
  for (const std::string_view name : {"Xe Link", "HCCS", "MTLink", "MetaXLink"})
    EXPECT_TRUE(link_names(name).classes.empty()) << name;
}

TEST(LinkNames, EveryClassIsItsOwnName) {
  for (const LinkClass& each : link_classes()) {
    const LinkNames found = link_names(each.name);
    EXPECT_TRUE(!found.is_clear() || found.classes.front() == each.name) << each.name;
  }
  expect_clear({{"ethernet-30g", "ethernet-30g"},
                {"pcie-3.0-x1", "pcie-3.0-x1"},
                {"upi-12.8", "upi-12.8"},
                {"qpi-7.2", "qpi-7.2"}});
}

TEST(CpuVendor, IsThatOfTheProcessor) {
  for (const auto& [text, vendor] : {std::pair{"AMD", "amd"},
                                     {"EPYC 9654", "amd"},
                                     {"amd-zen4", "amd"},
                                     {"Intel", "intel"},
                                     {"Xeon Platinum 8480C", "intel"},
                                     {"Sapphire Rapids", "intel"},
                                     {"Grace", "arm"},
                                     {"ARM Neoverse", "arm"},
                                     {"POWER9", "power"},
                                     {"Threadripper 3970X", "amd"},
                                     {"Ryzen 9 7950X", "amd"},
                                     {"AMD EPYC 7742 64-Core Processor", "amd"},
                                     {"Ryzen AI 9 HX 370", "amd"},
                                     {"Core i9-13900K", "intel"},
                                     {"i7-8700", "intel"},
                                     {"Core Ultra 9 285K", "intel"},
                                     {"amd-zen9", ""},
                                     {"toaster", ""}}) {
    EXPECT_EQ(cpu_vendor(text), vendor) << text;
  }
}

}  // namespace
}  // namespace ringcast
