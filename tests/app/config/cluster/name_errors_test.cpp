#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/app/config/cluster/right_cluster.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

const Slip name_slips[] = {
    {"Rdma", "class: infiniband-fdr-4x", "class: RoCEv2",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"RoCEv2\" (expected ethernet-800g, "
     "ethernet-400g, ethernet-200g, ethernet-100g, ethernet-50g or 4 more; for any other link "
     "{bandwidth: .., latency: .., source: ..})"},
    {"Protocol", "class: infiniband-fdr-4x", "class: TCP 10G",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"TCP 10G\", which is a protocol "
     "(expected ethernet-10g; with --transport nccl-sockets; for any other link {bandwidth: .., "
     "latency: .., source: ..})"},
    {"Tunnel", "class: infiniband-fdr-4x", "class: Thunderbolt 3",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"Thunderbolt 3\", which is a tunnel "
     "of PCIe (expected pcie-3.0-x4; for any other link {bandwidth: .., latency: .., source: "
     "..})"},
    {"LinksByNumberAtTheEnd", "socket_link: qpi-9.6", "socket_link: upi-16 x3",
     "cluster.yaml:7:18: node_types.box.socket_link: unknown link \"upi-16 x3\", which is 3 links "
     "(expected a name under links, upi-16; a class stands for all links between two sockets; for "
     "any other link {bandwidth: .., latency: .., source: ..})"},
    {"SeveralLinks", "socket_link: qpi-9.6", "socket_link: 3x UPI 16",
     "cluster.yaml:7:18: node_types.box.socket_link: unknown link \"3x UPI 16\", which is 3 links "
     "(expected a name under links, upi-16; a class stands for all links between two sockets; for "
     "any other link {bandwidth: .., latency: .., source: ..})"},
    {"NoFamily", "class: infiniband-fdr-4x", "class: XeLink-2",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"XeLink-2\" (expected a class, e.g. "
     "pcie-5.0-x16, nvlink-4.0, upi-16, infiniband-ndr-4x or ethernet-100g; for any other link "
     "{bandwidth: .., latency: .., source: ..})"},
    {"UnknownModel", "    socket_link: qpi-9.6", "    gpu: H101\n    socket_link: qpi-9.6",
     "cluster.yaml:7:10: node_types.box.gpu: unknown GPU \"H101\", did you mean \"H100\"? "
     "(expected a name with one of P100, V100, TITAN RTX, A100, A800, A30, A6000, A5000, A40, "
     "3090, GH200, H100, ...; without the key the links tell)"},
    {"ModelOfOtherLinks", "    socket_link: qpi-9.6",
     "    gpu: AMD Instinct MI300X\n    socket_link: qpi-9.6",
     "cluster.yaml:7:10: node_types.box.gpu: a GPU of AMD beside nvlink-2.0, which joins those of "
     "NVIDIA (expected a GPU of NVIDIA, or links of AMD)"},
    {"ModelOfNewerLinks", "    socket_link: qpi-9.6", "    gpu: A100\n    socket_link: qpi-9.6",
     "cluster.yaml:7:10: node_types.box.gpu: a GPU of nvlink-3.0 beside nvlink-2.0 (expected a GPU "
     "of nvlink-2.0, or links of class nvlink-3.0)"},
    {"ModelOfLinksOfAmd", "links: 2, link: nvlink-2.0}]", "link: xgmi-mi300x}]\n    gpu: H100",
     "cluster.yaml:17:10: node_types.box.gpu: a GPU of NVIDIA beside xgmi-mi300x, which joins "
     "those "
     "of AMD (expected a GPU of AMD, or links of NVIDIA)"},
    {"ModelOfSwitchesOfAmd", "nvlinks: [{between: [0, 1], links: 2, link: nvlink-2.0}]",
     "nvswitch: {link: xgmi-mi300x}\n    gpu: H100",
     "cluster.yaml:17:10: node_types.box.gpu: a GPU of NVIDIA beside xgmi-mi300x, which joins "
     "those "
     "of AMD (expected a GPU of AMD, or links of NVIDIA)"},
    {"ModelWithoutNvlinks", "nvlinks: [{between: [0, 1], links: 2, link: nvlink-2.0}]",
     "nvswitch: {links_per_gpu: 6, link: nvlink-2.0}\n    gpu: NVIDIA L40S",
     "cluster.yaml:17:10: node_types.box.gpu: a GPU without NVLinks beside an nvswitch of "
     "nvlink-2.0 (expected a GPU of nvlink-2.0, or no nvlinks and no nvswitch)"},
    {"ModelWithoutNvlinksInABundle", "    socket_link: qpi-9.6",
     "    gpu: NVIDIA L40S\n    socket_link: qpi-9.6",
     "cluster.yaml:7:10: node_types.box.gpu: a GPU without NVLinks beside nvlinks of nvlink-2.0 "
     "(expected a GPU of nvlink-2.0, or no nvlinks and no nvswitch)"},
    {"ModelWithFewerNvlinks", "nvlinks: [{between: [0, 1], links: 2, link: nvlink-2.0}]",
     "nvswitch: {links_per_gpu: 18, link: nvlink-2.0}\n    gpu: V100",
     "cluster.yaml:17:10: node_types.box.gpu: a GPU with 6 links between GPUs beside an nvswitch "
     "with 18 links_per_gpu (expected links_per_gpu of at most 6)"},
    {"ModelWithoutGpus",
     "kind: gpu, count: 2, link: pcie-3.0-x16}]}\n    nics:\n      - {at: root0, link: own}\n"
     "    nvlinks: [{between: [0, 1], links: 2, link: nvlink-2.0}]",
     "kind: nic, link: pcie-3.0-x16}]}\n    gpu: H100",
     "cluster.yaml:14:10: node_types.box.gpu: a model of GPUs in a node without (expected no such "
     "key)"},
    {"ModelUnderAnotherKey", "    socket_link: qpi-9.6",
     "    gpu_model: RTX 4090\n    socket_link: qpi-9.6",
     "cluster.yaml:7:16: node_types.box.gpu_model: unknown key (expected GPUs by number and links, "
     "e.g. {kind: gpu, count: 8, link: pcie-5.0-x16} under root_complexes; here pcie-4.0-x16, and "
     "their model as gpu of the node type: docs/your-machine.md)"},
    {"ModelOfADevice", "kind: gpu, count: 2", "kind: gpu, model: Xenon 9, count: 2",
     "cluster.yaml:13:77: "
     "node_types.box.sockets[0].root_complexes[0].devices[0].devices[0].model: unknown key "
     "(expected GPUs by number and links, e.g. {kind: gpu, count: 8, link: pcie-5.0-x16} under "
     "root_complexes, and their model as gpu of the node type: docs/your-machine.md)"},
    {"VendorOfOtherSockets", "    socket_link: qpi-9.6",
     "    cpu: EPYC 7742\n    socket_link: qpi-9.6",
     "cluster.yaml:7:10: node_types.box.cpu: processors of amd beside socket_link qpi-9.6, which "
     "joins those of intel (expected intel, or a socket_link of amd)"},
    {"VendorOfOtherProcessors", "    socket_link: qpi-9.6",
     "    cpu: intel\n    socket_link: xgmi-3",
     "cluster.yaml:7:10: node_types.box.cpu: processors of intel beside socket_link xgmi-3, which "
     "joins those of amd (expected amd, or a socket_link of intel)"},
    {"UnknownVendor", "    socket_link: qpi-9.6", "    cpu: toaster\n    socket_link: qpi-9.6",
     "cluster.yaml:7:10: node_types.box.cpu: unknown vendor \"toaster\" (expected intel, amd, arm, "
     "power or zhaoxin)"},
};

