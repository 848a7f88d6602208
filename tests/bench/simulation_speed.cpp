// One simulated all-reduce over the ranks of a cluster file, as the engine runs it or as the
// shortest SimGrid program that moves the same messages over the same platform. Prints what
// tests/bench/bench_predict.py compares: wall seconds of the simulation, simulated seconds,
// messages, peak memory.
#include <chrono>
#include <string>

#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <sys/resource.h>

#include "app/config/scenario.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "sim/platform.hpp"
#include "sim/sim_transport.hpp"
#include "topology/cluster_spec.hpp"
#include "topology/rank_places.hpp"

namespace {

using namespace ringcast;
namespace s4u = simgrid::s4u;

struct Measured {
  Seconds simulated{0};
  std::uint64_t messages = 0;
};

Measured run_bare(const Topology& topology, int ranks, Bytes size,
                  const TransportProfile& profile) {
  const TransferPaths paths{topology, profile, places_of_ranks(topology, ranks, profile)};
  Platform platform{paths};
  std::vector<s4u::Mailbox*> mailboxes;
  for (int rank = 0; rank < ranks; ++rank) {
    mailboxes.push_back(platform.mailbox(fmt::format("to{}", rank)));
  }
  const std::uint64_t chunk = size.count() / static_cast<std::uint64_t>(ranks);
  int payload = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    s4u::Actor::create("rank", platform.host(Rank{rank}), [&, rank] {
      s4u::Mailbox* const mine = mailboxes[static_cast<std::size_t>(rank)];
      s4u::Mailbox* const next = mailboxes[static_cast<std::size_t>((rank + 1) % ranks)];
      for (int step = 0; step < 2 * (ranks - 1); ++step) {
        int* received = nullptr;
        const s4u::CommPtr in = mine->get_async<int>(&received);
        const s4u::CommPtr out = next->put_async(&payload, chunk);
        in->wait();
        out->wait();
      }
    });
  }
  platform.run([] { throw TransportError{"deadlock"}; });
  const auto n = static_cast<std::uint64_t>(ranks);
  return {platform.now(), 2 * (n - 1) * n};
}

Measured run_engine(const Topology& topology, int ranks, Bytes size,
                    const TransportProfile& profile) {
  SimTransport transport{topology, ranks, profile, Reduction{}, {}};
  const auto ring = make_allreduce("ring", {{RingOrder::identity(ranks)}, {}});
  transport.run([&](RankContext& self) {
    ring->run({self.memory.allocate(size), size.count() / 4}, self);
  });
  std::uint64_t messages = 0;
  for (const PairTraffic& pair : transport.report().traffic) {
    messages += pair.messages;
  }
  return {transport.report().time, messages};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: {} bare|engine|reducing SCENARIO RANKS\n", argv[0]);
    return 2;
  }
  const std::string mode = argv[1];
  const Scenario scenario = read_scenario(argv[2]);
  const int ranks = std::stoi(argv[3]);
  const Topology topology{build_cluster(scenario.cluster)};
  TransportProfile profile = scenario.transport;
  if (mode != "reducing") {
    profile.reduce_rate = BytesPerSecond{0};
  }

  const auto begin = std::chrono::steady_clock::now();
  const Measured measured = mode == "bare"
                                ? run_bare(topology, ranks, scenario.sizes.front(), profile)
                                : run_engine(topology, ranks, scenario.sizes.front(), profile);
  const Seconds wall = std::chrono::steady_clock::now() - begin;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("{{\"wall_s\": {}, \"simulated_s\": {}, \"messages\": {}, \"peak_bytes\": {}}}\n",
             wall.count(), measured.simulated.count(), measured.messages, 1024 * usage.ru_maxrss);
}
