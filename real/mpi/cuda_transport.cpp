#include "real/mpi/cuda_transport.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "real/gpu/cuda_device.hpp"
#include "real/gpu/device_job.hpp"
#include "real/mpi/mpi_wire.hpp"

namespace ringcast {
namespace {

/// Collective: throws on all ranks if it fails on one.
std::unique_ptr<Device> make_device(MpiWorld& world, int ranks) {
  std::unique_ptr<Device> device;
  std::string problem;
  if (index_of(world.rank()) < ranks) {
    try {
      device = make_cuda_device(cuda_device_of(world));
    } catch (const Error& error) {
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

class CudaTransport final : public Transport {
 public:
  CudaTransport(MpiWorld& world, Reduction reduction, const DeviceOptions& options)
      : size_{options.ranks == 0 ? world.size() : options.ranks},
        device_{make_device(world, size_)},
        wire_{make_mpi_wire(world, size_)} {
    if (wire_) {
      job_.emplace(*wire_, *device_, reduction, options);
    }
  }

  [[nodiscard]] std::string_view name() const override { return "cuda"; }
  [[nodiscard]] int size() const override { return size_; }
  void run(const RankProgram& program) override {
    if (job_) {
      job_->run(program);
    }
  }

 private:
  int size_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Wire> wire_;
  std::optional<DeviceJob> job_;  // absent on processes beyond the first `size_` ranks
};

}  // namespace

std::unique_ptr<Transport> make_cuda_transport(MpiWorld& world, Reduction reduction,
                                               const DeviceOptions& options) {
  return std::make_unique<CudaTransport>(world, reduction, options);
}

int cuda_device_of(const MpiWorld& world) {
  const auto& nodes = world.node_of();
  const auto self = nodes.begin() + index_of(world.rank());
  const auto place = static_cast<int>(std::count(nodes.begin(), self, *self));
  return place % std::max(count_cuda_devices(), 1);
}

std::vector<HostGpus> gpus_of_hosts(MpiWorld& world) {
  const std::vector<std::string> models = world.gather(cuda_device_name(cuda_device_of(world)));
  const std::vector<std::string> ids = world.gather(cuda_device_id(cuda_device_of(world)));
  std::vector<RankGpu> ranks;
  for (std::size_t rank = 0; rank < models.size(); ++rank) {
    ranks.push_back({world.hosts()[rank], world.node_of()[rank], models[rank], ids[rank]});
  }
  return gpus_of_hosts(ranks);
}

}  // namespace ringcast
