// Runs in which one rank misbehaves; for mpi_faults_test.py. faulty_run WHAT RANK HOW: which rank
// is killed or stopped amid all-reduces without end (kill or stop), through shared memory or mpi;
// or killed while it moves the bytes of a message (move), in shared memory. What the other ranks
// throw is printed, a line each.
#include <csignal>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "real/mpi/mpi_transport.hpp"

namespace ringcast {
namespace {

/// Longer than any living rank is silent on a busy machine.
constexpr Seconds timeout{4};

void run(MpiWorld& world, int fault, Rank faulty, bool shared_memory) {
  const auto transport =
      make_mpi_transport(world, {}, {.shared_memory = shared_memory, .timeout = timeout});
  transport->run([&](RankContext& self) {
    const CollectiveRequest request{self.memory.allocate(Bytes{40000}), 10000};
    const auto allreduce =
        make_allreduce("ring", {{RingOrder::identity(self.network.size())}, std::nullopt});
    for (int i = 0; true; ++i) {
      allreduce->run(request, self);
      if (i == 100 && self.network.rank() == faulty) {
        std::raise(fault);
      }
    }
  });
}

/// Only the death of the rank ends this soon, not the timeout.
void run_move(MpiWorld& world, Rank faulty) {
  const auto transport = make_mpi_transport(world, {}, {.timeout = Seconds{1000}});
  transport->run([&](RankContext& self) {
    constexpr Bytes large = 256_MiB;
    const auto slice_of = [&](Bytes size) {
      return Slice{self.memory.allocate(size), Bytes{0}, size};
    };
    if (self.network.rank() == Rank{0}) {
      const Pending message = self.network.send(faulty, slice_of(large), Tag{1});
      self.network.send(faulty, slice_of(8_B), Tag{2}).wait();
      self.network.recv(faulty, slice_of(Bytes{10000}), Tag{0}).wait();
    } else if (self.network.rank() == faulty) {
      const Slice sum = slice_of(large);
      self.network.recv(Rank{0}, slice_of(8_B), Tag{2}).wait();
      // The large message has been offered before, so it is moved at once. SIGVTALRM ends the
      // process after a millisecond of that, in processor time.
      const itimerval soon{{}, {.tv_sec = 0, .tv_usec = 1000}};
      ::setitimer(ITIMER_VIRTUAL, &soon, nullptr);
      self.network.recv_accumulate(Rank{0}, sum, Tag{1}).wait();
    }
  });
}

}  // namespace
}  // namespace ringcast

int main(int /*argc*/, char** argv) {
  const std::string_view what{argv[1]};
  const ringcast::Rank faulty{std::atoi(argv[2])};
  try {
    ringcast::MpiWorld world;
    if (what == "move") {
      ringcast::run_move(world, faulty);
    } else {
      ringcast::run(world, what == "kill" ? SIGKILL : SIGSTOP, faulty,
                    argv[3] == std::string_view{"shared"});
    }
  } catch (const std::exception& error) {
    std::cout << error.what() << std::endl;
    return ringcast::exit_code_of(error);
  }
  return 0;
}
