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
      "--hostfile: 1 host, but node1.gpu0 is node 1 (expected a host for each)");
}

}  // namespace
}  // namespace ringcast
