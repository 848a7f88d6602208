#include "topology/import/import_hints.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/config/cluster/cluster_text.hpp"
#include "tests/refusal.hpp"
#include "tests/topology/import/hwloc_xml.hpp"
#include "topology/import/hwloc_reader.hpp"
#include "topology/import/node_types.hpp"
#include "topology/import/nvidia_smi_reader.hpp"
#include "topology/import/nvlink_rack.hpp"
#include "topology/links/gpu_models.hpp"

namespace ringcast {
namespace {

TEST(ImportHints, SayWhatHwlocDoesNot) {
  std::string gpus;
  for (int bus = 1; bus <= 8; ++bus) {
    gpus += gpu_xml(fmt::format("0000:{:02x}:00.0", bus), 0);
  }
  const std::string xml = machine_xml({host_bridge_xml(gpus)});

  const HostHardware unknown = host_of_xml("red.xml", xml);
  const HostHardware hinted = host_of_xml("red.xml", xml, {"A100 SXM", ""});

  ASSERT_EQ(unknown.remarks.size(), 1U);
  EXPECT_EQ(unknown.remarks[0],
            "hwloc shows no NVLinks, so NVLinks are unknown and left out (add them as nvlinks in "
            "the written file, if there are any)");  // boards of eight V100 have meshes
  EXPECT_EQ(hinted.remarks[0],
            "hwloc names GPUs Tesla V100-SXM2-16GB: --gpu replaces them by A100 SXM");
  EXPECT_EQ(hinted.nvswitch, BytesPerSecond{12 * 25e9});  // 12 links of NVLink 3.0
  // PCIe 4.0: 16 lanes of 16 GT/s, 128b/130b.
  EXPECT_NEAR(hinted.sockets[0].root_complexes[0].devices[0].link.value(), 31.5e9, 1e8);
}

// nvidia-smi reports four NUMA domains as sockets, for which the limit does not hold.
TEST(ImportHints, NameProcessorsWhoseMemoryKernelsReadSlowly) {
  HostHardware host;
  host.tool = "nvidia-smi";
  host.sockets.resize(2);
  for (HardwareSocket& socket : host.sockets)
    socket.root_complexes = {{{{VertexKind::gpu, "1", "", "L4", BytesPerSecond{31.5e9}}}}};
  const std::string limit = "staging_bandwidth: 4.3 GB/s";
  EXPECT_EQ(cluster_text(merge_hosts({host})).find(limit), std::string::npos);
  apply_hints({.sockets = "host-amd-zen4", .cpu = "EPYC 7543"}, host);
  EXPECT_NE(cluster_text(merge_hosts({host})).find(limit), std::string::npos);
  host.sockets.resize(4, host.sockets.front());
  EXPECT_EQ(cluster_text(merge_hosts({host})).find(limit), std::string::npos);
}

// 400 GB/s in both directions (NVIDIA's data sheets; NCCL's "maxBw 164.8" of H800, 8 x 20.6).
TEST(ImportHints, GiveTheBoardsOfA800AndH800EightLinks) {
  std::string gpus;
  for (int bus = 1; bus <= 8; ++bus) {
    gpus += gpu_xml(fmt::format("0000:{:02x}:00.0", bus), 0);
  }
  const std::string xml = machine_xml({host_bridge_xml(gpus)});
  for (const std::string gpu : {"A800-SXM4-80GB", "H800 SXM", "h800 sxm"}) {
    EXPECT_EQ(host_of_xml("red.xml", xml, {gpu, ""}).nvswitch, BytesPerSecond{8 * 25e9}) << gpu;
  }
}

/// A host with `gpus` GPUs without links between them.
HostHardware host_without_links(int gpus, const std::string& model) {
  std::string xml;
  for (int bus = 1; bus <= gpus; ++bus)
    xml += gpu_xml(fmt::format("0000:{:02x}:00.0", bus), 0);
  return host_of_xml("red.xml", machine_xml({host_bridge_xml(xml)}), {model, ""});
}

// AMD's data sheets: a link from each of eight MI300X to each other, two of four MI300A.
TEST(ImportHints, JoinEightGpusOfAmdByAMesh) {
  for (const std::string gpu : {"MI300X", "MI325X", "AMD Instinct MI355X"}) {
    SCOPED_TRACE(gpu);
    const HostHardware host = host_without_links(8, gpu);

    EXPECT_EQ(host.nvlinks.size(), 28U);
    EXPECT_EQ(host.nvlinks.front().rate, reported_rate(find_gpu_model(gpu)->nvlink_class));
    EXPECT_EQ(host.remarks.back(),
              "hwloc shows no xGMI links; the 7 links of each are taken to lead to the other 7");
  }
  EXPECT_EQ(host_without_links(4, "MI300A").nvlinks.at(5).rate, 2.0 * reported_rate("xgmi-mi300a"));
}

TEST(ImportHints, SayThatXgmiOfOtherShapesIsLeftOut) {
  for (const auto& [gpus, model] : {std::pair{4, "MI300X"}, {8, "MI250X"}, {8, "MI300A"}}) {
    const HostHardware host = host_without_links(gpus, model);

    EXPECT_TRUE(host.nvlinks.empty()) << model;
    EXPECT_EQ(host.remarks.back(),
              "hwloc shows no xGMI links; they are left out (add them as nvlinks in the written "
              "file, if there are any)");
  }
}

// Grace and its GPUs: NVLink-C2C of 450 GB/s, beside which nvidia-smi sees PCIe.
TEST(ImportHints, JoinSuperchipsByC2c) {
  const std::string matrix =
      "GPU0 GPU1 GPU2 GPU3\nGPU0 X NV18 NV18 NV18 0-71 0\nGPU1 NV18 X NV18 NV18 0-71 0\n"
      "GPU2 NV18 NV18 X NV18 72-143 1\nGPU3 NV18 NV18 NV18 X 72-143 1\n";
  for (const std::string gpu : {"GB200", "NVIDIA GB300", "GH200 480GB"}) {
    SCOPED_TRACE(gpu);
    const HostHardware host = host_of_nvidia_smi("m.txt", lines_of_text(matrix), {gpu, ""});

    EXPECT_TRUE(is_tray(host));
    EXPECT_EQ(host.sockets.at(1).link_class, "cnvlink");
    EXPECT_EQ(host.sockets[1].root_complexes.at(0).devices.at(0).link, BytesPerSecond{450e9});
    // Racks of 18 hosts, of GB200 and GB300.
    EXPECT_EQ(equal_hosts(host, 2).size(), gpu.starts_with("GH") ? 2U : 1U);
  }
  EXPECT_FALSE(is_tray(host_of_nvidia_smi("m.txt", lines_of_text(matrix), {"B200", ""})));
}

}  // namespace
}  // namespace ringcast
