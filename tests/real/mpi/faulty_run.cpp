// All-reduces without end, in which one rank does what no rank should; for mpi_faults_test.py.
// faulty_run WHAT RANK HOW: kill or stop, which rank, through shared memory or mpi. What the other
// ranks throw is printed, a line each, with the seconds since the fault.
#include <csignal>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "real/mpi/mpi_transport.hpp"

namespace ringcast {
namespace {

/// No living rank of a busy machine is silent for so long.
constexpr Seconds timeout{4};

void run(MpiWorld& world, int fault, Rank faulty, bool shared_memory) {
  MpiTransport transport{world, {}, {.shared_memory = shared_memory, .timeout = timeout}};
  transport.run([&](RankContext& self) {
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

}  // namespace
}  // namespace ringcast

int main(int argc, char** argv) {
  const int fault = argv[1] == std::string_view{"kill"} ? SIGKILL : SIGSTOP;
  try {
    ringcast::MpiWorld world{argc, argv};
    ringcast::run(world, fault, ringcast::Rank{std::atoi(argv[2])},
                  argv[3] == std::string_view{"shared"});
  } catch (const std::exception& error) {
    std::cout << error.what() << std::endl;
    return ringcast::exit_code_of(error);
  }
  return 0;
}
