#include "real/mpi/mpi_transport.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <sched.h>

#include <mpi.h>

#include "engine/numbers/error.hpp"
#include "engine/reference/host_reducer.hpp"
#include "real/mpi/mpi_endpoint.hpp"
#include "real/mpi/mpi_native.hpp"
#include "real/mpi/timed_processor.hpp"

namespace ringcast {
namespace {

/// The cores that this process may use, as text: one character for each, 1 or 0.
std::string own_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::string cores;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
      cores += CPU_ISSET(core, &set) ? '1' : '0';
    }
  }
  return cores;
}

/// Collective. Whether a host has fewer available cores than ranks, of the first `ranks`.
bool is_oversubscribed(MpiWorld& world, int ranks) {
  const std::vector<std::string> all = world.gather(own_cores());
  std::string cores;
  int ranks_here = 0;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    if (world.node_of()[rank] == world.node()) {
      ++ranks_here;
      cores.resize(std::max(cores.size(), all[rank].size()), '0');
      std::ranges::transform(all[rank], cores, cores.begin(),
                             [](char one, char other) { return std::max(one, other); });
    }
  }
  return ranks_here > std::ranges::count(cores, '1');
}

int checked_ranks(const MpiWorld& world, int ranks) {
  expect(ranks >= 0 && ranks <= world.size(), "{} ranks of {}", ranks, world.size());
  return ranks == 0 ? world.size() : ranks;
}

class MpiTransport final : public Transport {
 public:
  MpiTransport(MpiWorld& world, Reduction reduction, const MpiOptions& options)
      : size_{checked_ranks(world, options.ranks)},
        reduction_{reduction},
        options_{options},
        is_oversubscribed_{is_oversubscribed(world, size_)},
        communicators_{world.native(), size_},
        arena_{options.shared_memory ? Sharing::this_host : Sharing::this_process} {
    expect(options.timeout > Seconds{0}, "a timeout of {} s", options.timeout.count());
    if (options.shared_memory && communicators_.is_member()) {
      peers_.emplace(communicators_.data(), world.node_of());
    }
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;
  ~MpiTransport() override {
    // MPI may still write into the buffers of messages in flight.
    if (!communicators_.session().is_intact()) keep_for_ever(std::move(arena_));
  }

  [[nodiscard]] std::string_view name() const override { return "mpi"; }
  [[nodiscard]] int size() const override { return size_; }
  void run(const RankProgram& program) override {
    if (!communicators_.is_member()) {
      return;
    }
    ++runs_;
    RunWatch watch{communicators_, runs_, options_.timeout, peers_ ? &*peers_ : nullptr};
    ArenaMemory memory{arena_};
    HostReducer reducer{reduction_, memory};
    MpiMessages messages{communicators_, watch, memory, is_oversubscribed_};
    std::optional<SharedMessages> shared;
    if (peers_) {
      shared.emplace(*peers_, arena_, memory, watch, reduction_, runs_, is_oversubscribed_);
      shared->set_meanwhile([&] { messages.drive(); });
      messages.set_meanwhile([&] { shared->drive(); });
    }
    MpiEndpoint network{communicators_.data(), shared ? &*shared : nullptr, messages, memory,
                        reducer};
    const std::string computing = fmt::format("rank {} computes", watch.rank());
    TimedProcessor processor{[&] {
      if (shared) {
        shared->drive();
      }
      watch.check();
      watch.check_liveness(computing);
    }};
    RankContext context{network, memory, reducer, processor};
    watch.run([&] { program(context); });
  }

 private:
  int size_;
  Reduction reduction_;
  MpiOptions options_;
  bool is_oversubscribed_;
  RunCommunicators communicators_;
  Arena arena_;
  /// Absent without shared memory.
  std::optional<HostPeers> peers_;
  int runs_ = 0;
};

}  // namespace

std::unique_ptr<Transport> make_mpi_transport(MpiWorld& world, Reduction reduction,
                                              const MpiOptions& options) {
  return std::make_unique<MpiTransport>(world, reduction, options);
}

}  // namespace ringcast
