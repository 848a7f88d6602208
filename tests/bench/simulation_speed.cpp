// Simulates one all-reduce over the ranks of a cluster file: with the engine on SimGrid or on fluid
// flows, by a recurrence, or by a minimal SimGrid program that sends the same messages over the
// same platform. For fluid flows and the recurrence, chunks differ by an element, so that no
// repeated steps are skipped. Prints for tests/bench/bench_predict.py: wall and user seconds of the
// simulation, simulated seconds, messages, peak memory.
#include <chrono>
#include <numeric>
#include <string>

#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <sys/resource.h>

#include "app/config/scenario/scenario.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "sim/fluid/fluid_transport.hpp"
#include "sim/folding/folding.hpp"
#include "sim/recurrence/ring_recurrence.hpp"
#include "sim/simgrid/platform.hpp"
#include "sim/simgrid/sim_transport.hpp"
#include "topology/cluster/part_of_cluster.hpp"
#include "topology/transfers/rank_places.hpp"

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
    mailboxes.push_back(s4u::Mailbox::by_name(fmt::format("to{}", rank)));
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

std::uint64_t messages_of(const std::vector<PairTraffic>& traffic) {
  return std::accumulate(
      traffic.begin(), traffic.end(), std::uint64_t{0},
      [](std::uint64_t sum, const PairTraffic& pair) { return sum + pair.messages; });
}

Measured run_engine(const Topology& topology, int ranks, Bytes size,
                    const TransportProfile& profile) {
  SimTransport transport{topology, ranks, profile, Reduction{}, {}};
  const auto ring = make_allreduce("ring", {{RingOrder::identity(ranks)}, {}});
  transport.run([&](RankContext& self) {
    ring->run({self.memory.allocate(size), size.count() / 4}, self);
  });
  return {transport.report().time, messages_of(transport.report().traffic)};
}

/// The elements of chunks of which one is longer.
std::uint64_t uneven_elements(int ranks, Bytes size) {
  const auto n = static_cast<std::uint64_t>(ranks);
  return size.count() / 4 / n * n + 1;
}

Measured run_fluid(const Topology& topology, int ranks, Bytes size,
                   const TransportProfile& profile) {
  const TransferPaths paths{topology, profile, places_of_ranks(topology, ranks, profile)};
  const std::uint64_t elements = uneven_elements(ranks, size);
  const auto ring = make_allreduce("ring", {{RingOrder::identity(ranks)}, {}});
  const RankProgram program = [&](RankContext& self) {
    ring->run({self.memory.allocate(elements * 4_B), elements}, self);
  };
  const Folding job{paths, ranks, dry_run(ranks, Reduction{}, program), Symmetry::none};
  FluidTransport transport{paths, ranks, job.job(), Reduction{}, {}};
  transport.run(program);
  return {transport.time(), messages_of(job.traffic(transport.traffic()))};
}

Measured run_recurrence(const Topology& topology, int ranks, Bytes size,
                        const TransportProfile& profile) {
  const TransferPaths paths{topology, profile, places_of_ranks(topology, ranks, profile)};
  const RingOrder order = RingOrder::identity(ranks);
  const RingRecurrence ring{paths, order, Reduction{}, uneven_elements(ranks, size)};
  return {ring.time(), messages_of(ring.traffic())};
}

Seconds user_time() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return Seconds{static_cast<double>(usage.ru_utime.tv_sec) +
                 1e-6 * static_cast<double>(usage.ru_utime.tv_usec)};
}

using Run = Measured (*)(const Topology&, int, Bytes, const TransportProfile&);

Run run_of(const std::string& mode) {
  if (mode == "bare") return run_bare;
  if (mode == "fluid") return run_fluid;
  if (mode == "recurrence") return run_recurrence;
  return run_engine;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: {} bare|engine|reducing|fluid|recurrence SCENARIO RANKS\n", argv[0]);
    return 2;
  }
  const std::string mode = argv[1];
  const Scenario scenario = read_scenario(argv[2]);
  const int ranks = std::stoi(argv[3]);
  const Topology topology{build_part(scenario.cluster, ranks)};
  TransportProfile profile = scenario.transport;
  if (mode == "bare" || mode == "engine") {
    profile.reduce_rate = BytesPerSecond{0};
  }

  const Seconds user_before = user_time();
  const auto begin = std::chrono::steady_clock::now();
  const Measured measured = run_of(mode)(topology, ranks, scenario.sizes.front(), profile);
  const Seconds wall = std::chrono::steady_clock::now() - begin;
  const Seconds user = user_time() - user_before;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"wall_s\": {}, \"user_s\": {}, \"simulated_s\": {}, \"messages\": {}, \"peak_bytes\": "
      "{}}}\n",
      wall.count(), user.count(), measured.simulated.count(), measured.messages,
      1024 * usage.ru_maxrss);
}
