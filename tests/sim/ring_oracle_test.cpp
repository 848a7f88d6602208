// The ring on random small clusters, against an oracle. RINGCAST_ORACLE_CLUSTERS=1000 runs so many;
// RINGCAST_ORACLE_SEED=7 runs others.
#include "tests/sim/ring_oracle.hpp"

#include <cmath>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "sim/simgrid/sim_transport.hpp"
#include "tests/sim/forked.hpp"
#include "tests/topology/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using testing::RingOracle;

int from_environment(const char* name, int otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::stoi(value) : otherwise;
}

struct RandomRing {
  ClusterSpec cluster;
  TransportProfile profile;
  RingOracle::Job job;
};

class RandomRings {
 public:
  explicit RandomRings(unsigned seed) : random_{seed} {}

  RandomRing next() {
    RandomRing ring{cluster(), profile(), {}};
    const int ranks = Topology{build_cluster(ring.cluster)}.ranks();
    ring.job.element_size = 4;
    ring.job.elements = pick<std::uint64_t>({3, 1000, 99'991, 1'000'000, 3'600'000});
    ring.job.segment_elements = pick<std::uint64_t>({0, 0, 5'000, 50'000});
    const std::uint64_t least = ring.job.elements / (200 * static_cast<std::uint64_t>(ranks));
    if (ring.job.segment_elements > 0 && ring.job.segment_elements < least) {
      ring.job.segment_elements = least;  // fewer segments than the engine has in flight
    }
    for (int channels = pick({1, 1, 2, 3}); channels > 0; --channels) {
      std::vector<Rank> order;
      for (int rank = 0; rank < ranks; ++rank) {
        order.push_back(Rank{rank});
      }
      if (chance(0.7)) {
        std::ranges::shuffle(order, random_);
      }
      ring.job.channels.emplace_back(std::move(order));
    }
    return ring;
  }

 private:
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values
        .begin()[std::uniform_int_distribution<std::size_t>{0, values.size() - 1}(random_)];
  }
  bool chance(double part) { return std::bernoulli_distribution{part}(random_); }
  CableSpec cable() {
    return machines::cable("custom", pick({3.0, 6.0, 7.1, 10.0, 12.0, 25.0}),
                           pick({0.0, 0.3, 1.0, 1.7}));
  }

  ClusterSpec cluster() {
    const int nodes = pick({1, 2, 3, 4});
    NodeTypeSpec type{"node", {}, cable(), {}, std::nullopt};
    const int sockets = pick({1, 2});
    const int nics = pick({1, 2});
    for (int s = 0; s < sockets; ++s) {
      DeviceSpec gpus{VertexKind::gpu, pick({1, 2, 3}), cable(), {}};
      DeviceSpec nic{VertexKind::nic, nics, cable(), {}};
      SocketSpec socket = machines::socket({gpus});
      std::vector<DeviceSpec>& devices = socket.root_complexes.front().devices;
      if (chance(0.5)) {
        devices = {DeviceSpec{VertexKind::pcie_switch, pick({1, 2}), cable(), {gpus}}};
      }
      if (s == 0) {
        devices.push_back(nic);
      }
      if (chance(0.3)) {
        socket.memory = BytesPerSecond{pick({8e9, 20e9})};
      }
      type.sockets.push_back(socket);
    }
    ClusterSpec spec = machines::cluster_of(type, nodes);
    if (nodes > 1 && chance(0.5)) {
      spec.single_switch = SingleSwitchSpec{pick({1, nics}), cable()};
    } else if (nodes > 1) {
      spec.fat_tree = FatTreeSpec{2, 6, pick({1.0, 2.0}), pick({1, nics}), cable(), cable()};
    }
    return spec;
  }

  TransportProfile profile() {
    TransportProfile profile{.name = "random", .source = "test"};
    profile.p2p = pick<std::optional<PathLevel>>({PathLevel::sys, PathLevel::pix, std::nullopt});
    profile.gdr = pick<std::optional<PathLevel>>({PathLevel::sys, std::nullopt});
    profile.pipelined_staging = chance(0.6);
    profile.staging_buffer = pick({0_KiB, 64_KiB});
    profile.copy_rate = BytesPerSecond{pick({0.0, 0.0, 5e9})};
    profile.call_overhead = Seconds{pick({0.0, 10e-6})};
    profile.message_overhead = Seconds{pick({0.0, 1e-6, 7e-6})};
    profile.eager_limit = pick<std::optional<Bytes>>({std::nullopt, 16_KiB});
    profile.rendezvous_handshake = Seconds{3e-6};
    profile.reduce_rate = BytesPerSecond{pick({0.0, 4e9, 60e9})};
    profile.reduce_overhead = Seconds{pick({0.0, 4e-6})};
    profile.fused_reduction = chance(0.4);
    return profile;
  }

  std::mt19937 random_;
};

double simulated(const RandomRing& ring) {
  return testing::number_from_fork([&] {
    const Topology topology{build_cluster(ring.cluster)};
    CollectiveOptions options{ring.job.channels, std::nullopt};
    if (ring.job.segment_elements > 0) {
      options.segment_size = Bytes{4 * ring.job.segment_elements};
    }
    const auto algorithm = make_allreduce("ring", options);
    SimTransport transport{topology, topology.ranks(), ring.profile, Reduction{}, {}};
    transport.run([&](RankContext& self) {
      const BufferId data = self.memory.allocate(Bytes{4 * ring.job.elements});
      algorithm->run({data, ring.job.elements}, self);
    });
    return transport.report().time.count();
  });
}

/// Each hop and each rank's copies take up to `jitter` seconds longer.
double expected(const RandomRing& ring, double jitter, unsigned seed) {
  const Topology topology{build_cluster(ring.cluster)};
  const TransferPaths paths{topology, ring.profile,
                            places_of_ranks(topology, topology.ranks(), ring.profile)};
  std::mt19937 random{seed};
  std::uniform_real_distribution<double> part{0, 1};
  return RingOracle{paths, ring.job, [&] { return jitter * part(random); }}.time();
}

/// The part of the time by which delays of ten times the simulator's precision change it.
double amplification(const RandomRing& ring, double time) {
  double most = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    most = std::max(most, std::abs(expected(ring, 1e-11, seed) / time - 1));
  }
  return most;
}

// Some schedules amplify differences, even those of rounding (app/predict/time_range.hpp): there
// the oracle's own time moves with delays of 10 ps, and the simulator's may differ as much, by an
// order of magnitude more at most. They are few.
TEST(RingOracle, AgreesWithTheSimulatorOnRandomClusters) {
  const int clusters = from_environment("RINGCAST_ORACLE_CLUSTERS", 60);
  RandomRings rings{static_cast<unsigned>(from_environment("RINGCAST_ORACLE_SEED", 1))};
  int ill_conditioned = 0;
  for (int i = 0; i < clusters; ++i) {
    const RandomRing ring = rings.next();
    const double time = simulated(ring);
    const double oracle = expected(ring, 0, 0);
    if (std::abs(time - oracle) <= 1e-9 * oracle) {  // 0 s on one rank
      continue;
    }
    ++ill_conditioned;
    EXPECT_LT(std::abs(time / oracle - 1), 10 * amplification(ring, oracle))
        << "cluster " << i << ": " << time << " s, not " << oracle;
  }
  RecordProperty("ill_conditioned", ill_conditioned);
  EXPECT_LE(ill_conditioned, 1 + clusters / 20);
}

}  // namespace
}  // namespace ringcast
