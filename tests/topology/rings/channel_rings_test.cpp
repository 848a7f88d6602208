#include "topology/rings/channel_rings.hpp"

#include <map>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/rings/ring_load.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using namespace machines;

/// A topology and the rings of a job on it.
class Job {
 public:
  explicit Job(const ClusterSpec& spec, int ranks = 0, const TransportProfile& profile = {})
      : topology_{build_cluster(spec)},
        paths_{topology_, profile,
               places_of_ranks(topology_, ranks == 0 ? topology_.ranks() : ranks, profile)},
        orders_{channel_rings(paths_)} {}

  [[nodiscard]] std::size_t rings() const { return orders_.size(); }
  [[nodiscard]] std::vector<int> order(std::size_t ring) const {
    std::vector<int> numbers;
    for (const Rank rank : orders_.at(ring).ranks()) {
      numbers.push_back(index_of(rank));
    }
    return numbers;
  }
  [[nodiscard]] double busbw() const {
    return ring_bottleneck(paths_, orders_).value().busbw.value() / 1e9;
  }
  /// The number of hops of all rings that cross each link whose name has this part.
  [[nodiscard]] std::map<std::string, int> crossings(std::string_view part) const {
    std::map<std::string, int> found;
    for (const RingOrder& order : orders_) {
      for (const Rank rank : order.ranks()) {
        for (const LinkId link : paths_.between(rank, order.next(rank)).main.links) {
          if (topology_.name_of(link).find(part) != std::string::npos) {
            ++found[topology_.name_of(link)];
          }
        }
      }
    }
    return found;
  }

 private:
  Topology topology_;
  TransferPaths paths_;
  std::vector<RingOrder> orders_;
};

/// GPUs below one root complex whose pairs are joined by NVLinks of 20 GB/s.
NodeTypeSpec bridged(int count, const std::vector<std::pair<int, int>>& pairs) {
  NodeTypeSpec type{"bridged", {socket({gpus(count)})}, std::nullopt, {}, std::nullopt};
  for (const auto& [a, b] : pairs) {
    type.nvlinks.push_back({a, b, 1, cable("nvlink-3.0", 20, 0.5)});
  }
  return type;
}

