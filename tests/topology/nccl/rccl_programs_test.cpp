#include "topology/nccl/rccl_programs.hpp"

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

TransportProfile rccl_profile() {
  const Protocol ring{"ring", "LL", Seconds{12e-6}, {{PathKind::nvlink, Seconds{0.8e-6}}}, 0.5};
  TransportProfile profile;
  profile.tuner = Tuner::nccl;
  profile.protocols = {ring};
  return profile;
}

NcclMachine eight_mi300x() {
  NcclMachine machine;
  machine.ranks = 8;
  machine.nvlink = true;
  machine.xgmi_mesh = true;
  machine.in_node = BytesPerSecond{312e9};
  return machine;
}

bool has_program(const NcclMachine& machine, const TransportProfile& profile, Bytes size) {
  return detail::rccl_program(machine, profile, size).has_value();
}

// 12 us, two hops of 0.8 us, and 64 KiB x 14/8 at half of 312 GB/s; before any other choice, but
// not where a ring is asked for.
TEST(RcclPrograms, TakeTwoHops) {
  const auto first = [](std::optional<std::string_view> algorithm) {
    return nccl_choices(eight_mi300x(), rccl_profile(), Bytes{65536}, algorithm).front();
  };
  const NcclChoice program = first({});
  EXPECT_EQ(program.protocol.full_name(), "parameter-server/LL");
  EXPECT_NEAR(program.estimate.count(), 13.6e-6 + 65536 * 14.0 / 8 / 156e9, 1e-12);
  EXPECT_FALSE(program.segment);
  EXPECT_EQ(first("ring").protocol.algorithm, "ring");
}

// 256 pieces of 4 bytes to 64 KiB, 512 below 512 KiB.
TEST(RcclPrograms, FitCertainSizes) {
  const auto fits = [](std::uint64_t size) {
    return has_program(eight_mi300x(), rccl_profile(), Bytes{size});
  };
  for (const std::uint64_t size : {1024U, 3072U, 65536U, 65536U + 2048U, 524288U - 2048U}) {
    EXPECT_TRUE(fits(size)) << size;
  }
  for (const std::uint64_t size : {0U, 8U, 512U, 1028U, 65536U + 1024U, 524288U}) {
    EXPECT_FALSE(fits(size)) << size;
  }
}

TEST(RcclPrograms, FitEightGpusOfANodeInAsManyProcesses) {
  const auto fits = [](const NcclMachine& machine) {
    return has_program(machine, rccl_profile(), Bytes{1024});
  };
  EXPECT_TRUE(fits(eight_mi300x()));
  NcclMachine other = eight_mi300x();
  other.ranks = 4;
  EXPECT_FALSE(fits(other));
  other = eight_mi300x();
  other.nodes = 2;
  EXPECT_FALSE(fits(other));
  other = eight_mi300x();
  other.xgmi_mesh = false;
  EXPECT_FALSE(fits(other));

  TransportProfile profile = rccl_profile();
  profile.gpus_per_process = 8;
  EXPECT_FALSE(has_program(eight_mi300x(), profile, Bytes{1024}));
  profile = rccl_profile();
  profile.protocols.clear();
  EXPECT_FALSE(has_program(eight_mi300x(), profile, Bytes{1024}));
}

/// A node of eight GPUs, each pair connected by a link of this class.
Topology full_mesh_of(const std::string& link_class) {
  NodeTypeSpec mesh = machines::eight_rails();
  mesh.nvswitch.reset();
  for (int a = 0; a < 8; ++a) {
    for (int b = a + 1; b < 8; ++b) {
      mesh.nvlinks.push_back({a, b, 1, machines::cable(link_class, 48)});
      mesh.nvlinks.back().cable.base_class = link_class;
    }
  }
  return Topology{build_cluster(machines::cluster_of(mesh, 1))};
}

TransferPaths rccl_paths(const Topology& topology, int ranks) {
  TransportProfile profile{.name = "test", .source = "test"};
  profile.tuner = Tuner::rccl;
  return {topology, profile, places_of_ranks(topology, ranks, {})};
}

// Seven GPUs of a mesh of eight MI300X have six disjoint rings, of which RCCL's search takes one;
// eight and four have models of their own. Through four go six directed cycles, two on each link.
TEST(RcclPrograms, HaveFewRingsThroughAPartOfAMesh) {
  const Topology mesh = full_mesh_of("xgmi-mi300x");
  const auto rings = [&](int ranks) { return rings_of_nccl(rccl_paths(mesh, ranks)).size(); };
  EXPECT_EQ(rings(2), 1);
  EXPECT_EQ(rings(3), 2);
  EXPECT_EQ(rings(4), 6);
  for (const int ranks : {5, 6, 7})
    EXPECT_EQ(rings(ranks), 1) << ranks;
  EXPECT_EQ(rings(8), 7);
}

// Nodes of MI300A have four GPUs, so three of them are not a part of a mesh of eight.
TEST(RcclPrograms, KnowThePartsOfMeshesByTheirLinks) {
  for (const auto& [link_class, is_part] : {std::pair{"xgmi-mi300x", true},
                                            {"xgmi-mi355x", true},
                                            {"xgmi-mi300a", false},
                                            {"xgmi-mi250x", false}}) {
    const Topology mesh = full_mesh_of(link_class);
    EXPECT_EQ(detail::is_part_of_mesh(rccl_paths(mesh, 3)), is_part) << link_class;
  }
}

// The models of RCCL for several nodes of MI300X are not known to be those of MI300A.
TEST(RcclPrograms, CountMi300aAsMi300xInOneNode) {
  const auto is_mesh = [](const char* link_class, int nodes) {
    NodeTypeSpec type{"node",
                      {machines::socket({machines::gpus(2), machines::nics(1)})},
                      std::nullopt,
                      {},
                      std::nullopt};
    CableSpec xgmi = machines::cable(link_class, 45);
    xgmi.base_class = link_class;
    type.nvlinks.push_back({0, 1, 2, xgmi});
    const Topology topology{build_cluster(machines::on_one_switch(type, nodes))};
    const TransferPaths paths = rccl_paths(topology, topology.ranks());
    return nccl_machine(paths, channel_rings(paths)).xgmi_mesh;
  };
  EXPECT_TRUE(is_mesh("xgmi-mi300a", 1));
  EXPECT_FALSE(is_mesh("xgmi-mi300a", 2));
  EXPECT_TRUE(is_mesh("xgmi-mi300x", 2));
}

}  // namespace
}  // namespace ringcast
