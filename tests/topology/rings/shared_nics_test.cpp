#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {
namespace {

using namespace machines;

// Two GPUs and two NICs on each of two switches: whatever the ranks, the two of a switch have a
// NIC each, when they send to node 1 and when they receive from there.
TEST(Routes, OfGpusBelowOneSwitchShareItsNicsInAnyOrderOfRanks) {
  const NodeTypeSpec type{
      "two-each", {socket({switches(2, {gpus(2), nics(2)})})}, std::nullopt, {}, std::nullopt};
  ClusterSpec spec = on_one_switch(type, 2);
  for (const std::vector<int>& first :
       {std::vector<int>{}, {0, 2, 1, 3, 4, 6, 5, 7}, {3, 1, 0, 2, 7, 5, 4, 6}}) {
    spec.job_gpus = first;
    const Topology topology{build_cluster(spec)};
    std::map<std::string, std::set<std::string>> nics;  // by the switch that is left, or entered
    for (int rank = 0; rank < 4; ++rank) {
      const std::vector<std::string> out = path(topology, rank, rank + 4);
      const std::vector<std::string> back = path(topology, rank + 4, rank);
      nics["from " + out.at(0).substr(out.at(0).find("-> "))].insert(out.at(1));
      nics["to " + back.back().substr(0, back.back().find(" ->"))].insert(back.at(back.size() - 2));
    }
    for (const auto& [at, used] : nics) {
      EXPECT_EQ(used.size(), 2U) << at;
    }
  }
}

}  // namespace
}  // namespace ringcast
