#include "topology/transfers/tcp_threads.hpp"

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "tests/topology/transfers/paths.hpp"

namespace ringcast {
namespace {

using namespace machines;
using testing::Names;
using testing::names_of;
using testing::paths_of;

TransportProfile over_tcp() {
  TransportProfile profile{.gdr = std::nullopt, .kernel_copies = true};
  profile.socket_copy_rate = BytesPerSecond{6e9};
  profile.socket_latency = Seconds{50e-6};
  return profile;
}

/// Two nodes of eight GPUs, whose wires carry 6 GB/s.
Cluster on_slow_wires() {
  ClusterSpec spec = on_one_switch(dual_root(), 2);
  spec.single_switch->cable.bandwidth = BytesPerSecond{6e9};
  spec.single_switch->cable.kernel_bandwidth = BytesPerSecond{5e9};
  return build_cluster(spec);
}

TEST(TcpThreads, MoveBothWaysTogether) {
  const Topology topology{with_tcp_threads(on_slow_wires(), over_tcp())};
  const LinkId thread = topology.thread_of(topology.vertex_of(Rank{0})).value();

  EXPECT_EQ(topology.links()[index_of(thread)].bandwidth, BytesPerSecond{6e9});
}

/// Those of threads, and of what kernels stage.
Names limits_between(const TransferPaths& paths, Rank from, Rank to) {
  Names names = names_of(paths.topology(), paths.between(from, to).main);
  std::erase_if(names,
                [](const std::string& name) { return name.find(", ") == std::string::npos; });
  return names;
}

// Both directions cross the same thread, without a limit for what kernels stage on the network.
TEST(TcpThreads, ServeAllConnectionsOfARank) {
  const Topology topology{with_tcp_threads(on_slow_wires(), over_tcp())};
  const TransferPaths paths = paths_of(topology, over_tcp());

  EXPECT_EQ(limits_between(paths, Rank{0}, Rank{8}),
            (Names{"node0.gpu0, TCP thread", "node1.gpu0, TCP thread"}));
  EXPECT_EQ(limits_between(paths, Rank{8}, Rank{0}),
            (Names{"node1.gpu0, TCP thread", "node0.gpu0, TCP thread"}));
  EXPECT_EQ(limits_between(paths, Rank{0}, Rank{1}), Names{});
}

TEST(TcpThreads, BelongToTheClassOfTcp) {
  const Topology topology{with_tcp_threads(on_slow_wires(), over_tcp())};
  const auto thread = topology.thread_of(topology.vertex_of(Rank{3}));
  EXPECT_EQ(topology.class_of(thread.value()), "TCP");
}

TEST(TcpThreads, NeedSockets) {
  const Topology without{with_tcp_threads(on_slow_wires(), {})};
  EXPECT_FALSE(without.thread_of(without.vertex_of(Rank{0})));
}

// Between nodes only, and once for a message; in a ring that crosses to the other node at 2 of 16
// hops and whose ranks run ahead, a step takes 2/16 of it: 50 us / 8 = 6.25 us.
TEST(TcpThreads, DelayEachMessage) {
  const Topology topology{on_slow_wires()};
  const auto extra = [&](Rank to, const std::vector<Protocol>& protocols) {
    TransportProfile with = over_tcp();
    with.protocols = protocols;
    TransportProfile without = with;
    without.socket_latency = Seconds{0};
    const auto latency = [&](const TransportProfile& profile) {
      const TransferPaths paths = paths_of(topology, profile);
      return paths.latency(paths.between(Rank{0}, to), Bytes{8}).count();
    };
    return latency(with) - latency(without);
  };
  const std::vector<Protocol> protocols{
      {.algorithm = "ring", .name = "LL", .latencies = {{PathKind::network, Seconds{14e-6}}}}};
  EXPECT_NEAR(extra(Rank{8}, {}), 50e-6, 1e-12);
  EXPECT_NEAR(extra(Rank{8}, protocols), 50e-6, 1e-12);
  std::vector<Protocol> run_ahead = protocols;
  run_ahead.front().crossings = 2.0 / 16;
  EXPECT_NEAR(extra(Rank{8}, run_ahead), 6.25e-6, 1e-12);
  EXPECT_EQ(extra(Rank{1}, {}), 0);
}

}  // namespace
}  // namespace ringcast
