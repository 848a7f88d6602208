#include "app/report/job_map.hpp"

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using namespace machines;

TEST(JobMap, TakesTheNamesOfTheHosts) {
  const Topology topology{build_cluster(on_one_switch(least(), 2))};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, 2, {})};
  const std::vector<std::string> names{"alpha", "beta"};
  EXPECT_EQ(job_map(paths, names).hosts, names);
  EXPECT_EQ(
      machines::refusal([&] { static_cast<void>(job_map(paths, std::span{names}.first(1))); }),
      "--hostfile: 1 host, but node1.gpu0 is on node 1 of the job (expected a host for each)");
}

// Hosts and devices are named by the job, whatever its order.
TEST(JobMap, NumbersTheHostsOfAJobInItsOrder) {
  ClusterSpec spec = on_one_switch(dual_root(), 4);
  spec.job_gpus = {24 + 5, 24 + 1, 8 + 7};
  const Topology topology{build_cluster(spec)};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, 3, {})};
  const JobMap map = job_map(paths, std::vector<std::string>{"alpha", "beta"});
  EXPECT_EQ(map.hosts, (std::vector<std::string>{"alpha", "beta"}));
  EXPECT_EQ(map.places.at(0).device, 5);
  EXPECT_EQ(map.places.at(1).device, 1);
  EXPECT_EQ(map.places.at(2).host, 1);
  EXPECT_EQ(map.places.at(2).device, 7);
}

// A process has the core of its number, whichever others take part.
TEST(JobMap, GivesEachProcessItsCore) {
  ClusterSpec spec = cluster_of(least(), 1);
  SocketSpec& socket = spec.node_types.front().sockets.front();
  socket = SocketSpec{2, {}};
  socket.processes = 4;
  socket.process_cable = cable("core", 9);
  spec.node_types.front().socket_cable = cable("upi-16", 22);
  spec.job_gpus = {6, 1};
  const Topology topology{build_cluster(spec)};
  const JobMap map = job_map({topology, {}, places_of_ranks(topology, 2, {})}, {});
  EXPECT_EQ(map.places.at(0).slot, "1:2");
  EXPECT_EQ(map.places.at(1).slot, "0:1");
}

}  // namespace
}  // namespace ringcast
