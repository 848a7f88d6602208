#include "real/cuda_transport.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "real/cuda_device.hpp"
#include "real/device_job.hpp"
#include "real/mpi_wire.hpp"

namespace ringcast {
namespace {

/// Collective: where one rank can not go on, none can.
std::unique_ptr<Device> make_device(MpiWorld& world, int ranks) {
  std::unique_ptr<Device> device;
  std::string problem;
  if (index_of(world.rank()) < ranks) {
    try {
      device = make_cuda_device(cuda_device_of(world));
    } catch (const BackendUnavailable& error) {
      problem = error.what();
    }
  }
  const std::vector<std::string> problems = world.gather(problem);
  for (std::size_t rank = 0; rank < problems.size(); ++rank) {
    if (!problems[rank].empty()) {
      throw BackendUnavailable{
          fmt::format("{} (rank {}, {})", problems[rank], rank, world.hosts()[rank])};
    }
  }
  return device;
}

}  // namespace

struct CudaTransport::Implementation {
  Implementation(MpiWorld& world, Reduction reduction, const CudaOptions& options)
      : size{options.ranks == 0 ? world.size() : options.ranks},
        device{make_device(world, size)},
        wire{make_mpi_wire(world, size)} {
    if (wire) {
      job = std::make_unique<DeviceJob>(*wire, *device, reduction, options);
    }
  }

  int size;
  std::unique_ptr<Device> device;
  std::unique_ptr<Wire> wire;
  std::unique_ptr<DeviceJob> job;
};

CudaTransport::CudaTransport(MpiWorld& world, Reduction reduction, const CudaOptions& options)
    : implementation_{std::make_unique<Implementation>(world, reduction, options)} {}

CudaTransport::~CudaTransport() = default;

int CudaTransport::size() const {
  return implementation_->size;
}

void CudaTransport::run(const RankProgram& program) {
  if (implementation_->job) {
    implementation_->job->run(program);
  }
}

bool has_cuda_device() {
  return count_cuda_devices() > 0;
}

int cuda_device_of(const MpiWorld& world) {
  const auto& nodes = world.node_of();
  const auto self = nodes.begin() + index_of(world.rank());
  const auto place = static_cast<int>(std::count(nodes.begin(), self, *self));
  return place % std::max(count_cuda_devices(), 1);
}

}  // namespace ringcast
