// The cost of transfer paths in simulated time: every limit and every cost of a profile by itself.
#include <gtest/gtest.h>

#include "sim/simgrid/sim_transport.hpp"
#include "tests/sim/forked.hpp"
#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;
constexpr std::uint64_t gigabyte = 1'000'000'000;

/// The node of machines::dual_root() without latencies; PCIe at 10 GB/s, QPI at 6.
NodeTypeSpec quick() {
  NodeTypeSpec type = dual_root();
  type.socket_cable->latency = Seconds{0};
  for (SocketSpec& socket : type.sockets) {
    for (DeviceSpec& device : socket.root_complexes.front().devices) {
      device.cable.latency = Seconds{0};
      for (DeviceSpec& below : device.devices) {
        below.cable.latency = Seconds{0};
      }
    }
  }
  return type;
}

ClusterSpec two_nodes() {
  ClusterSpec spec = on_one_switch(quick(), 2);
  spec.single_switch->cable.latency = Seconds{0};
  return spec;
}

using Pairs = std::vector<std::pair<int, int>>;

/// All pairs send so many messages of so many bytes at once.
double time_of(const ClusterSpec& spec, const TransportProfile& profile, const Pairs& pairs,
               std::uint64_t bytes = gigabyte, int messages = 1) {
  return testing::number_from_fork([&] {
    const Topology topology{build_cluster(spec)};
    SimTransport transport{topology, topology.ranks(), profile, Reduction{}, {}};
    transport.run([&](RankContext& self) {
      const Slice data{self.memory.allocate(Bytes{bytes}), Bytes{0}, Bytes{bytes}};
      const Slice landing{self.memory.allocate(Bytes{bytes}), Bytes{0}, Bytes{bytes}};
      std::vector<Pending> all;
      for (const auto& [from, to] : pairs) {
        for (int i = 0; i < messages; ++i) {
          if (self.network.rank() == Rank{to}) {
            all.push_back(self.network.recv(Rank{from}, landing, Tag{0}));
          }
        }
      }
      for (const auto& [from, to] : pairs) {
        for (int i = 0; i < messages; ++i) {
          if (self.network.rank() == Rank{from}) {
            all.push_back(self.network.send(Rank{to}, data, Tag{0}));
          }
        }
      }
      for (Pending& pending : all) {
        pending.wait();
      }
    });
    return transport.report().time.count();
  });
}

// GPUs 0 and 1 below one switch: directly at 10 GB/s each way; through the host both directions use
// the switch's one cable up and down.
TEST(TransferTime, OfGpusWithoutP2pSharesTheirUplink) {
  const ClusterSpec node = cluster_of(quick(), 1);

  EXPECT_NEAR(time_of(node, {}, {{0, 1}, {1, 0}}), 0.1, 1e-12);
  EXPECT_NEAR(time_of(node, {.p2p = std::nullopt}, {{0, 1}}), 0.1, 1e-12);
  EXPECT_NEAR(time_of(node, {.p2p = std::nullopt}, {{0, 1}, {1, 0}}), 0.2, 1e-12);
}

// 10 GB/s of memory, written and read: 5 GB/s.
TEST(TransferTime, CrossesHostMemoryTwice) {
  NodeTypeSpec type = quick();
  type.sockets.front().memory = BytesPerSecond{10e9};

  EXPECT_NEAR(time_of(cluster_of(type, 1), {.p2p = std::nullopt}, {{0, 1}}), 0.2, 1e-12);
}

// 1 MB at half of 10 GB/s costs 100 us more than whole, less than the 200 us that it saves. Two at
// once into one GPU share its cable, flags and all: 2 x 2 MB over 10 GB/s.
TEST(TransferTime, OfAProtocolIncludesWhatItPutsOnTheCables) {
  TransportProfile profile;
  profile.protocols = {
      {.algorithm = "ring", .name = "whole", .latencies = {{PathKind::p2p, Seconds{200e-6}}}},
      {.algorithm = "ring", .name = "half", .efficiency = 0.5}};
  const ClusterSpec node = cluster_of(quick(), 1);

  EXPECT_NEAR(time_of(node, profile, {{0, 1}}, 1'000'000), 200e-6, 1e-12);
  EXPECT_NEAR(time_of(node, profile, {{0, 2}, {1, 2}}, 1'000'000), 400e-6, 1e-12);
  // The next costs nothing beside its bytes.
  EXPECT_NEAR(time_of(node, profile, {{0, 1}}, 1'000'000, 3), 600e-6, 1e-12);
  // 4 MB would take 800 us so, and 200 + 400 us whole.
  EXPECT_NEAR(time_of(node, profile, {{0, 1}}, 4'000'000), 600e-6, 1e-12);
}

