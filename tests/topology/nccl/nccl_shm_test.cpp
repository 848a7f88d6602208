#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

// Two nodes of four GPUs, two to a PCIe switch with a NIC of 6 GB/s. For NCCL, GPUs that neither
// P2P nor shared memory joins are on different nodes, so its rings leave each by its NIC.
TEST(NcclMachine, HasANodeForEachGroupOfGpusWithP2pWithoutShm) {
  const NodeTypeSpec type{
      "pairs",
      {machines::socket({machines::switches(2, {machines::gpus(2), machines::nics(1)})})},
      std::nullopt,
      {},
      std::nullopt};
  const Topology topology{build_cluster(machines::on_one_switch(type, 2))};
  const auto machine_under = [&](const TransportProfile& profile) {
    const TransferPaths paths{topology, profile, places_of_ranks(topology, 8, profile)};
    return nccl_machine(paths, channel_rings(paths));
  };
  const NcclMachine pairs = machine_under({.p2p = PathLevel::pix, .shm = false});
  EXPECT_EQ(pairs.nodes, 4);
  EXPECT_NEAR(pairs.between.value(), 6e9, 1);
  // Two GPUs share a NIC: two of the ring's messages cross it each way.
  const NcclMachine single = machine_under({.p2p = std::nullopt, .shm = false});
  EXPECT_EQ(single.nodes, 8);
  EXPECT_TRUE(single.has_one_rank_per_node());
  EXPECT_NEAR(single.between.value(), 6e9 / 2, 1);
  EXPECT_EQ(machine_under({.p2p = std::nullopt}).nodes, 2);
}

}  // namespace
}  // namespace ringcast
