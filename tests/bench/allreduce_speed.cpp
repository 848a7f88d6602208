// Times all-reduces of float32 on this host, ours and MPI's, a copy in memory and an exchange
// between neighbours, in turns. Rank 0 prints a line for each size, turn and contestant: SIZE TURN
// NAME SECONDS. Started under mpirun, whose options choose MPI's algorithm, by
// tests/bench/bench_allreduce.py: allreduce_speed TURNS SEGMENT CHANNELS FRESH NAME,NAME SIZE...,
// in bytes. SEGMENT 0: whole chunks; FRESH 1: write all buffers before each all-reduce, as training
// writes gradients.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <fmt/format.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/collectives/checked_data.hpp"
#include "engine/numbers/error.hpp"
#include "real/mpi/mpi_allreduce.hpp"

namespace ringcast {
namespace {

constexpr Reduction float_sum{ElementType::float32, Operation::sum};

struct Rival {
  std::string name;
  Transport* transport;
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

/// Every rank writes its own buffer, so that its own core has all of it.
void write_anew(RankContext& self, Slice slice) {
  const std::vector<std::byte> zeros(std::min<std::uint64_t>(slice.length.count(), 1U << 20U));
  for (std::uint64_t at = 0; at < slice.length.count(); at += zeros.size()) {
    const std::uint64_t length = std::min<std::uint64_t>(zeros.size(), slice.length.count() - at);
    self.memory.write({slice.buffer, Bytes{at}, Bytes{length}}, std::span{zeros}.first(length));
  }
}

struct Effort {
  int repetitions;
  bool fresh;
};

/// Seconds of one all-reduce, the mean of the repetitions after a warm-up; with a check before it,
/// if so wished.
Seconds time_of(Rival& rival, std::uint64_t elements, Effort effort, bool checks) {
  Seconds mean{};
  rival.transport->run([&](RankContext& self) {
    const BufferId data = self.memory.allocate(elements * Bytes{4});
    const BufferId token = self.memory.allocate(Bytes{8});
    const CheckedData checked{data, elements, float_sum, self.network.size()};
    if (checks) {
      checked.fill(self.memory, self.network.rank());
    }
    rival.allreduce->run({data, elements}, self);
    if (checks) {
      checked.verify_allreduce(self.memory, self.network.rank());
    }
    rival.allreduce->run({data, elements}, self);
    // One barrier for all repetitions; with fresh buffers one for each, as the ranks do not finish
    // writing at the same time.
    const int meetings = effort.fresh ? effort.repetitions : 1;
    Seconds all{0};
    for (int meeting = 0; meeting < meetings; ++meeting) {
      if (effort.fresh) {
        write_anew(self, {data, Bytes{0}, elements * Bytes{4}});
      }
      meet(self, token);
      const Seconds begin = self.network.now();
      for (int i = 0; i < effort.repetitions / meetings; ++i) {
        rival.allreduce->run({data, elements}, self);
      }
      meet(self, token);
      all += self.network.now() - begin;
    }
    mean = all / effort.repetitions;
  });
  return mean;
}

/// All ranks copy at once, each one half of a buffer of its own to the other: as much memory is
/// touched as by an all-reduce of that size, all bytes once.
Seconds copy_time(std::uint64_t bytes, int repetitions, Transport& transport) {
  Seconds mean{};
  transport.run([&](RankContext& self) {
    std::vector<char> from(bytes / 2, 'x');
    std::vector<char> to(bytes / 2, 'y');
    const BufferId token = self.memory.allocate(Bytes{8});
    meet(self, token);
    const Seconds begin = self.network.now();
    for (int i = 0; i < repetitions; ++i) {
      std::memcpy(to.data(), from.data(), bytes / 2);
      asm volatile("" : : "r"(to.data()) : "memory");
    }
    meet(self, token);
    mean = (self.network.now() - begin) / repetitions;
  });
  return mean;
}

/// Each rank takes what its neighbour has just written: one half of a buffer, which is written by
/// that, and the other half the next time.
Seconds exchange_time(std::uint64_t bytes, int repetitions, Transport& transport) {
  Seconds mean{};
  transport.run([&](RankContext& self) {
    const int size = self.network.size();
    const int rank = index_of(self.network.rank());
    const BufferId data = self.memory.allocate(Bytes{bytes});
    const BufferId token = self.memory.allocate(Bytes{8});
    const std::array halves{Slice{data, Bytes{0}, Bytes{bytes / 2}},
                            Slice{data, Bytes{bytes / 2}, Bytes{bytes / 2}}};
    const auto exchange = [&](const Slice& from, const Slice& to) {
      Pending came = self.network.recv(Rank{(rank + size - 1) % size}, to, Tag{1001});
      Pending went = self.network.send(Rank{(rank + 1) % size}, from, Tag{1001});
      came.wait();
      went.wait();
    };
    exchange(halves[0], halves[1]);
    exchange(halves[1], halves[0]);
    meet(self, token);
    const Seconds begin = self.network.now();
    for (std::size_t i = 0; i < static_cast<std::size_t>(repetitions); ++i) {
      exchange(halves[i % 2], halves[(i + 1) % 2]);
    }
    meet(self, token);
    mean = (self.network.now() - begin) / repetitions;
  });
  return mean;
}

std::uint64_t number_of(const char* text) {
  return std::strtoull(text, nullptr, 10);
}

/// About 20 ms of the small ones; the large ones take longer than any disturbance.
int repetitions_of(std::uint64_t bytes) {
  constexpr std::uint64_t enough = 32U << 20U;
  return static_cast<int>(
      std::clamp<std::uint64_t>(enough / std::max<std::uint64_t>(bytes, 1), 2, 1000));
}

class Contest {
 public:
  Contest(MpiWorld& world, const CollectiveOptions& options, bool fresh, const std::string& names)
      : is_first_{world.rank() == Rank{0}},
        fresh_{fresh},
        shared_{make_mpi_transport(world, float_sum)},
        private_{make_mpi_transport(world, float_sum, {.shared_memory = false})} {
    for (const std::string& name : allreduce_names()) {
      if (is_among(names, name)) {
        rivals_.push_back({name, shared_.get(), make_allreduce(name, options)});
      }
    }
    if (is_among(names, "mpi")) {
      rivals_.push_back({"mpi", private_.get(), std::make_unique<MpiAllreduce>()});
    }
  }