// 8 GB/s for peers past the root complex; what is staged obeys it where kernels copy.
TEST(TransferTime, OfPeersPastARootComplexObeysTheirLimit) {
  NodeTypeSpec type = quick();
  CableSpec& cable = type.sockets.front().root_complexes.front().devices.front().cable;
  cable.peer_bandwidth = cable.kernel_bandwidth = BytesPerSecond{8e9};
  const ClusterSpec node = cluster_of(type, 1);

  EXPECT_NEAR(time_of(node, {}, {{0, 2}}), 0.125, 1e-12);
  EXPECT_NEAR(time_of(node, {.p2p = PathLevel::pix}, {{0, 2}}), 0.1, 1e-12);
  EXPECT_NEAR(time_of(node, {.p2p = PathLevel::pix, .kernel_copies = true}, {{0, 2}}), 0.125,
              1e-12);
}

// 6 GB/s each way, 8 GB/s both: 4 GB/s each where two flows meet.
TEST(TransferTime, ObeysALimitOfBothWays) {
  NodeTypeSpec type = quick();
  type.socket_cable->both_ways = BytesPerSecond{8e9};
  const ClusterSpec node = cluster_of(type, 1);

  EXPECT_NEAR(time_of(node, {}, {{0, 4}}), 1.0 / 6, 1e-12);
  EXPECT_NEAR(time_of(node, {}, {{0, 4}, {4, 0}}), 0.25, 1e-12);
}

// Down at 10 GB/s, over InfiniBand at 6, up at 10: at once, or one after the other.
TEST(TransferTime, OfStagingAddsUpUnlessItIsPipelined) {
  TransportProfile profile{.gdr = std::nullopt};
  EXPECT_NEAR(time_of(two_nodes(), profile, {{0, 8}}), 1.0 / 6, 1e-12);
  profile.pipelined_staging = false;
  EXPECT_NEAR(time_of(two_nodes(), profile, {{0, 8}}), 0.1 + 1.0 / 6 + 0.1, 1e-12);
  profile.copy_rate = BytesPerSecond{2e9};
  EXPECT_NEAR(time_of(two_nodes(), profile, {{0, 8}}), 0.5 + 1.0 / 6 + 0.5, 1e-12);
}

TEST(TransferTime, OfOneCopyIsLimited) {
  TransportProfile profile{.p2p = std::nullopt};
  profile.copy_rate = BytesPerSecond{4e9};

  EXPECT_NEAR(time_of(cluster_of(quick(), 1), profile, {{0, 1}}), 0.25, 1e-12);
}

// Three messages of 10 MB at 10 GB/s, 5 us of overhead each, which the next waits for; the 2 x 1 us
// of cables pass once, while those before are on their way.
TEST(TransferTime, HasAnOverheadPerMessageThatTheNextWaitsFor) {
  TransportProfile profile;
  profile.message_overhead = Seconds{5e-6};
  const ClusterSpec node = cluster_of(dual_root(), 1);

  EXPECT_NEAR(time_of(node, profile, {{0, 1}}, 10'000'000, 3), 2e-6 + 3 * (5e-6 + 1e-3), 1e-12);
  profile.overheads = {{PathKind::p2p, Seconds{1e-6}}};
  EXPECT_NEAR(time_of(node, profile, {{0, 1}}, 10'000'000, 3), 2e-6 + 3 * (1e-6 + 1e-3), 1e-12);
}

