#include "topology/rings/search_goal.hpp"

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/topology/random_machines.hpp"
#include "topology/rings/ring_load.hpp"
#include "topology/rings/ring_search.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast::detail {
namespace {

using namespace machines;

struct GoalJob {
  explicit GoalJob(const ClusterSpec& spec)
      : topology{build_cluster(spec)},
        paths{topology, {}, places_of_ranks(topology, topology.ranks(), TransportProfile{})} {}

  [[nodiscard]] double busbw(const std::vector<std::vector<Rank>>& rings) const {
    LinkLoads loads{paths};
    for (const std::vector<Rank>& ring : rings)
      loads.add_ring(ring);
    return static_cast<double>(rings.size()) / loads.slowest();
  }
  [[nodiscard]] double bound() const { return ring_bound(paths).busbw.value(); }

  Topology topology;
  TransferPaths paths;
};

/// What is asserted holds for the result of any search, also of one that ended early.
RingSearch searched(int channels) {
  return {.channels = channels, .time_limit = Seconds{0.05}};
}

/// GPU 0 has an NVLink of 10 GB/s each to GPUs 1 and 4; NVLinks of `fast` GB/s join 1-2-3-4 in a
/// square. PCIe of `pcie` GB/s joins all of them.
ClusterSpec thin_gpu(double pcie, double fast) {
  DeviceSpec gpu{VertexKind::gpu, 5, cable("slot", pcie, 0), {}};
  NodeTypeSpec type{
      "thin",
      {socket({{VertexKind::pcie_switch, 1, cable("uplink", 100, 0), {std::move(gpu)}}})},
      std::nullopt,
      {},
      std::nullopt};
  for (const int end : {1, 4})
    type.nvlinks.push_back({0, end, 1, cable("thin", 10, 0)});
  for (const int begin : {1, 2, 3})
    type.nvlinks.push_back({begin, begin + 1, 1, cable("thick", fast, 0)});
  type.nvlinks.push_back({4, 1, 1, cable("thick", fast, 0)});
  return cluster_of(type, 1);
}

// PCIe adds little to the NVLinks of the machine, but half to those of GPU 0: 10 + 10 GB/s of
// NVLinks and 10 or 15 of PCIe.
TEST(SearchGoal, CountsPcieWhereOneGpuHasFewNvlinks) {
  const GoalJob job{thin_gpu(10, 200)};
  EXPECT_NEAR(job.bound() / 1e9, 30, 1e-6);
  EXPECT_NEAR(search_goal(job.paths).enough / 1e9, 30, 1e-6);
  EXPECT_NEAR(search_rings(job.paths, {}).busbw.value() / 1e9, 30, 1e-6);

  const GoalJob wider{thin_gpu(15, 400)};
  for (const int channels : {3, 6}) {
    const FoundRings found = search_rings(wider.paths, searched(channels));
    EXPECT_TRUE(!found.proved_optimal || found.busbw.value() > 29.9e9) << channels;
    EXPECT_LE(found.busbw.value(), (1 + 1e-9) * wider.bound());
  }
}

// Six NVLinks of 20 GB/s out of each GPU. PCIe adds QPI's 6 GB/s each way, where all others cross a
// root complex at most: (8 x 120 + 2 x 6) / 8 for all ranks together.
TEST(SearchGoal, IsThatOfNvlinksWherePcieAddsLittle) {
  const GoalJob job{cluster_of(dgx1(), 1)};
  const SearchGoal goal = search_goal(job.paths);
  EXPECT_NEAR(goal.enough / 1e9, 120, 1e-6);
  EXPECT_NEAR(goal.bound.busbw.value() / 1e9, 121.5, 1e-3);
  // Six rings faster than that have no use for single NVLinks, nor for PCIe.
  EXPECT_TRUE(is_optimal(job.paths, 6, BytesPerSecond{120e9}));
  EXPECT_FALSE(is_optimal(job.paths, 6, BytesPerSecond{119e9}));
}

// Two nodes with a GPU and a NIC on each socket. Rings between nodes only would cross a NIC of
// 9.7 GB/s at each GPU; two that also use QPI, once each way, fill the GPUs' links of 10 GB/s.
TEST(SearchGoal, CountsHopsWithinNodesWithoutNvlinks) {
  const SocketSpec half = socket({gpus(1), nics(1)});
  ClusterSpec spec = on_one_switch({"halves", {half, half}, qpi(), {}, std::nullopt}, 2);
  spec.single_switch = SingleSwitchSpec{1, cable("nic", 9.7)};
  const GoalJob job{spec};
  EXPECT_NEAR(job.bound() / 1e9, 10, 1e-6);
  EXPECT_EQ(search_goal(job.paths).enough, job.bound());
  EXPECT_NEAR(search_rings(job.paths, {}).busbw.value() / 1e9, 10, 1e-6);
}

/// Random machines whose NVLinks differ in their rates, from slower than PCIe to far faster.
class MixedMachines {
 public:
  GoalJob of(int ranks) {
    ClusterSpec spec = machines_.of(ranks);
    for (NvlinkSpec& each : spec.node_types.front().nvlinks)
      each.cable = cable(fmt::format("nvlink{}", random_() % 4), rate());
    return GoalJob{spec};
  }
  std::vector<Rank> ring(int ranks) {
    std::vector<Rank> order;
    for (int i = 0; i < ranks; ++i)
      order.push_back(Rank{i});
    std::shuffle(order.begin() + 1, order.end(), random_);
    return order;
  }