  void run(std::uint64_t bytes, int turns) {
    const int repetitions = repetitions_of(bytes);
    for (int turn = 0; turn < turns; ++turn) {
      for (Rival& rival : rivals_) {
        say(bytes, turn, rival.name, time_of(rival, bytes / 4, {repetitions, fresh_}, turn == 0));
      }
      say(bytes, turn, "copy", copy_time(bytes, repetitions, *shared_));
      say(bytes, turn, "exchange", exchange_time(bytes, repetitions, *shared_));
    }
  }

 private:
  static bool is_among(const std::string& names, const std::string& name) {
    return ("," + names + ",").find("," + name + ",") != std::string::npos;
  }
  void say(std::uint64_t bytes, int turn, const std::string& name, Seconds time) const {
    if (is_first_) {
      std::cout << fmt::format("{} {} {} {}\n", bytes, turn, name, time.count()) << std::flush;
    }
  }

  bool is_first_;
  bool fresh_;
  std::unique_ptr<Transport> shared_;
  std::unique_ptr<Transport> private_;
  std::vector<Rival> rivals_;
};

int run(int argc, char** argv) {
  if (argc < 7) {
    throw ScenarioError{"expected TURNS SEGMENT CHANNELS FRESH NAMES SIZE..."};
  }
  MpiWorld world;
  CollectiveOptions options;
  for (std::uint64_t i = 0; i < number_of(argv[3]); ++i) {
    options.channels.push_back(RingOrder::identity(world.size()));
  }
  if (const std::uint64_t segment = number_of(argv[2]); segment > 0) {
    options.segment_size = Bytes{segment};
  }
  Contest contest{world, options, number_of(argv[4]) != 0, argv[5]};
  for (int i = 6; i < argc; ++i) {
    contest.run(number_of(argv[i]), static_cast<int>(number_of(argv[1])));
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
