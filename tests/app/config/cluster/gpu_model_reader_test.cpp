#include "app/config/cluster/gpu_model_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/app/config/cluster/right_cluster.hpp"

namespace ringcast {
namespace {

// NVIDIA's driver has no P2P for GeForce; others have it.
TEST(GpuModelOfANode, TellsWhetherItHasGpudirect) {
  const auto has_it = [](const std::string& keys) {
    return cluster_in("name: n\nnode_types:\n  box:\n" + keys +
                      "    sockets: [{root_complexes: [{devices: [{kind: gpu, link: "
                      "pcie-4.0-x16}]}]}]\nnodes: [{type: box}]\n")
        .node_types.at(0)
        .gpudirect;
  };
  EXPECT_TRUE(has_it(""));
  EXPECT_TRUE(has_it("    gpu: NVIDIA L40S\n"));
  EXPECT_FALSE(has_it("    gpu: NVIDIA GeForce RTX 4090\n"));
  EXPECT_TRUE(has_it("    gpu: RTX 4090\n    gpudirect: true\n"));
  EXPECT_FALSE(has_it("    gpu: L40S\n    gpudirect: false\n"));
}

// A V100 has six links: to one other GPU, shared between two, or beside those to a switch.
TEST(GpuModelOfANode, HasNoMoreLinksThanTheModel) {
  const auto refusal = [](const std::string& links) {
    return refusal_of([&] {
      return cluster_in("name: n\nnode_types:\n  box:\n    gpu: V100\n" + links +
                        "    sockets: [{root_complexes: [{devices: [{kind: gpu, count: 3, link: "
                        "pcie-3.0-x16}]}]}]\nnodes: [{type: box}]\n");
    });
  };
  const auto bundles = [](int first, int second) {
    return fmt::format(
        "    nvlinks: [{{between: [0, 1], links: {}, link: nvlink-2.0}}, "
        "{{between: [1, 2], links: {}, link: nvlink-2.0}}]\n",
        first, second);
  };
  const std::string nvswitch = "    nvswitch: {links_per_gpu: 6, link: nvlink-2.0}\n";

  EXPECT_EQ(refusal(bundles(2, 4)), "nothing was refused");
  EXPECT_EQ(refusal(bundles(3, 4)),
            "cluster.yaml:4:10: node_types.box.gpu: a GPU with 6 links between GPUs beside nvlinks "
            "with 7 links at each GPU (expected links at each GPU of at most 6)");
  EXPECT_EQ(refusal(nvswitch), "nothing was refused");
  EXPECT_NE(refusal(nvswitch + bundles(1, 1)).find("with 8 links_per_gpu"), std::string::npos);
}

}  // namespace
}  // namespace ringcast
