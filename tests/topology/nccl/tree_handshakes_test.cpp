#include <gtest/gtest.h>

#include "topology/nccl/nccl_trees.hpp"

namespace ringcast {
namespace {

constexpr Seconds handshake{9e-6};

/// Two nodes of eight H100 whose messages of more than 4 KiB begin with a handshake.
NcclMachine on_slingshot() {
  return {.nodes = 2,
          .ranks = 16,
          .gpus = {.generation = GpuGeneration::hopper},
          .in_node = BytesPerSecond{424e9},
          .between = BytesPerSecond{100e9},
          .rendezvous = Rendezvous{4_KiB, handshake},
          .search = {.rings = 8}};
}

Seconds of_tree(std::string name, double efficiency, Bytes size) {
  Protocol protocol;
  protocol.algorithm = "tree";
  protocol.name = std::move(name);
  protocol.efficiency = efficiency;
  NcclMachine without = on_slingshot();
  without.rendezvous.reset();
  return detail::tree_pipeline(on_slingshot(), protocol, size).store -
         detail::tree_pipeline(without, protocol, size).store;
}

// A channel gets at least 4 KiB of LL, which are 8 KiB with their flags, so 32 KiB use eight.
TEST(TreeHandshakes, AreThoseOfTheMessagesOfLl) {
  EXPECT_EQ(of_tree("LL", 0.5, 8_B), Seconds{0});
  EXPECT_EQ(of_tree("LL", 0.5, 2_KiB), Seconds{0});
  EXPECT_EQ(of_tree("LL", 0.5, 2_KiB + 1_B), handshake);
  EXPECT_EQ(of_tree("LL", 0.5, 32_KiB), handshake);
}

// Half of a pass of 5 KiB, which our program sends at once, has none. NCCL's chunk has one.
TEST(TreeHandshakes, AreThoseOfTheChunksOfLl128) {
  EXPECT_EQ(of_tree("LL128", 0.9375, 4_KiB), Seconds{0});
  EXPECT_NEAR(of_tree("LL128", 0.9375, 64_KiB).count(), handshake.count(), 1e-15);
  EXPECT_NEAR(of_tree("LL128", 0.9375, 16_MiB).count(), handshake.count(), 1e-15);
}

// Its messages are as long as NCCL's, so they have their own.
TEST(TreeHandshakes, AreNotAddedToThoseOfSimple) {
  EXPECT_EQ(of_tree("Simple", 1, 16_MiB), Seconds{0});
}

}  // namespace
}  // namespace ringcast
