#include "sim/recurrence/channel_recurrence.hpp"

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "sim/fluid/fluid_transport.hpp"
#include "sim/folding/folding.hpp"
#include "sim/job/simulated_job.hpp"
#include "sim/recurrence/ring_recurrence.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/machines.hpp"
#include "tests/sim/random_jobs.hpp"

namespace ringcast {
namespace {

using testing::RandomJob;
using testing::RandomJobs;

struct FluidRun {
  Seconds time;  // without the overhead of the call
  std::vector<PairTraffic> traffic;
};

FluidRun on_all_ranks(const TransferPaths& paths, const RankProgram& program) {
  const Folding folding{paths, paths.ranks(), dry_run(paths.ranks(), Reduction{}, program),
                        Symmetry::none};
  FluidTransport transport{paths, paths.ranks(), folding.job(), Reduction{}, {}};
  transport.run(program);
  return {transport.time() - paths.profile().call_overhead, folding.traffic(transport.traffic())};
}

RankProgram rings(const std::vector<RingOrder>& channels, std::uint64_t elements) {
  return [=](RankContext& self) {
    make_allreduce("ring", {channels, std::nullopt})
        ->run({self.memory.allocate(elements * 4_B), elements}, self);
  };
}

void expect_same_traffic(std::vector<PairTraffic> a, std::vector<PairTraffic> b) {
  const auto ends = [](const PairTraffic& pair) { return std::pair{pair.from, pair.to}; };
  // Several channels may have the same hop.
  const auto key = [&](const PairTraffic& pair) { return std::pair{ends(pair), pair.bytes}; };
  std::ranges::sort(a, {}, key);
  std::ranges::sort(b, {}, key);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(ends(a[i]), ends(b[i]));
    EXPECT_EQ(a[i].messages, b[i].messages);
    EXPECT_EQ(a[i].bytes, b[i].bytes);
    EXPECT_EQ(a[i].on_cables, b[i].on_cables);
  }
}

/// GPUs with a cable to each other one, all of which differ.
Cluster mesh(int gpus, std::mt19937& random) {
  Cluster cluster{"mesh", {}, {}};
  for (int gpu = 0; gpu < gpus; ++gpu) {
    cluster.vertices.push_back({fmt::format("gpu{}", gpu), VertexKind::gpu, 0});
    for (int other = 0; other < gpu; ++other) {
      const BytesPerSecond rate{1e9 * static_cast<double>(1 + random() % 20)};
      cluster.cables.push_back(
          {other, gpu, rate, Seconds{1e-7 * static_cast<double>(random() % 50)}, "test", "test"});
    }
  }
  return cluster;
}

/// The ring 0, stride, 2 stride, ... of a prime number of ranks: rings of different strides share
/// no link of a mesh.
RingOrder ring_of_stride(int ranks, int stride) {
  std::vector<Rank> order;
  for (int place = 0; place < ranks; ++place) {
    order.push_back(Rank{place * stride % ranks});
  }
  return RingOrder{std::move(order)};
}

TEST(ChannelRecurrence, GivesTheTimeOfTheSimulationWhereNoLinkIsShared) {
  std::mt19937 random{1};
  for (const int ranks : {2, 3, 5, 7, 13}) {
    for (int channels = 1; channels < std::min(ranks, 5); ++channels) {
      for (const std::uint64_t chunk : {1U, 1000U, 100'000U}) {
        const Topology topology{mesh(ranks, random)};
        const TransportProfile profile = testing::random_costs(random);
        const TransferPaths paths{topology, profile, places_of_ranks(topology, ranks, profile)};
        std::vector<RingOrder> orders;
        for (int stride = 1; stride <= channels; ++stride) {
          orders.push_back(ring_of_stride(ranks, stride));
        }
        const std::uint64_t elements = chunk * static_cast<std::uint64_t>(ranks * channels);
        SCOPED_TRACE(fmt::format("{} ranks, {} channels, chunks of {}", ranks, channels, chunk));

        const ChannelRecurrence recurrence{paths, orders, Reduction{}, elements};
        ASSERT_TRUE(recurrence.is_applicable());
        ASSERT_TRUE(recurrence.is_exact());
        const FluidRun fluid = on_all_ranks(paths, rings(orders, elements));
        EXPECT_EQ(recurrence.time().least, recurrence.time().most);
        EXPECT_NEAR(recurrence.time().most / fluid.time, 1, 1e-12);
        expect_same_traffic(recurrence.traffic(), fluid.traffic);
      }
    }
  }
}

/// Compares with the simulation of a job; nothing if the recurrence has nothing to say.
std::optional<ChannelRecurrence::Bounds> checked_bounds(const RandomJob& job) {
  const Topology topology = job.topology();
  const TransferPaths paths{topology, job.profile,
                            places_of_ranks(topology, job.ranks, job.profile)};
  const std::vector<RingOrder> rings = concurrent_rings(job.algorithm, job.options);
  const ChannelRecurrence recurrence{paths, rings, Reduction{}, job.size.count() / 4};
  if (!recurrence.is_applicable()) return std::nullopt;
  const ChannelRecurrence::Bounds bounds = recurrence.time();
  const FluidRun fluid = on_all_ranks(paths, job.program());
  EXPECT_LE(bounds.least, (1 + 1e-12) * fluid.time);
  EXPECT_GE(bounds.most, (1 - 1e-12) * fluid.time);
  expect_same_traffic(recurrence.traffic(), fluid.traffic);
  return bounds;
}

TEST(ChannelRecurrence, BoundsTheTimeOfTheSimulationWhereLinksAreShared) {
  RandomJobs jobs{20261123};
  std::mt19937 random{1};
  int compared = 0;
  int apart = 0;
  while (compared < 100) {
    RandomJob job = jobs.regular();
    if (random() % 2 == 0) job.size += Bytes{4 * (random() % 100)};  // chunks that differ
    if (concurrent_rings(job.algorithm, job.options).empty() || job.options.segment_size) continue;
    SCOPED_TRACE(job.text);
    try {
      const auto bounds = checked_bounds(job);
      compared += bounds ? 1 : 0;
      apart += bounds && bounds->least < bounds->most ? 1 : 0;
    } catch (const ScenarioError&) {
      continue;  // a fat tree that is too small
    }
  }
  EXPECT_GT(apart, 20);  // not all of them are easy
}

// One slow cable in a ring of 1,000: a wave runs round the ring until all wait for that cable. The
// steps after that are left out; RingRecurrence computes all. Every tenth cable is slow in the
// second ring, in which ten positions are computed.
TEST(ChannelRecurrence, LeavesOutStepsThatRepeat) {
  constexpr int ranks = 1000;
  for (const int period : {ranks, 10}) {
    Cluster cluster = testing::star(ranks, 10_GBps, 1_us);
    for (std::size_t cable = 0; cable < cluster.cables.size();
         cable += static_cast<std::size_t>(period)) {
      cluster.cables[cable].bandwidth = 7_GBps;
      cluster.cables[cable].latency = 2_us;
    }
    const Topology topology{cluster};
    const TransportProfile profile = testing::free_of_cost();
    const TransferPaths paths{topology, profile, places_of_ranks(topology, ranks, profile)};
    const std::vector<RingOrder> order{RingOrder::identity(ranks)};
    constexpr std::uint64_t elements = 500 * ranks;

    const ChannelRecurrence recurrence{paths, order, Reduction{}, elements};
    const RingRecurrence all_steps{paths, order.front(), Reduction{}, elements};
    EXPECT_EQ(recurrence.period(), period);
    EXPECT_NEAR(recurrence.time().most / all_steps.time(), 1, 1e-12);
  }
}

/// Nodes of four GPUs and a NIC under a PCIe switch, on a fat tree; one NIC has a slow cable.
ClusterSpec one_slow_nic(int nodes, int slow_node) {
  const auto cable = [](double gigabytes, double microseconds) {
    return CableSpec{"custom", BytesPerSecond{gigabytes * 1e9}, Seconds{microseconds * 1e-6},
                     "test"};
  };
  const auto node_type = [&](const std::string& name, double nic) {
    DeviceSpec pcie{VertexKind::pcie_switch, 1, cable(14, 0.1), {}};
    pcie.devices = {{VertexKind::gpu, 4, cable(12, 0.2), {}},
                    {VertexKind::nic, 1, cable(nic, 0.2), {}}};
    RootComplexSpec root;
    root.devices = {pcie};
    SocketSpec socket;
    socket.root_complexes = {root};
    return NodeTypeSpec{
        .name = name, .sockets = {socket}, .socket_cable = {}, .nvlinks = {}, .nvswitch = {}};
  };
  ClusterSpec spec;
  spec.name = "one slow card";
  spec.node_types = {node_type("node", 10), node_type("slow", 4)};
  spec.nodes = {{"node", slow_node}, {"slow", 1}, {"node", nodes - slow_node - 1}};
  spec.fat_tree = FatTreeSpec{2, 12, 1.0, 1, cable(11, 1), cable(11, 0.7)};
  return spec;
}

// No symmetry is left and a wave runs round the ring; no message shares a link. The job of the
// benchmark on 65,536 ranks, in small.
TEST(ChannelRecurrence, GivesTheTimeOfSimGridWhereOneNicIsSlow) {
  std::mt19937 random{3};
  for (const int nodes : {3, 5, 16}) {
    for (const std::uint64_t chunk : {100U, 20'000U}) {
      const int ranks = 4 * nodes;
      const Topology topology{build_cluster(one_slow_nic(nodes, nodes / 2))};
      const TransportProfile profile = testing::random_costs(random);
      const std::vector<RingOrder> order{RingOrder::identity(ranks)};
      const std::uint64_t elements = chunk * static_cast<std::uint64_t>(ranks);
      SCOPED_TRACE(fmt::format("{} nodes, chunks of {}", nodes, chunk));

      SimulatedJob job{topology, ranks, profile, Reduction{}, {}, Fidelity::cheapest};
      const auto error = job.find_by_recurrence(order, elements, {ranks});
      ASSERT_TRUE(error);
      EXPECT_EQ(*error, 0);
      const double simgrid = testing::number_from_fork([&] {
        SimTransport transport{topology, ranks, profile, Reduction{}, {}};
        transport.run(rings(order, elements));
        return transport.report().time.count();
      });
      EXPECT_NEAR(job.report().time.count() / simgrid, 1, 1e-9);
    }
  }
}

TEST(ChannelRecurrence, IsNotApplicableWithoutAnElementForEachRank) {
  const Topology topology{testing::star(4, 10_GBps, 1_us)};
  const TransportProfile profile = testing::free_of_cost();
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 4, profile)};
  const std::vector<RingOrder> order{RingOrder::identity(4)};

  EXPECT_FALSE((ChannelRecurrence{paths, order, Reduction{}, 0}.is_applicable()));
  EXPECT_FALSE((ChannelRecurrence{paths, order, Reduction{}, 3}.is_applicable()));
  EXPECT_TRUE((ChannelRecurrence{paths, order, Reduction{}, 4}.is_applicable()));
}

TEST(ChannelRecurrence, IsNotApplicableToSomeRanksOfAJob) {
  const Topology topology{testing::star(4, 10_GBps, 1_us)};
  const TransportProfile profile = testing::free_of_cost();
  const std::vector<RingOrder> some{RingOrder::identity(3)};
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 4, profile)};
  EXPECT_FALSE((ChannelRecurrence{paths, some, Reduction{}, 12}.is_applicable()));
  EXPECT_FALSE((RingRecurrence{paths, some.front(), Reduction{}, 12}.is_exact()));
}