 private:
  double rate() { return 8.0 * static_cast<double>(1 + random_() % 4); }

  RandomMachines machines_{11};
  std::mt19937_64 random_{11};
};

/// Calls `check` for so many machines of 3 to 7 ranks.
template <typename Check>
void for_each_machine(MixedMachines& machines, int count, const Check& check) {
  for (int i = 0; i < count; ++i) {
    const int ranks = 3 + i % 5;
    SCOPED_TRACE(fmt::format("machine {} of {} ranks", i, ranks));
    check(machines.of(ranks), ranks);
  }
}

TEST(SearchGoal, IsAtLeastAllSetsOfRings) {
  MixedMachines machines;
  for_each_machine(machines, 20, [&](const GoalJob& job, int ranks) {
    const double bound = (1 + 1e-6) * job.bound();
    std::vector<std::vector<Rank>> rings;
    for (int count = 1; count <= 6; ++count) {
      rings.push_back(machines.ring(ranks));
      EXPECT_LE(job.busbw(rings), bound);
    }
    EXPECT_LE(search_rings(job.paths, searched(0)).busbw.value(), bound);
    const std::optional<RingMix> mix = ring_bound_and_mix(job.paths, {}).mix;
    ASSERT_TRUE(mix);
    for (const std::size_t count : {1U, 2U, 5U, 16U, 79U, 500U})
      EXPECT_LE(job.busbw(equal_rings(*mix, count)), bound);
  });
}

TEST(SearchGoal, HasNoProofForASetSlowerThanAnother) {
  MixedMachines machines;
  for_each_machine(machines, 12, [&](const GoalJob& job, int) {
    const RingMix mix = *ring_bound_and_mix(job.paths, {}).mix;
    std::vector<FoundRings> by_count{{}};
    for (int count = 1; count <= 6; ++count) {
      by_count.push_back(search_rings(job.paths, searched(count)));
      const FoundRings& found = by_count.back();
      const auto rings = static_cast<std::size_t>(count);
      double known = job.busbw(equal_rings(mix, rings));
      for (std::size_t part = 1; part < rings; ++part) {
        if (rings % part == 0) known = std::max(known, by_count[part].busbw.value());
      }
      EXPECT_TRUE(!found.proved_optimal || found.busbw.value() >= (1 - 1e-5) * known) << count;
      known = std::max(known, found.busbw.value());
      EXPECT_FALSE(is_optimal(job.paths, rings, BytesPerSecond{0.999 * known})) << count;
    }
  });
}

TEST(SearchGoal, IsNotKnownIfGpusOfANodeUseTheNetwork) {
  const Topology topology{build_cluster(machines::on_one_switch(machines::dual_root(), 2))};
  const TransferPaths paths{
      topology, {.p2p = std::nullopt, .shm = false}, places_of_ranks(topology, 4, {})};
  EXPECT_THROW(static_cast<void>(detail::search_goal(paths)), ScenarioError);
}

}  // namespace
}  // namespace ringcast::detail