std::vector<std::pair<int, int>> all_pairs(int count) {
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

/// Two GPUs and `count` NICs on each of four PCIe switches, and an NVSwitch: a DGX A100 has two,
/// many H100 machines have one.
NodeTypeSpec pairs_with_nics(int count) {
  const std::vector<DeviceSpec> below{gpus(2), nics(count)};
  return {"pairs",
          {socket({switches(2, below)}), socket({switches(2, below)})},
          qpi(),
          {},
          NvswitchSpec{12, cable("nvlink-3.0", 20, 0.5)}};
}

TEST(ChannelRings, UseEachNvlinkOfACubeMesh) {
  const Job job{cluster_of(dgx1(), 1)};

  // Six links of 20 GB/s at each GPU: six rings.
  EXPECT_EQ(job.rings(), 6U);
  EXPECT_NEAR(job.busbw(), 120, 1e-9);
  EXPECT_TRUE(job.crossings("root").empty());
}

TEST(ChannelRings, ReachTheNvlinksOfAnyPartOfACubeMesh) {
  // GPUs 0 to 3: each has two links to one of the others and one to the two others.
  EXPECT_NEAR(Job(cluster_of(dgx1(), 1), 4).busbw(), 80, 1e-9);
  // GPU 0 has one link each to 1 and 2, and so have they to each other: a ring each way.
  EXPECT_NEAR(Job(cluster_of(dgx1(), 1), 3).busbw(), 40, 1e-9);
  EXPECT_NEAR(Job(cluster_of(dgx1(), 1), 2).busbw(), 20, 1e-9);
  // GPU 4, the last of five, has NVLinks to GPU 0 only. PCIe: 10 GB/s, but 6 across QPI, which one
  // of the two hops between the sockets avoids over NVLink, either in or out.
  EXPECT_NEAR(Job(cluster_of(dgx1(), 1), 5).busbw(), 12, 1e-9);
}

TEST(ChannelRings, JoinAllPairsOfAMesh) {
  // Seven links of 20 GB/s at each GPU.
  const Job eight{cluster_of(bridged(8, all_pairs(8)), 1)};
  EXPECT_EQ(eight.rings(), 7U);
  EXPECT_NEAR(eight.busbw(), 140, 1e-9);
  // The 12 arcs of four GPUs do not form three rings, but all six rings cross each arc twice: six
  // rings of 10 GB/s.
  const Job four{cluster_of(bridged(4, all_pairs(4)), 1)};
  EXPECT_EQ(four.rings(), 6U);
  EXPECT_NEAR(four.busbw(), 60, 1e-9);
}

TEST(ChannelRings, FindTheCommonUnitOfUnevenBundles) {
  // Two bundles of 40 GB/s and two of 60 in a square: two rings of 20 each way.
  NodeTypeSpec type = bridged(4, {});
  for (int a = 0; a < 4; ++a) {
    type.nvlinks.push_back({a, (a + 1) % 4, 2 + a % 2, cable("nvlink-3.0", 20, 0.5)});
  }
  EXPECT_NEAR(Job(cluster_of(type, 1)).busbw(), 80, 1e-9);
}

TEST(ChannelRings, ArePCIeOrderWhereNvlinksJoinPairsOnly) {
  // Each GPU has a PCIe cable of 10 GB/s and a bridge. In one ring every second hop is a bridge, so
  // half of the cables' directions are free for the reverse ring. Their chains cross between
  // different pairs, 2 and 3, and 0 and 1.
  const Job job{cluster_of(bridged(4, {{0, 2}, {1, 3}}), 1)};
  EXPECT_EQ(job.order(0), (std::vector<int>{1, 3, 2, 0}));
  EXPECT_EQ(job.order(1), (std::vector<int>{3, 1, 0, 2}));
  EXPECT_EQ(job.rings(), 2U);
  EXPECT_NEAR(job.busbw(), 20, 1e-9);
}

TEST(ChannelRings, VisitEachPartOfAPcieTreeOnce) {
  ClusterSpec spec = cluster_of(dual_root(), 1);
  EXPECT_EQ(Job{spec}.order(0), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  // Renumbered: rank i is GPU job_gpus[i]. By rank the ring would cross QPI four times each way.
  spec.job_gpus = {0, 4, 1, 5, 2, 6, 3, 7};
  const Job job{spec};
  EXPECT_EQ(job.order(0), (std::vector<int>{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(job.rings(), 1U);
  EXPECT_NEAR(job.busbw(), 6, 1e-9);  // QPI, once each way
}

TEST(ChannelRings, AreOneOverNvswitches) {
  const Job job{cluster_of(dgx2(), 1)};
  EXPECT_EQ(job.rings(), 1U);
  EXPECT_NEAR(job.busbw(), 120, 1e-9);  // six links of 20 GB/s
}

/// Expects that each link of each of `nics` NICs is crossed once: from and to its PCIe switch,
/// from and to the fabric.
void expect_nics_once_each(const Job& job, std::size_t nics) {
  const std::map<std::string, int> crossings = job.crossings("nic");
  EXPECT_EQ(crossings.size(), 4 * nics);
  for (const auto& [link, times] : crossings) {
    EXPECT_EQ(times, 1) << link;
  }
}

TEST(ChannelRings, TakeANicEachBetweenNodes) {
  // NICs of 6 GB/s; NVSwitch ports of 240 GB/s and PCIe cables of 10 GB/s are no limit.
  for (const std::size_t nodes : {2U, 3U, 4U}) {
    SCOPED_TRACE(nodes);
    const auto count = static_cast<int>(nodes);
    const Job two_nics{on_one_switch(pairs_with_nics(2), count)};
    EXPECT_EQ(two_nics.rings(), 8U);
    EXPECT_NEAR(two_nics.busbw(), 48, 1e-9);
    expect_nics_once_each(two_nics, 8 * nodes);
    EXPECT_TRUE(two_nics.crossings("root").empty());

    const Job one_nic{on_one_switch(pairs_with_nics(1), count)};
    EXPECT_EQ(one_nic.rings(), 4U);
    EXPECT_NEAR(one_nic.busbw(), 24, 1e-9);
    expect_nics_once_each(one_nic, 4 * nodes);
    EXPECT_TRUE(one_nic.crossings("root").empty());

    const Job nic_per_gpu{on_one_switch(eight_rails(), count)};
    EXPECT_EQ(nic_per_gpu.rings(), 8U);
    EXPECT_NEAR(nic_per_gpu.busbw(), 48, 1e-9);
    expect_nics_once_each(nic_per_gpu, 8 * nodes);
    EXPECT_TRUE(nic_per_gpu.crossings("root").empty());
  }
}

// A node's leaf has two cables of 6 GB/s to the spines, which two rings would use as well as eight.
// NCCL does not see them.
TEST(ChannelRings, TakeAllNicsWhateverJoinsTheSwitches) {
  const Job job{on_fat_tree(pairs_with_nics(2), 2, 2, 10, 4)};
  EXPECT_EQ(job.rings(), 8U);
  EXPECT_NEAR(job.busbw(), 12, 1e-9);
  expect_nics_once_each(job, 16);
}

TEST(ChannelRings, StayOnTheirRails) {
  // Each rail is a switch of its own: another rail's NIC is behind the root complex.
  const Job one_nic{on_one_switch(pairs_with_nics(1), 4, 4)};
  EXPECT_TRUE(one_nic.crossings("root").empty());
  EXPECT_NEAR(one_nic.busbw(), 24, 1e-9);
  for (const NodeTypeSpec& type : {pairs_with_nics(2), eight_rails()}) {
    const Job job{on_one_switch(type, 4, 8)};
    EXPECT_TRUE(job.crossings("root").empty());
    EXPECT_NEAR(job.busbw(), 48, 1e-9);
  }
}

// Every second node is passed backwards, which leaves the last of three or five on another rail
// than the first; a third rail before it mends that.
TEST(ChannelRings, StayOnTheirRailsOverAnOddNumberOfNodes) {
  TransportProfile near;
  near.p2p = PathLevel::pxb;
  near.gdr = PathLevel::pxb;
  for (const int nodes : {3, 5}) {
    SCOPED_TRACE(nodes);
    const Job job{on_one_switch(eight_rails(), nodes, 8), 0, near};
    EXPECT_EQ(job.rings(), 8U);
    EXPECT_TRUE(job.crossings("root").empty());
    EXPECT_NEAR(job.busbw(), 48, 1e-9);
    expect_nics_once_each(job, 8 * static_cast<std::size_t>(nodes));
  }
}

TEST(ChannelRings, EnterAndLeaveAtGpusOfOneNic) {
  const Job job{on_one_switch(pairs_with_nics(1), 2)};

  // The NVSwitch takes any order; the second node goes backwards, so that the ring leaves the first
  // at the GPU of the number at which it enters the second.
  EXPECT_EQ(job.order(0), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 0, 8, 15, 14, 13, 12, 11, 10, 9}));
  EXPECT_EQ(job.order(1), (std::vector<int>{3, 4, 5, 6, 7, 0, 1, 2, 10, 9, 8, 15, 14, 13, 12, 11}));
}

TEST(ChannelRings, AreOneForOneNic) {
  // The socket link carries the ring once each way, as do the cables of the PCIe switches.
  const Job baidu{on_one_switch(dual_root(), 5)};
  EXPECT_EQ(baidu.rings(), 1U);
  EXPECT_NEAR(baidu.busbw(), 6, 1e-9);
  for (const auto& [link, times] : baidu.crossings("")) {
    EXPECT_EQ(times, 1) << link;
  }
  const Job pair{on_one_switch(least(), 2)};
  EXPECT_EQ(pair.rings(), 1U);
  EXPECT_EQ(pair.order(0), (std::vector<int>{0, 1}));
  EXPECT_NEAR(pair.busbw(), 6, 1e-9);
}

TEST(ChannelRings, TakeNvlinksOfAMeshToOtherNodes) {
  // Four NICs of 6 GB/s, one to two GPUs. Each ring takes seven NVLinks of 20 GB/s.
  const Job job{on_one_switch(dgx1(), 2)};
  EXPECT_EQ(job.rings(), 4U);
  EXPECT_NEAR(job.busbw(), 24, 1e-9);
  expect_nics_once_each(job, 8);
  EXPECT_TRUE(job.crossings("root").empty());
}

// Walecki's paths cross each of the n(n-1) directions once, and each GPU begins and ends one: no
// NVLink carries two channels, and every NIC one in and one out: a channel of 5 GB/s per GPU.
TEST(ChannelRings, UseEachNvlinkAndEachNicOfAMeshOnce) {
  for (const int count : {2, 4, 8}) {
    NodeTypeSpec type = bridged(0, all_pairs(count));
    type.sockets = {socket({switches(count, {gpus(1), nics(1)})})};
    for (NvlinkSpec& nvlink : type.nvlinks)
      nvlink.cable.bandwidth = BytesPerSecond{5e9};
    const Job job{on_one_switch(type, 2)};
    EXPECT_EQ(job.rings(), static_cast<std::size_t>(count));
    EXPECT_NEAR(job.busbw(), 5 * count, 1e-9);
    for (const auto& [link, times] : job.crossings("gpu")) {
      EXPECT_EQ(times, 1) << count << ": " << link;
    }
  }
}

TEST(ChannelRings, ServeUnevenNodes) {
  // Eight GPUs and four, which have two NICs.
  const Job partial{on_one_switch(pairs_with_nics(1), 2), 12};
  EXPECT_NEAR(partial.busbw(), 12, 1e-9);
  // One GPU of the second node, so one of its NICs: 6 GB/s.
  const Job lone{on_one_switch(pairs_with_nics(1), 2), 9};
  EXPECT_NEAR(lone.busbw(), 6, 1e-9);
  const Job single{cluster_of(least(), 1)};
  EXPECT_EQ(single.order(0), std::vector<int>{0});
}

TEST(ChannelRings, AreOneByNodeWithoutGpus) {
  const Job job{on_one_switch(cpu_node(2, 2), 2)};
  EXPECT_EQ(job.rings(), 1U);
  EXPECT_EQ(job.order(0), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace ringcast
