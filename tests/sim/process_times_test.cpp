// All-reduces between CPU processes, in simulated time.
#include <gtest/gtest.h>

#include "sim/simgrid/sim_transport.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/machines.hpp"
#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using machines::cpu_node;

double ring_time(const ClusterSpec& spec, const TransportProfile& profile, std::uint64_t bytes) {
  return testing::number_from_fork([&] {
    const Topology topology{build_cluster(spec)};
    return testing::simulated_time(topology.cluster(), profile,
                                   testing::ring_program(topology.ranks(), bytes / 4))
        .count();
  });
}

NodeTypeSpec without_memory_limit(int processes) {
  NodeTypeSpec type = cpu_node(1, processes);
  type.sockets.front().memory = BytesPerSecond{0};
  return type;
}

TransportProfile shared_memory() {
  TransportProfile profile = testing::free_of_cost();
  profile.host_copies = 1;
  profile.reduce_rate = BytesPerSecond{4e9};
  profile.fused_reduction = true;
  return profile;
}

// n ranks on a socket: n - 1 steps reduce a chunk of S/n at 4 GB/s in one pass, n - 1 copy one at
// the core's 8 GB/s; each message costs 2 us.
TEST(ProcessTimes, OfARingFollowTheCores) {
  TransportProfile profile = shared_memory();
  profile.message_overhead = Seconds{2e-6};
  for (const int ranks : {2, 4}) {
    const double chunk = 1.6e9 / ranks;
    const double expected = (ranks - 1) * (chunk / 4e9 + chunk / 8e9 + 2 * 2e-6);
    EXPECT_NEAR(
        ring_time(machines::cluster_of(without_memory_limit(ranks), 1), profile, 1'600'000'000),
        expected, 1e-9 * expected);
  }
}

// Four cores that copy at once move 4 * 8 GB/s, read and written: 64 GB/s, more than the memory's
// 40. So a copy gets 40 / 8 = 5 GB/s, and a reduction its own 4.
TEST(ProcessTimes, OfARingFollowTheSocketsMemory) {
  const double chunk = 0.4e9;
  const double expected = 3 * (chunk / 4e9 + chunk / 5e9);
  EXPECT_NEAR(ring_time(machines::cluster_of(cpu_node(1, 4), 1), shared_memory(), 1'600'000'000),
              expected, 1e-9 * expected);
}

// Two hosts with a process each: 2 steps of S/2 at the 6 GB/s of the switch. Every hop takes the
// 1 us of PCIe at both ends, and 2 us of each network cable.
TEST(ProcessTimes, OfTwoHostsFollowTheNetwork) {
  TransportProfile profile = shared_memory();
  profile.reduce_rate = BytesPerSecond{0};
  const double expected = 2 * (0.6e9 / 6e9 + 6e-6);
  EXPECT_NEAR(ring_time(machines::on_one_switch(cpu_node(1, 1), 2), profile, 1'200'000'000),
              expected, 1e-9 * expected);
}

// Two processes on each of two hosts: the hops between the hosts share nothing, and set the pace of
// all: 6 steps of S/4 at 6 GB/s, at 4 GB/s in the three that reduce, each after the 6 us of a hop.
TEST(ProcessTimes, OfSeveralProcessesOnTwoHostsFollowTheSlowestHop) {
  const double chunk = 0.3e9;
  const double expected = 3 * (chunk / 4e9 + chunk / 6e9) + 6 * 6e-6;
  EXPECT_NEAR(ring_time(machines::on_one_switch(cpu_node(1, 2), 2), shared_memory(), 1'200'000'000),
              expected, 1e-9 * expected);
}

}  // namespace
}  // namespace ringcast