// 6 steps of 4,000 B at 10 GB/s; a chunk that is added takes 0.04 us more, and so does the division
// of the last one.
TEST(ChannelRecurrence, DividesAnAverageOnce) {
  const Topology topology{testing::star(4, 10_GBps, 0_us)};
  const TransportProfile profile = testing::reducing(false);
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 4, profile)};
  const std::vector<RingOrder> order{RingOrder::identity(4)};
  const auto time = [&](Operation operation) {
    return ChannelRecurrence{paths, order, {ElementType::float32, operation}, 4000}
        .time()
        .most.count();
  };

  EXPECT_NEAR(time(Operation::sum), 3 * 0.44e-6 + 3 * 0.4e-6, 1e-15);
  EXPECT_NEAR(time(Operation::avg), 3 * 0.44e-6 + 3 * 0.4e-6 + 0.04e-6, 1e-15);
}

// At most five times around a period of one rank, or all of 2 (n - 1) steps; twice for two bounds.
TEST(ChannelRecurrence, EstimatesTheMessagesOfItsSteps) {
  const auto messages = [](int ranks, std::size_t channels) {
    const Topology topology{testing::star(ranks, 10_GBps, 1_us)};
    const TransportProfile profile = testing::free_of_cost();
    const TransferPaths paths{topology, profile, places_of_ranks(topology, ranks, profile)};
    const std::vector<RingOrder> orders(channels, RingOrder::identity(ranks));
    return ChannelRecurrence{paths, orders, Reduction{}, 2400}.most_messages();
  };

  EXPECT_EQ(messages(3, 1), 4);
  EXPECT_EQ(messages(4, 1), 5);
  EXPECT_EQ(messages(4, 2), 2 * 2 * 5);
}

TEST(ChannelRecurrence, IsNotApplicableToOneRank) {
  const Topology topology{testing::star(1, 10_GBps, 1_us)};
  const TransportProfile profile = testing::free_of_cost();
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 1, profile)};
  const std::vector<RingOrder> order{RingOrder::identity(1)};

  EXPECT_FALSE((ChannelRecurrence{paths, order, Reduction{}, 4}.is_applicable()));
}

}  // namespace
}  // namespace ringcast
