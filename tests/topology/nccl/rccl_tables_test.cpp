#include "topology/nccl/rccl_tables.hpp"

#include <gtest/gtest.h>

#include "tests/topology/nccl/tuned_machines.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

NcclMachine nodes_of_mi300x(int nodes) {
  return {.nodes = nodes,
          .ranks = 8 * nodes,
          .nvlink = true,
          .xgmi_mesh = true,
          .in_node = BytesPerSecond{376e9},
          .between = BytesPerSecond{376e9},
          .rings = 8};
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
  machine.rings = 28;  // enough for NCCL's limit for each
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
  mi355x.mi350 = true;
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
  two.mi350 = true;
  EXPECT_EQ(chosen(two, 64_KiB), "tree/LL");
  EXPECT_EQ(chosen(two, 128_KiB), "tree/LL128");
  EXPECT_EQ(chosen(two, 16_MiB), "tree/LL128");
  EXPECT_EQ(chosen(two, 32_MiB), "tree/Simple");
  EXPECT_EQ(chosen(two, 128_MiB), "tree/Simple");
  EXPECT_EQ(chosen(two, 256_MiB), "ring/Simple");
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
