// GB10, whose NIC cannot access the GPU's memory.
#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "tests/topology/nccl/tuned_machines.hpp"
#include "topology/links/measured_constants.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

// NCCL takes LL128 over NVLink-C2C although the NIC cannot access the GPU's memory.
TEST(NcclGb10, IsKnownByItsModelButNotOverTcp) {
  NodeTypeSpec type = machines::least();
  type.gpudirect = false;
  type.sockets.front().root_complexes.front().devices.front().cable.base_class = "nvlink-c2c";
  const auto pair = [&](const std::string& gpu, const TransportProfile& profile) {
    type.gpu = gpu;
    const Topology topology{build_cluster(machines::on_one_switch(type, 2))};
    const TransferPaths paths{topology, profile, places_of_ranks(topology, 2, {})};
    return nccl_machine(paths, channel_rings(paths));
  };
  EXPECT_TRUE(pair("GB10", {}).gpus.gb10);
  EXPECT_TRUE(pair("GB10", {}).near_nics);
  EXPECT_FALSE(pair("GB10", {.socket_copy_rate = BytesPerSecond{3e9}}).gpus.gb10);
  EXPECT_FALSE(pair("RTX 5090", {}).gpus.gb10);
  EXPECT_FALSE(pair("RTX 5090", {}).near_nics);
}

TEST(NcclGb10, TakesLongerForMessagesBetweenNodes) {
  const auto protocol = [](bool gb10, const char* name) {
    const NcclMachine machine{.nodes = 2,
                              .ranks = 2,
                              .gpus = {.gb10 = gb10},
                              .in_node = BytesPerSecond{23e9},
                              .between = BytesPerSecond{23e9}};
    return choice_of(machine, 1_MiB, name).protocol;
  };
  for (const char* const name : {"ring/LL", "ring/LL128", "ring/Simple", "tree/Simple"}) {
    const Protocol with = protocol(true, name);
    const Protocol without = protocol(false, name);
    EXPECT_NEAR(
        (with.latency_of(PathKind::network) - without.latency_of(PathKind::network)).count(),
        measured_constant(gb10_message) * 1e-6, 1e-12);
    EXPECT_NEAR(with.efficiency_of(PathKind::network) / without.efficiency_of(PathKind::network),
                with.name == "LL128" ? measured_constant(gb10_ll128) : 1, 1e-12);
  }
}

}  // namespace
}  // namespace ringcast
