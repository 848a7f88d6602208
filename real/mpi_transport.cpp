#include "real/mpi_transport.hpp"

#include <algorithm>
#include <list>

#include <sched.h>

#include <mpi.h>

#include "engine/error.hpp"
#include "engine/host_reducer.hpp"
#include "real/mpi_endpoint.hpp"
#include "real/mpi_native.hpp"
#include "real/spinning_processor.hpp"

namespace ringcast {
namespace {

int cores_of_this_process() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

int checked_ranks(const MpiWorld& world, int ranks) {
  expect(ranks >= 0 && ranks <= world.size(), "{} ranks of {}", ranks, world.size());
  return ranks == 0 ? world.size() : ranks;
}

}  // namespace

class MpiTransport::Implementation {
 public:
  Implementation(MpiWorld& world, Reduction reduction, const MpiOptions& options)
      : session_{&world.native().session},
        size_{checked_ranks(world, options.ranks)},
        reduction_{reduction},
        options_{options},
        is_crowded_{is_crowded(world)},
        data_{split(world)},
        control_{split(world)},
        arena_{options.shared_memory ? Sharing::this_host : Sharing::this_process} {
    expect(options.timeout > Seconds{0}, "a timeout of {} s", options.timeout.count());
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() {
    if (!is_clean_) {
      data_.release();
    }
    if (!session_->is_whole()) {
      control_.release();
      // MPI may still write into the buffers of messages that were under way.
      static std::list<Arena> never_to_be_freed;
      never_to_be_freed.push_back(std::move(arena_));
    }
  }

  [[nodiscard]] int size() const { return size_; }

  void run(const RankProgram& program) {
    if (data_.handle() == MPI_COMM_NULL) {
      return;  // this process is none of the ranks
    }
    if (!session_->is_whole()) {
      throw TransportError{"MPI: a run has broken before; this job can not go on"};
    }
    if (!is_clean_) {
      data_.release();
      data_ = Communicator{control_.handle(), 0, control_.rank()};
    }
    is_clean_ = false;
    ++runs_;
    RunWatch watch{control_, *session_, runs_, options_.timeout};
    run_watched(program, watch);
    is_clean_ = !watch.any_strays();
  }

 private:
  [[nodiscard]] Communicator split(MpiWorld& world) const {
    const int rank = index_of(world.rank());
    return {world.native().everyone.handle(), rank < size_ ? 0 : MPI_UNDEFINED, rank};
  }
  [[nodiscard]] bool is_crowded(const MpiWorld& world) const {
    const auto& nodes = world.node_of();
    const int here = nodes[static_cast<std::size_t>(index_of(world.rank()))];
    return std::count(nodes.begin(), nodes.begin() + size_, here) > cores_of_this_process();
  }
  void run_watched(const RankProgram& program, RunWatch& watch) {
    ArenaMemory memory{arena_};
    HostReducer reducer{reduction_, memory};
    MpiEndpoint network{data_, watch, memory, reducer, is_crowded_};
    Patience patience{watch, is_crowded_};
    SpinningProcessor processor{[&] { patience.pause(nullptr); }};
    RankContext context{network, memory, reducer, processor};
    std::exception_ptr failure;
    try {
      program(context);
    } catch (...) {
      failure = std::current_exception();
    }
    watch.end(failure, network.has_strays());
  }

  MpiSession* session_;
  int size_;
  Reduction reduction_;
  MpiOptions options_;
  bool is_crowded_;
  Communicator data_;
  Communicator control_;
  Arena arena_;
  int runs_ = 0;
  /// No message of an earlier run can be met in `data_`.
  bool is_clean_ = true;
};

MpiTransport::MpiTransport(MpiWorld& world, Reduction reduction, const MpiOptions& options)
    : implementation_{std::make_unique<Implementation>(world, reduction, options)} {}

MpiTransport::~MpiTransport() = default;

int MpiTransport::size() const {
  return implementation_->size();
}

void MpiTransport::run(const RankProgram& program) {
  implementation_->run(program);
}

}  // namespace ringcast