TEST(TransferTime, BeginsWithTheCostOfTheCall) {
  TransportProfile profile;
  profile.call_overhead = Seconds{20e-6};

  EXPECT_NEAR(time_of(cluster_of(quick(), 1), profile, {{0, 1}}), 20e-6 + 0.1, 1e-12);
}

// Two ranks of a socket exchange in host memory at 5 GB/s; before, each copies 1 GB down twice at
// 2 GB/s, and once to another place at 10 GB/s, as a message is copied twice; after, once up.
TEST(TransferTime, OfHostCopiesAddsTheCopies) {
  const double time = testing::number_from_fork([] {
    const Topology topology{build_cluster(cluster_of(quick(), 1))};
    TransportProfile profile{.buffers = BufferPlace::host_copies};
    profile.copy_rate = BytesPerSecond{2e9};
    profile.copies_to_host = 2;
    profile.copies_on_host = 1;
    profile.host_copies = 2;
    profile.host_copy_rate = BytesPerSecond{5e9};
    SimOptions options;
    options.buffer = Bytes{gigabyte};
    SimTransport transport{topology, 2, profile, Reduction{}, options};
    transport.run([](RankContext& self) {
      const Slice data{self.memory.allocate(Bytes{gigabyte}), Bytes{0}, Bytes{gigabyte}};
      if (self.network.rank() == Rank{0}) {
        self.network.send(Rank{1}, data, Tag{0}).wait();
      } else {
        self.network.recv(Rank{0}, data, Tag{0}).wait();
      }
    });
    return transport.report().time.count();
  });

  EXPECT_NEAR(time, 2 * 0.5 + 0.1 + 0.2 + 0.5, 1e-12);
}

// A call that sends nothing: 1 GB at 2 GB/s twice down, once up; 10 us for each half.
TEST(TransferTime, OfTheHalvesOfACallAddsEachCopyOnce) {
  class Nothing final : public Collective {
   public:
    [[nodiscard]] std::string_view name() const override { return "nothing"; }
    void run(const CollectiveRequest& /*request*/, RankContext& /*self*/) const override {}
  };
  const auto time_of_part = [](CallPart part) {
    return testing::number_from_fork([part] {
      const Topology topology{build_cluster(cluster_of(quick(), 1))};
      TransportProfile profile{.buffers = BufferPlace::host_copies};
      profile.copy_rate = BytesPerSecond{2e9};
      profile.copies_to_host = 2;
      profile.call_overhead = Seconds{10e-6};
      SimOptions options;
      options.program_is_a_call = false;
      SimTransport transport{topology, 1, profile, Reduction{}, options};
      const Nothing nothing;
      const auto call = transport.with_call_costs(nothing, part);
      transport.run([&](RankContext& self) {
        call->run({self.memory.allocate(Bytes{gigabyte}), gigabyte / 4}, self);
      });
      return transport.report().time.count();
    });
  };

  EXPECT_NEAR(time_of_part(CallPart::first_half), 1 + 10e-6, 1e-12);
  EXPECT_NEAR(time_of_part(CallPart::second_half), 0.5 + 10e-6, 1e-12);
  EXPECT_NEAR(time_of_part(CallPart::whole), 1.5 + 10e-6, 1e-12);
}

// A rank on a socket, as a parameter server is: GPU 0 to socket 1 past QPI.
TEST(TransferTime, ReachesRanksOnSockets) {
  const double time = testing::number_from_fork([] {
    const Topology topology{build_cluster(cluster_of(quick(), 1))};
    SimOptions options;
    options.hosts = {topology.host_of(topology.vertex_of(Rank{4}))};
    SimTransport transport{topology, 1, {}, Reduction{}, options};
    transport.run([](RankContext& self) {
      const Slice data{self.memory.allocate(Bytes{gigabyte}), Bytes{0}, Bytes{gigabyte}};
      if (self.network.rank() == Rank{0}) {
        self.network.send(Rank{1}, data, Tag{0}).wait();
      } else {
        self.network.recv(Rank{0}, data, Tag{0}).wait();
      }
    });
    return transport.report().time.count();
  });

  EXPECT_NEAR(time, 1.0 / 6, 1e-12);
}

}  // namespace
}  // namespace ringcast
