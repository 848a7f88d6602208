#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/scenario/scenario.hpp"
#include "topology/cluster/part_of_cluster.hpp"
#include "topology/rings/ring_search.hpp"
#include "topology/rings/search_goal.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

/// The largest clusters get jobs of one pod's first leaves and of several, others all ranks.
/// More are the benchmark's: tests/bench/ring_search_speed.cpp.
std::vector<int> jobs_on(const ClusterSpec& spec) {
  const int ranks = count_ranks(spec);
  return ranks > 2048 ? std::vector{512, 1280} : std::vector{ranks};
}

TEST(RingSearch, ReachesItsGoalOnEachMachineOfTheCatalogue) {
  const std::filesystem::path folder{RINGCAST_SOURCE_DIR "/scenarios"};
  for (const auto& entry : std::filesystem::directory_iterator{folder / "clusters"}) {
    SCOPED_TRACE(entry.path());
    const ClusterSpec spec = read_cluster(entry.path());
    for (const int ranks : jobs_on(spec)) {
      const Topology topology{build_part(spec, ranks)};
      for (const char* const name : {"nccl.yaml", "nccl-no-p2p.yaml"}) {
        // The processes of one-host have no p2p. Machines with NVLinks only: sockets of racks are
        // hosts that nothing else joins; of alps and jupiter the bound takes more than 16 rings,
        // some of which visit a node twice.
        static const std::set<std::string> with_p2p{"one-host",         "gb300-64", "gb200-nvl72",
                                                    "vera-rubin-nvl72", "alps",     "jupiter"};
        const bool no_p2p = name == std::string_view{"nccl-no-p2p.yaml"};
        if (no_p2p && with_p2p.contains(entry.path().stem())) continue;
        SCOPED_TRACE(fmt::format("{}, {} ranks", name, ranks));
        const TransportProfile profile = read_transport(folder / "transports" / name);
        const TransferPaths paths{topology, profile, places_of_ranks(topology, ranks, profile)};
        const BytesPerSecond found = search_rings(paths, {}).busbw;
        const detail::SearchGoal goal = detail::search_goal(paths);
        EXPECT_GE(found.value(), 0.99 * goal.enough);
        EXPECT_LE(found.value(), (1 + 1e-6) * goal.bound.busbw.value());
      }
    }
  }
}

}  // namespace
}  // namespace ringcast
