#include "topology/import/nvidia_smi_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/refusal.hpp"

namespace ringcast {
namespace {

using testing::HasSubstr;

HostHardware read(const std::string& text, const ImportHints& hints = {}) {
  return host_of_nvidia_smi("box.txt", lines_of_text(text), hints);
}

std::string refusal(const std::string& text, const ImportHints& hints = {}) {
  return refusal_of([&] { return read(text, hints); });
}

/// `sw(GPU0 GPU1 NIC0)`
std::string drawn(const std::vector<HardwareDevice>& devices) {
  std::string text;
  for (const HardwareDevice& device : devices) {
    text += text.empty() ? "" : " ";
    text += device.kind == VertexKind::pcie_switch ? fmt::format("sw({})", drawn(device.devices))
                                                   : device.address;
  }
  return text;
}

/// Root complexes in brackets, sockets between bars.
std::string drawn(const HostHardware& host) {
  std::string text;
  for (const HardwareSocket& socket : host.sockets) {
    text += text.empty() ? "" : " | ";
    for (const HardwareRoot& root : socket.root_complexes) {
      text += fmt::format("[{}]", drawn(root.devices));
    }
  }
  return text;
}

std::string remarks_of(const HostHardware& host) {
  std::string all;
  for (const std::string& remark : host.remarks) {
    all += remark + "\n";
  }
  return all;
}

constexpr const char* two_sockets =
    "\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\n"
    "GPU0\t X \tPIX\tPXB\tSYS\tPXB\t0-15\t0\n"
    "GPU1\tPIX\t X \tPXB\tSYS\tPXB\t0-15\t0\n"
    "GPU2\tPXB\tPXB\t X \tSYS\tPIX\t0-15\t0\n"
    "GPU3\tSYS\tSYS\tSYS\t X \tSYS\t16-31\t1\n"
    "NIC0\tPXB\tPXB\tPIX\tSYS\t X \n"
    "\nLegend:\n\n  X    = Self\n\nNIC Legend:\n\n  NIC0: mlx5_0\n";

TEST(NvidiaSmi, RelationsBecomeATree) {
  const HostHardware host = read(two_sockets);

  EXPECT_EQ(drawn(host), "[sw(sw(GPU0 GPU1) sw(GPU2 NIC0))] | [GPU3]");
  EXPECT_EQ(host.sockets[0].root_complexes[0].devices[0].devices[1].devices[1].name, "mlx5_0");
  EXPECT_EQ(host.host, "box");
}

TEST(NvidiaSmi, BridgesAndNumaNodesGroupRootComplexes) {
  EXPECT_EQ(drawn(read("     GPU0 GPU1 GPU2 CPU Affinity\n"
                       "GPU0  X   PHB  NODE 0-7\nGPU1 PHB  X   NODE 0-7\nGPU2 NODE NODE X  0-7\n")),
            "[GPU0 GPU1][GPU2]");
}

TEST(NvidiaSmi, TheModelTellsTheSpeed) {
  const HostHardware known = read(two_sockets, {"RTX 4090", ""});
  EXPECT_NEAR(known.sockets[1].root_complexes[0].devices[0].link.value(), 31.5e9,
              1e8);  // PCIe 4.0 x16
  EXPECT_EQ(known.sockets[1].root_complexes[0].devices[0].model, "RTX 4090");

  const HostHardware unknown = read(two_sockets);
  EXPECT_EQ(unknown.sockets[1].root_complexes[0].devices[0].link, BytesPerSecond{0});
  EXPECT_THAT(remarks_of(unknown), HasSubstr("--gpu names the model"));
}

TEST(NvidiaSmi, MoreNvlinksThanAGpuHasMeansSwitches) {
  // Three bundles of 12 are 36 links; an A100 has 12.
  const std::string matrix =
      "     GPU0 GPU1 GPU2 GPU3\n"
      "GPU0  X   NV12 NV12 NV12\nGPU1 NV12  X   NV12 NV12\n"
      "GPU2 NV12 NV12  X   NV12\nGPU3 NV12 NV12 NV12  X\n";
  const HostHardware host = read(matrix);
  EXPECT_TRUE(host.nvlinks.empty());
  EXPECT_EQ(host.nvswitch, BytesPerSecond{12 * 25e9});
  EXPECT_THAT(remarks_of(host), HasSubstr("taken to be A100"));
  EXPECT_THAT(remarks_of(read(matrix, {"H100 SXM", ""})), HasSubstr("each GPU, the H100 has 18"));
}

TEST(NvidiaSmi, AGpuOffTheSwitchesLeavesTheOthersTheirs) {
  // 12 links of 25 GB/s to the switches, for the two others half of them each.
  const HostHardware host = read(
      "      GPU0 GPU1 GPU2 GPU3\nGPU0  X  NV12 NV12 NODE\nGPU1 NV12  X  NV12 NODE\n"
      "GPU2 NV12 NV12  X  NODE\nGPU3 NODE NODE NODE  X\n",
      {"A100 SXM", ""});
  ASSERT_EQ(host.nvlinks.size(), 3U);
  EXPECT_NEAR(2 * host.nvlinks.front().rate.value(), 300e9, 1e6);
  EXPECT_THAT(remarks_of(host), HasSubstr("NVSwitches join 3 of the GPUs only"));
}

TEST(NvidiaSmi, FewNvlinksJoinGpusDirectly) {
  // Three bundles of 2 are the 6 links of a V100.
  const HostHardware host = read(
      "     GPU0 GPU1 GPU2 GPU3\n"
      "GPU0  X   NV2  NV2  NV2\nGPU1 NV2   X   NV2  NV2\n"
      "GPU2 NV2  NV2   X   NV2\nGPU3 NV2  NV2  NV2   X\n");
  EXPECT_EQ(host.nvswitch, BytesPerSecond{0});
  ASSERT_EQ(host.nvlinks.size(), 6U);
  EXPECT_EQ(host.nvlinks[5].gpu_b, 3);
  EXPECT_EQ(host.nvlinks[5].rate, BytesPerSecond{2 * 25e9});
}

/// GPUs that are NV`links` to each other.
std::string mesh_of(int gpus, int links) {
  std::string header;
  std::string rows;
  for (int row = 0; row < gpus; ++row) {
    header += fmt::format(" GPU{}", row);
    rows += fmt::format("GPU{}", row);
    for (int column = 0; column < gpus; ++column) {
      rows += row == column ? " X" : fmt::format(" NV{}", links);
    }
    rows += "\n";
  }
  return header + "\n" + rows;
}

// Four GH200 or H200 NVL use 3 x 6 of 18 links, four A100 3 x 4 of 12; DGX-2 has bundles of 6 to
// its switches; bridges of workstations have 4 links, of 14 GB/s.
TEST(NvidiaSmi, TheLinksOfAGpuTellItsModel) {
  EXPECT_THAT(remarks_of(read(mesh_of(4, 6))), HasSubstr("taken to be H100"));
  EXPECT_THAT(remarks_of(read(mesh_of(4, 4))), HasSubstr("taken to be A100"));
  EXPECT_THAT(remarks_of(read(mesh_of(8, 6))), HasSubstr("taken to be V100"));
  EXPECT_THAT(remarks_of(read(mesh_of(2, 4))), HasSubstr("taken to be A6000"));
  EXPECT_THAT(remarks_of(read(mesh_of(5, 1))), HasSubstr("taken to be P100"));
  EXPECT_EQ(read(mesh_of(4, 6)).nvswitch, BytesPerSecond{0});
}

TEST(NvidiaSmi, AffinitiesTellSocketsBehindNvlinks) {
  const HostHardware host = read(
      "     GPU0 GPU1 CPU Affinity NUMA Affinity\n"
      "GPU0  X   NV12 0-23 0\nGPU1 NV12  X   24-47 1\n");
  EXPECT_EQ(drawn(host), "[GPU0] | [GPU1]");
}

// A virtual machine of two NUMA nodes has a PCIe switch for each GPU and its NIC, and SYS between
// all of these.
TEST(NvidiaSmi, AffinitiesThatDifferTellSockets) {
  const HostHardware host = read(
      "     GPU0 GPU1 GPU2 NIC0 NIC1 NIC2 CPU Affinity\n"
      "GPU0  X   SYS  SYS  PIX  SYS  SYS 0-55\nGPU1 SYS   X   SYS  SYS  PIX  SYS 0-55\n"
      "GPU2 SYS  SYS   X   SYS  SYS  PIX 56-111\nNIC0 PIX  SYS  SYS   X   SYS  SYS\n"
      "NIC1 SYS  PIX  SYS  SYS   X   SYS\nNIC2 SYS  SYS  PIX  SYS  SYS   X\n");
  EXPECT_EQ(drawn(host), "[sw(GPU0 NIC0)][sw(GPU1 NIC1)] | [sw(GPU2 NIC2)]");
  EXPECT_THAT(remarks_of(host), HasSubstr("taken to be in one socket"));
}

// Two K80 in each of two sockets; the job has processors of the first one only, and all GPUs show
// those.
TEST(NvidiaSmi, AffinitiesOfALimitedJobJoinNoSockets) {
  const HostHardware host = read(
      "     GPU0 GPU1 GPU2 GPU3 CPU Affinity\n"
      "GPU0  X   PIX  SYS  SYS 0-3\nGPU1 PIX   X   SYS  SYS 0-3\n"
      "GPU2 SYS  SYS   X   PIX 0-3\nGPU3 SYS  SYS  PIX   X  0-3\n");
  EXPECT_EQ(drawn(host), "[sw(GPU0 GPU1)] | [sw(GPU2 GPU3)]");
  EXPECT_THAT(remarks_of(host), HasSubstr("GPU0 and GPU2 are SYS to each other, but of one "
                                          "affinity, as in a job limited to some processors"));
  // Behind NVLinks, the NICs tell.
  EXPECT_EQ(drawn(read("     GPU0 GPU1 NIC0 NIC1 CPU Affinity\n"
                       "GPU0  X   NV12 PIX  SYS 0-3\nGPU1 NV12  X   SYS  PIX 0-3\n"
                       "NIC0 PIX  SYS   X   SYS\nNIC1 SYS  PIX  SYS   X\n")),
            "[sw(GPU0 NIC0)] | [sw(GPU1 NIC1)]");
}

TEST(NvidiaSmi, RanksFollowTheTree) {
  const HostHardware host = read(
      "     GPU0 GPU1 GPU2 GPU3\n"
      "GPU0  X   PHB  PIX  NV1\nGPU1 PHB   X   PHB  PIX\n"
      "GPU2 PIX  PHB   X   PHB\nGPU3 NV1  PIX  PHB   X\n");
  EXPECT_EQ(drawn(host), "[sw(GPU0 GPU2) sw(GPU1 GPU3)]");
  EXPECT_THAT(remarks_of(host), HasSubstr("ranks follow the PCIe tree: GPU0 GPU2 GPU1 GPU3"));
  ASSERT_EQ(host.nvlinks.size(), 1U);
  EXPECT_EQ(host.nvlinks[0].gpu_b, 3);
}

TEST(NvidiaSmi, ReadsWhatRealFilesLookLike) {
  // No leading tab, the old word SOC, text around it, one GPU.
  EXPECT_EQ(drawn(read("$ nvidia-smi topo -m\r\nGPU0\tGPU1\tCPU Affinity\r\n"
                       "GPU0\t X \tSOC\t0-9\r\nGPU1\tSOC\t X \t10-19\r\n")),
            "[GPU0] | [GPU1]");
  EXPECT_EQ(drawn(read("\tGPU0\tCPU Affinity\nGPU0\t X \t0-9\n")), "[GPU0]");
  // Wrapped by a terminal.
  EXPECT_EQ(drawn(read("      GPU0 GPU1\n  GPU2 CPU Affinity\n"
                       "GPU0  X  PIX\nPHB 0-9\nGPU1 PIX X \nPHB 0-9\nGPU2 PHB PHB\nX 0-9\n")),
            "[sw(GPU0 GPU1) GPU2]");
  // Cut off: the columns of other rows tell the same.
  const HostHardware cut = read(
      "     GPU0 GPU1 NIC0 NIC1\nGPU0  X  PHB PIX NODE\n"
      "GPU1 PHB X PHB NODE\nNIC0 PIX");
  EXPECT_EQ(drawn(cut), "[sw(GPU0 NIC0) GPU1][NIC1]");
  EXPECT_THAT(remarks_of(cut), HasSubstr("the matrix is incomplete"));
}

TEST(NvidiaSmi, SplitsCellsThatATerminalJoined) {
  const HostHardware host = read(
      "\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\n"
      "GPU0\t X \tNV18\tPIXNODE\t0-31\n"
      "GPU1\tNV18\t X \tNODEPIX\t0-31\n");
  EXPECT_EQ(count_of(VertexKind::nic, host), 2);
}

TEST(NvidiaSmi, ReadsQuotedAndGluedMatrices) {
  EXPECT_EQ(drawn(read("# \tGPU0\tGPU1\n# GPU0\tX\tPIX\n# GPU1\tPIX\tX\n")), "[sw(GPU0 GPU1)]");
  EXPECT_EQ(drawn(read("\tGPU0GPU1mlx5_0\nGPU0\tX\tPIX\tPIX\nGPU1\tPIX\tX\tPIX\n")),
            "[sw(GPU0 GPU1 mlx5_0)]");
}

TEST(NvidiaSmi, FarNicsAreLeftOutWhereOthersAreNearer) {
  const HostHardware host = read(
      "     GPU0 NIC0 NIC1\nGPU0  X   PIX SYS\nNIC0 PIX X SYS\n"
      "NIC1 SYS SYS X\n");
  EXPECT_EQ(drawn(host), "[sw(GPU0 NIC0)]");
  EXPECT_THAT(remarks_of(host), HasSubstr("NIC NIC1: left out"));
  // In a virtual machine all may be SYS.
  const HostHardware far = read("     GPU0 NIC0\nGPU0  X   SYS\nNIC0 SYS X\n");
  EXPECT_EQ(drawn(far), "[GPU0] | [NIC0]");
}

TEST(NvidiaSmi, TwoNicsOnASwitchOfTheirOwnAreTwoPorts) {
  const HostHardware host = read(
      "     GPU0 NIC0 NIC1\nGPU0  X   PHB PHB\nNIC0 PHB X PIX\n"
      "NIC1 PHB PIX X\n");
  EXPECT_EQ(drawn(host), "[GPU0 NIC0]");
  EXPECT_EQ(host.sockets[0].root_complexes[0].devices[1].ports, 2);
}

TEST(NvidiaSmi, ContradictionsAreRepairedAloud) {
  EXPECT_THAT(remarks_of(read("     GPU0 GPU1 GPU2\nGPU0  X  PIX PIX\nGPU1 PIX X PHB\n"
                              "GPU2 PIX PHB X\n")),
              HasSubstr("GPU1 and GPU2 are PHB to each other, but nearer through other devices"));
  EXPECT_THAT(remarks_of(read("     GPU0 GPU1 CPU Affinity\nGPU0  X  SYS 0-7\nGPU1 SYS X 0-7\n")),
              HasSubstr("GPU0 and GPU1 are SYS to each other, but of one affinity"));
}

TEST(NvidiaSmi, RefusesWhatMakesNoSense) {
  // The columns of the NICs are missing: PIX is no affinity.
  EXPECT_THAT(
      refusal("  GPU0 GPU1 CPU Affinity\nGPU0 X SYS PIX 0-3\nGPU1 SYS X SYS 4-7\n"),
      HasSubstr("box.txt:2: row GPU0 has more than 2 cells (expected one for each column)"));
  EXPECT_EQ(refusal("hello\n"),
            "box.txt: no matrix (expected what nvidia-smi topo -m prints, from the line of GPU0 "
            "GPU1 on)");
  EXPECT_EQ(refusal(""), refusal("hello\n"));
  EXPECT_THAT(refusal(" GPU0 GPU1\n"), HasSubstr("box.txt:1: columns without rows"));
  EXPECT_THAT(refusal(" GPU0 GPU0\n"), HasSubstr("box.txt:1: column GPU0 is repeated"));
  EXPECT_THAT(refusal(" GPU0 GPU1\nGPU0 X PIX\nGPU1 PHB X\n"),
              HasSubstr("box.txt:3: GPU1 is PHB to GPU0, but PIX in the other direction"));
  EXPECT_THAT(refusal(" GPU0 GPU1\nGPU0 X PIY\n"),
              HasSubstr("box.txt:2: row GPU0: unknown relation \"PIY\" (expected X, NV#"));
  EXPECT_THAT(refusal(" GPU0 GPU1\nGPU0 X NV0\n"), HasSubstr("unknown relation \"NV0\""));
  EXPECT_THAT(refusal(" GPU0 GPU1\nGPU0 X OK\n"), HasSubstr("not of -p2p"));
  EXPECT_THAT(refusal(" GPU0 GPU1\nGPU0 PIX PIX\n"), HasSubstr("PIX in the column of GPU0"));
  EXPECT_THAT(refusal(" GPU0 GPU1\nGPU0 X PIX\nGPU0 X PIX\n"), HasSubstr("a second row of GPU0"));
  EXPECT_THAT(refusal(" GPU0 GPU1\nGPU0 X PIX\nGPU2 X PIX\n"),
              HasSubstr("a row of GPU2, which has no column"));
  EXPECT_THAT(refusal(" GPU0 GPU1 GPU2\nGPU0 X PIX PIX\n"),
              HasSubstr("nothing about GPU1 and GPU2 (expected a row of one of them, in"));
  EXPECT_THAT(refusal(" GPU0 GPU1 GPU2\nGPU0 X PIX\nGPU1 PIX X PIX\n"),
              HasSubstr("row GPU0 has 2 of 3 cells"));
}

TEST(NvidiaSmi, TheNetworkIsAHint) {
  const HostHardware host = read(two_sockets, {"", "infiniband-hdr-4x"});
  EXPECT_EQ(host.sockets[0].root_complexes[0].devices[0].devices[1].devices[1].port_class,
            "infiniband-hdr-4x");
}

}  // namespace
}  // namespace ringcast