class NameSlip : public ::testing::TestWithParam<Slip> {};

TEST_P(NameSlip, IsRefusedWithWhatToWrite) {
  const std::string text = right_with(right_cluster, GetParam());

  EXPECT_EQ(refusal_of([&] { return cluster_in(text); }), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Slips, NameSlip, ::testing::ValuesIn(name_slips), name_of_slip);

ClusterSpec right_cluster_with(std::string_view original, std::string_view replacement) {
  return cluster_in(right_with(right_cluster, {"", original, replacement, ""}));
}

TEST(ClusterReader, TakesALinkForThatOfOtherProcessors) {
  const auto is_read = [](std::string_view cpu, std::string_view link) {
    const std::string keys = fmt::format("cpu: {}\n    socket_link: {}", cpu, link);
    return !right_cluster_with("socket_link: qpi-9.6", keys).node_types.empty();
  };
  EXPECT_TRUE(is_read("EPYC 7742", "{class: qpi-9.6, bandwidth: 20 GB/s}"));
  EXPECT_TRUE(is_read("amd", "own"));
  EXPECT_TRUE(is_read("Hygon 7185", "xgmi-2"));
  EXPECT_TRUE(is_read("Zhaoxin", "KH-40000"));
  EXPECT_TRUE(is_read("Xeon Gold 6148", "upi-10.4"));
}

// Files may have defined such a link before it was a class.
TEST(ClusterReader, LetsALinkHaveTheNameOfAScaledClass) {
  const ClusterSpec spec =
      right_cluster_with("  ib: {class: infiniband-fdr-4x, bandwidth: 6 GB/s}\n",
                         "  ib: 20GbE\n  pcie-3.0-x1: {class: pcie-3.0-x4, bandwidth: 0.5 GB/s}\n");
  EXPECT_EQ(spec.single_switch->cable.base_class, "ethernet-20g");
}

}  // namespace
}  // namespace ringcast
