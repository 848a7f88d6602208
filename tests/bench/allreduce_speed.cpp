// All-reduces on this host, ours and MPI's, in turns; a line per size and turn from the first rank:
// SIZE NAME SECONDS. Started under mpirun, whose options choose MPI's own algorithm:
// allreduce_speed SEGMENT CHANNELS NAME,NAME SIZE..., in bytes; segment 0 for whole chunks.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include "engine/allreduce_algorithms.hpp"
#include "engine/checked_data.hpp"
#include "engine/error.hpp"
#include "real/mpi_allreduce.hpp"

namespace ringcast {
namespace {

constexpr Reduction float_sum{ElementType::float32, Operation::sum};

struct Rival {
  std::string name;
  MpiTransport* transport;
  std::unique_ptr<Collective> allreduce;
};

/// All ranks leave together: small messages round a ring.
void meet(RankContext& self, BufferId token) {
  const int size = self.network.size();
  const int rank = index_of(self.network.rank());
  if (size == 1) {
    return;
  }
  for (int lap = 0; lap < 2; ++lap) {
    Pending came =
        self.network.recv(Rank{(rank + size - 1) % size}, {token, Bytes{0}, Bytes{4}}, Tag{1000});
    if (rank == 0) {
      self.network.send(Rank{1}, {token, Bytes{4}, Bytes{4}}, Tag{1000}).wait();
      came.wait();
    } else {
      came.wait();
      self.network.send(Rank{(rank + 1) % size}, {token, Bytes{4}, Bytes{4}}, Tag{1000}).wait();
    }
  }
}

/// Seconds of one all-reduce, the mean of `repetitions` after a warm-up; checked once.
Seconds time_of(Rival& rival, std::uint64_t elements, int repetitions) {
  Seconds mean{};
  rival.transport->run([&](RankContext& self) {
    const BufferId data = self.memory.allocate(elements * Bytes{4});
    const BufferId token = self.memory.allocate(Bytes{8});
    const CheckedData checked{data, elements, float_sum, self.network.size()};
    checked.fill(self.memory, self.network.rank());
    rival.allreduce->run({data, elements}, self);
    checked.verify_allreduce(self.memory, self.network.rank());
    for (int i = 0; i < 2; ++i) {
      rival.allreduce->run({data, elements}, self);
    }
    meet(self, token);
    const Seconds begin = self.network.now();
    for (int i = 0; i < repetitions; ++i) {
      rival.allreduce->run({data, elements}, self);
    }
    meet(self, token);
    mean = (self.network.now() - begin) / repetitions;
  });
  return mean;
}

/// One lap of a buffer: read and written once.
Seconds copy_time(std::uint64_t bytes, int repetitions, MpiTransport& transport) {
  Seconds mean{};
  transport.run([&](RankContext& self) {
    std::vector<char> from(bytes, 'x');
    std::vector<char> to(bytes, 'y');
    const BufferId token = self.memory.allocate(Bytes{8});
    meet(self, token);
    const Seconds begin = self.network.now();
    for (int i = 0; i < repetitions; ++i) {
      std::memcpy(to.data(), from.data(), bytes);
      asm volatile("" : : "r"(to.data()) : "memory");
    }
    meet(self, token);
    mean = (self.network.now() - begin) / repetitions;
  });
  return mean;
}

int run(int argc, char** argv) {
  if (argc < 5) {
    throw ScenarioError{"expected SEGMENT CHANNELS NAMES SIZE..."};
  }
  MpiWorld world{argc, argv};
  const std::uint64_t segment = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t channels = std::strtoull(argv[2], nullptr, 10);
  const std::string algorithms = argv[3];
  MpiTransport shared{world, float_sum, {}};
  MpiTransport private_memory{world, float_sum, {.shared_memory = false}};

  CollectiveOptions options;
  for (std::uint64_t i = 0; i < channels; ++i) {
    options.channels.push_back(RingOrder::identity(world.size()));
  }
  if (segment > 0) {
    options.segment_size = Bytes{segment};
  }
  std::vector<Rival> rivals;
  for (const std::string& name : allreduce_names()) {
    if (("," + algorithms + ",").find("," + name + ",") != std::string::npos) {
      rivals.push_back({name, &shared, make_allreduce(name, options)});
    }
  }
  if (("," + algorithms + ",").find(",mpi,") != std::string::npos) {
    rivals.push_back({"mpi", &private_memory, std::make_unique<MpiAllreduce>()});
  }
  for (int i = 4; i < argc; ++i) {
    const std::uint64_t bytes = std::strtoull(argv[i], nullptr, 10);
    const int repetitions = static_cast<int>(std::max<std::uint64_t>(
        3, std::min<std::uint64_t>(1000, (32U << 20U) / std::max<std::uint64_t>(bytes, 1))));
    for (int turn = 0; turn < 3; ++turn) {
      for (Rival& rival : rivals) {
        const Seconds time = time_of(rival, bytes / 4, repetitions);
        if (world.rank() == Rank{0}) {
          std::cout << fmt::format("{} {} {}\n", bytes, rival.name, time.count());
        }
      }
      const Seconds copy = copy_time(bytes, repetitions, shared);
      if (world.rank() == Rank{0}) {
        std::cout << fmt::format("{} copy {}\n", bytes, copy.count());
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace ringcast

int main(int argc, char** argv) {
  try {
    return ringcast::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "allreduce_speed: " << error.what() << '\n';
    return ringcast::exit_code_of(error);
  }
}
