#include "topology/nccl/rccl_tables.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/nccl/tuned_machines.hpp"
#include "topology/links/measured_constants.hpp"
#include "topology/nccl/nccl_search.hpp"

namespace ringcast {
namespace {

NcclMachine nodes_of_mi300x(int nodes) {
  return {.nodes = nodes,
          .ranks = 8 * nodes,
          .nvlink = true,
          .xgmi_mesh = true,
          .in_node = BytesPerSecond{376e9},
          .between = BytesPerSecond{376e9},
          .search = {.rings = 8}};
}

/// Four rings of 36 GB/s in a node, four NICs of 22.5 GB/s.
NcclMachine nodes_of_mi250x(int nodes) {
  return {.nodes = nodes,
          .ranks = 8 * nodes,
          .gpus = {.mi250 = true},
          .hosts = {.amd = true},
          .nvlink = true,
          .in_node = BytesPerSecond{144e9},
          .between = BytesPerSecond{nodes > 1 ? 90e9 : 0},
          .nics = 4,
          .search = {.rings = 8},
          .rccl = true};
}

std::string chosen(const NcclMachine& machine, Bytes size) {
  return first_choice(machine, size).protocol.full_name();
}

// The protocol changes after 1 and below 8 MiB. To 64 MiB trees of Simple reach 0.11 of the
// bandwidth, or half as much of the data, rings a tenth, or 8/15 of that, and 640 us later: 64 MiB
// take 3.2 ms, 4.0 on a ring. 128 MiB take 0.7 of the rate, 9.3 ms, and 7.3 on a ring.
TEST(RcclTables, ChooseAsMi300xDoBetweenTwoNodes) {
  const NcclMachine two = nodes_of_mi300x(2);
  EXPECT_EQ(chosen(two, 8_B), "tree/LL");
  EXPECT_EQ(chosen(two, 1_MiB), "tree/LL");
  EXPECT_EQ(chosen(two, 2_MiB), "tree/LL128");
  EXPECT_EQ(chosen(two, 4_MiB), "tree/LL128");
  EXPECT_EQ(chosen(two, 8_MiB), "tree/Simple");
  EXPECT_EQ(chosen(two, 16_MiB), "tree/Simple");
  EXPECT_EQ(chosen(two, 64_MiB), "tree/Simple");
  EXPECT_EQ(chosen(two, 128_MiB), "ring/Simple");
  EXPECT_EQ(chosen(two, 16_GiB), "ring/Simple");
}

// Ring/LL128 costs 14 + 14 x 1.9 us and reaches 0.92 x 0.78 of 376 GB/s x 8/14, Simple 8.4 + 14 x
// 3.4 us and all of it: equal at 8.4 MB. NCCL's 0.92 would make that 38 MB.
TEST(RcclTables, EndLl128InANodeWhereSimpleIsFaster) {
  NcclMachine machine = nodes_of_mi300x(1);
  machine.search.rings = 28;  // enough for NCCL's limit for each
  const auto ring = [&](Bytes size) {
    return first_choice(machine, size, "ring").protocol.full_name();
  };
  EXPECT_EQ(ring(4_MiB), "ring/LL128");
  EXPECT_EQ(ring(16_MiB), "ring/Simple");
}

// A chunk is one slice in a node, two between nodes.
TEST(RcclTables, SynchroniseOncePerChunkInANode) {
  const auto latency = [](int nodes) {
    const auto simple = simple_of(nodes_of_mi300x(nodes), 1_GiB, "ring");
    return simple.protocol.latency_of(PathKind::nvlink).count();
  };
  EXPECT_NEAR(latency(1), 3.4e-6, 1e-12);
  EXPECT_NEAR(latency(2), 2 * 1.4 * 3.4e-6, 1e-12);  // on NCCL's plateau
}

// Whatever the size, but not on MI350.
TEST(RcclTables, AddWhatTreesOfSimpleTakeOnMi300x) {
  const double more = measured_constant(rccl_tree) * 1e-6;
  EXPECT_NEAR(more, 70e-6, 1e-9);
  const auto call = [](const NcclMachine& machine) {
    return first_choice(machine, 32_MiB).protocol.call_overhead.count();
  };
  NcclMachine mi355x = nodes_of_mi300x(2);
  mi355x.gpus.mi350 = true;
  EXPECT_NEAR(call(nodes_of_mi300x(2)) - call(mi355x), more, 1e-12);
  const auto call_of_ll = [](const NcclMachine& machine) {
    return first_choice(machine, 64_KiB).protocol.call_overhead;
  };
  EXPECT_EQ(call_of_ll(nodes_of_mi300x(2)), call_of_ll(mi355x));
}

// 8.4 us, 28 hops of 3.4 us in nodes and two of 14 us between them, which RCCL expects to take
// 320 us more each. The 8 bytes take less than 0.4 ns at a tenth of 376 GB/s x 16/30.
TEST(RcclTables, ExpectSlowHopsOfRingsBetweenNodes) {
  EXPECT_NEAR(simple_of(nodes_of_mi300x(2), 8_B, "ring").estimate.count(),
              (8.4 + 28 * 3.4 + 2 * 14 + 2 * 320) * 1e-6, 1e-9);
}

// Cables between switches slow a ring down, but RCCL does not know them.
TEST(RcclTables, ExpectTheRateOfNics) {
  NcclMachine slow = nodes_of_mi300x(2);
  slow.between = BytesPerSecond{37.6e9};
  slow.expected_between = BytesPerSecond{376e9};
  EXPECT_EQ(simple_of(slow, 1_GiB, "ring").estimate,
            simple_of(nodes_of_mi300x(2), 1_GiB, "ring").estimate);
}

// Among more nodes LL128 lasts to 3.8 x 9 = 34.2 MiB, and trees of Simple reach 0.59: 256 MiB take
// 3.5 ms, and 3.3 on a ring beside the hops in the nodes. 1 GiB take 16 ms, and 7.5.
TEST(RcclTables, PreferTreesAmongMoreNodes) {
  const NcclMachine four = nodes_of_mi300x(4);
  EXPECT_EQ(chosen(four, 32_MiB), "tree/LL128");
  EXPECT_EQ(chosen(four, 128_MiB), "tree/Simple");
  EXPECT_EQ(chosen(four, 256_MiB), "tree/Simple");
  EXPECT_EQ(chosen(four, 1_GiB), "ring/Simple");
}

// LL to 131071 B, LL128 to 17660227 B; at 128 MiB a tree has 0.9 of its rate left.
TEST(RcclTables, ChooseOtherwiseForMi350) {
  NcclMachine two = nodes_of_mi300x(2);
  two.gpus.mi350 = true;
  EXPECT_EQ(chosen(two, 64_KiB), "tree/LL");
  EXPECT_EQ(chosen(two, 128_KiB), "tree/LL128");
  EXPECT_EQ(chosen(two, 16_MiB), "tree/LL128");
  EXPECT_EQ(chosen(two, 32_MiB), "tree/Simple");
  EXPECT_EQ(chosen(two, 128_MiB), "tree/Simple");
  EXPECT_EQ(chosen(two, 256_MiB), "ring/Simple");
}

// RCCL counts 288 GB/s. Ring/LL: 6.6 + 14 x 0.8 us, 0.04 of it x 8/14: 38 us for 128 KiB, 58 for
// 256. Tree/Simple: 8.4 + 14 x 2.5 us, 0.91 of it x 0.3, 0.6, 1 and 0.9, halved: 47, 47, 107 us for
// 8 MiB and 186 for 16. Ring/Simple: 8.4 + 14 x 3.6 us, 8/14 of it: 110 and 161 us.
TEST(RcclTables, ChooseInANodeOfMi250x) {
  const NcclMachine one = nodes_of_mi250x(1);
  EXPECT_EQ(chosen(one, 8_B), "ring/LL");
  EXPECT_EQ(chosen(one, 128_KiB), "ring/LL");
  EXPECT_EQ(chosen(one, 256_KiB), "tree/Simple");
  EXPECT_EQ(chosen(one, 8_MiB), "tree/Simple");
  EXPECT_EQ(chosen(one, 16_MiB), "ring/Simple");
  EXPECT_EQ(chosen(one, 1_GiB), "ring/Simple");
}

// RCCL counts 180 GB/s. Two nodes, tree/LL: 6.8 + 2 x (7 x 0.8 + 12.5) us, a fifth of it x 0.6 and
// 0.4, halved: 67 us for 256 KiB, 116 for 512. Tree/Simple: 8.4 + 2 x (7 x 2.5 + 22.4) us, 1.75 of
// it, halved: 90 and 92 us; 7.7 ms for 1 GiB x 0.9, 11 on a ring. Eight nodes, tree/Simple 0.96 and
// ring 64/126 of it: 64 MiB take 0.95 and 1.7 ms with 112 hops of 6 us and 14 of 19.8, 1 GiB x 0.9
// 13.9 and 12.7 ms.
TEST(RcclTables, ChooseBetweenNodesOfMi250x) {
  const NcclMachine two = nodes_of_mi250x(2);
  EXPECT_EQ(chosen(two, 8_B), "tree/LL");
  EXPECT_EQ(chosen(two, 256_KiB), "tree/LL");
  EXPECT_EQ(chosen(two, 512_KiB), "tree/Simple");
  EXPECT_EQ(chosen(two, 1_GiB), "tree/Simple");
  const NcclMachine eight = nodes_of_mi250x(8);
  EXPECT_EQ(chosen(eight, 64_MiB), "tree/Simple");
  EXPECT_EQ(chosen(eight, 1_GiB), "ring/Simple");
}

// As without NICs: 256 KiB take 97 us on a tree of LL at 0.04 x 0.3 of 180 GB/s, halved.
TEST(RcclTables, KnowNodesOfFourMi250xWithFourNicsOnly) {
  NcclMachine two = nodes_of_mi250x(2);
  two.nics = 2;
  EXPECT_EQ(chosen(two, 256_KiB), "tree/Simple");
  two.ranks = 8;
  EXPECT_EQ(rccl_tables::model_of(two), nullptr);
  EXPECT_EQ(rccl_tables::listings(two), 1);
  // Their search goes by the rate, as that of other machines.
  EXPECT_EQ(detail::search_parts(two, 4, 36e9), 2);
  EXPECT_EQ(detail::search_parts(two, 4, 22.5e9), 1);
  EXPECT_EQ(detail::search_parts(nodes_of_mi250x(2), 4, 22.5e9), 2);
}

// Two GPUs on PCIe: 9.5 us and two hops for LL, up to 8 KiB.
TEST(RcclTables, AreThoseOfTheDefaultInOtherNodes) {
  NcclMachine pair{.ranks = 2, .in_node = BytesPerSecond{24e9}, .between = {}, .rccl = true};
  EXPECT_EQ(chosen(pair, 8_KiB), "ring/LL");
  EXPECT_EQ(chosen(pair, 32_KiB), "ring/Simple");
  pair.nodes = 2;
  EXPECT_EQ(rccl_tables::model_of(pair), nullptr);
}

TEST(RcclTables, HaveLl128OnEightMi250xOnly) {
  const auto has_ll128 = [](int dies) {
    NcclMachine node = nodes_of_mi250x(1);
    node.ranks = dies;
    return std::ranges::any_of(nccl_choices(node, tuned_profile(), 1_MiB),
                               [](const auto& each) { return each.protocol.name == "LL128"; });
  };
  EXPECT_FALSE(has_ll128(2));
  EXPECT_FALSE(has_ll128(8));
  EXPECT_TRUE(has_ll128(16));
}

// What a user leaves out is not chosen, and a node by itself goes by NCCL's rules.
TEST(RcclTables, LeaveTheRestToNccl) {
  TransportProfile profile = tuned_profile();
  std::erase_if(profile.protocols, [](const Protocol& each) { return each.name == "LL128"; });
  EXPECT_EQ(nccl_choices(nodes_of_mi300x(2), profile, 8_MiB).front().protocol.algorithm, "tree");
  EXPECT_EQ(nccl_choices(nodes_of_mi300x(2), profile, 2_MiB, "ring").front().protocol.algorithm,
            "ring");
  NcclMachine one = nodes_of_mi300x(1);
  one.between = BytesPerSecond{0};
  EXPECT_EQ(chosen(one, 1_GiB), "ring/Simple");
}

}  // namespace
}  // namespace ringcast
