#include "app/config/cluster/gpu_model_reader.hpp"

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

}  // namespace
}  // namespace ringcast
