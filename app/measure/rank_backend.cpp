#include "app/measure/rank_backend.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/common/mapped.hpp"
#include "app/measure/job_words.hpp"
#include "app/measure/measurement.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/available_memory.hpp"
#include "engine/numbers/error.hpp"
#include "real/gpu/cuda_device.hpp"
#include "real/mpi/mpi_allreduce.hpp"
#include "real/mpi/mpi_transport.hpp"
#include "real/mpi/nccl_allreduce.hpp"

namespace ringcast {
namespace {

/// Collective. A rank is a GPU where all ranks have GPUs. Says why some have none although others
/// do, or although there is a driver.
bool wants_gpus(MpiWorld& world, const RankReporter& reporter, RankKind kind) {
  if (kind != RankKind::automatic) {
    return kind == RankKind::cuda;
  }
  const std::vector<std::string> found = world.gather(count_cuda_devices() > 0 ? "gpu" : "");
  const auto without = std::ranges::find(found, "");
  if (without == found.end()) return true;
  const std::vector<std::string> faults = world.gather(cuda_fault());
  const auto faulty = std::ranges::find_if(faults, [](const auto& text) { return !text.empty(); });
  const auto rank = static_cast<std::size_t>(faulty != faults.end() ? faulty - faults.begin()
                                                                    : without - found.begin());
  if (faulty != faults.end() || std::ranges::find(found, "gpu") != found.end()) {
    reporter.send(
        remark_word,
        fmt::format("the ranks are CPU processes, as rank {} on {} has no GPU{}{}", rank,
                    world.hosts()[rank], faults[rank].empty() ? "" : ": CUDA: ", faults[rank]));
  }
  return false;
}

/// A collective of a library without a timeout of its own.
class Watched final : public Collective {
 public:
  Watched(std::unique_ptr<Collective> collective, const RankReporter& reporter)
      : collective_{std::move(collective)}, reporter_{&reporter} {}
  [[nodiscard]] std::string_view name() const override { return collective_->name(); }
  void run(const CollectiveRequest& request, RankContext& self) const override {
    const RankReporter::BlockingCall call{*reporter_};
    collective_->run(request, self);
  }

 private:
  std::unique_ptr<Collective> collective_;
  const RankReporter* reporter_;
};

}  // namespace

RankBackend::RankBackend(MpiWorld& world, const RankReporter& reporter, const RankOptions& options)
    : world_{&world},
      reporter_{&reporter},
      options_{&options},
      uses_gpus_{wants_gpus(world, reporter, options.backend)} {
  if (!uses_gpus_ &&
      (options.path != DevicePath::automatic || options.reduce_on != ReduceOn::device)) {
    throw ScenarioError{"--path, --reduce-on: these ranks are no GPUs (expected --backend cuda)"};
  }
  if (uses_gpus_ && options.no_shared_memory) {
    throw ScenarioError{
        "--no-shared-memory: these ranks are GPUs (expected --path staged or cuda-aware)"};
  }
  places_ = world.gather(uses_gpus_ ? cuda_device_id(cuda_device_of(world))
                                    : std::to_string(world.node()));
}

std::string RankBackend::memory_shortage(const PlannedTraining& planned) const {
  const auto me = static_cast<std::size_t>(index_of(world_->rank()));
  const auto first = places_.begin();
  const auto ranks = static_cast<int>(std::count(first, first + planned.cell.ranks, places_[me]));
  const Bytes each = memory_of(planned, uses_gpus_ || !options_->no_shared_memory);
  const std::string& host = world_->host();
  if (!uses_gpus_) return ringcast::memory_shortage(each, ranks, host, available_memory());
  const int gpu = cuda_device_of(*world_);
  const std::optional<Bytes> available = cuda_free_memory(gpu);
  return available ? ringcast::memory_shortage(each, ranks, fmt::format("GPU {} of {}", gpu, host),
                                               *available)
                   : "";
}

void RankBackend::expect_runs(const Cell& cell) const {
  if (cell.algorithm == "nccl" && !uses_gpus_) {
    throw ScenarioError{"algorithm: nccl runs on GPUs only (expected --backend cuda)"};
  }
  if (cell.algorithm == "mpi" && uses_gpus_) {
    throw ScenarioError{
        "algorithm: mpi is not measured on GPUs (expected nccl, or --backend host)"};
  }
}

std::unique_ptr<Transport> RankBackend::make_transport(int ranks, Reduction reduction) {
  if (!uses_gpus_) {
    return make_mpi_transport(*world_, reduction,
                              {.ranks = ranks,
                               .shared_memory = !options_->no_shared_memory,
                               .timeout = options_->timeout});
  }
  const auto remark = [this](const std::string& text) {
    if (remarks_.insert(text).second) reporter_->send(remark_word, text);
  };
  return make_cuda_transport(*world_, reduction,
                             {.ranks = ranks,
                              .path = options_->path,
                              .reduce_on = options_->reduce_on,
                              .timeout = options_->timeout,
                              .remark = remark});
}

std::shared_ptr<const Collective> RankBackend::algorithm_of(const PlannedCell& planned) {
  const Cell& cell = planned.cell;
  if (cell.algorithm == "mpi") {
    return std::make_shared<Watched>(std::make_unique<MpiAllreduce>(), *reporter_);
  }
  if (cell.algorithm == "nccl") {
    std::shared_ptr<const Collective>& nccl = nccl_[cell.ranks];
    if (!nccl) {
      const RankReporter::BlockingCall call{*reporter_};
      nccl = std::make_shared<Watched>(make_nccl_allreduce(*world_, cell.ranks), *reporter_);
    }
    return nccl;
  }
  return make_allreduce(cell.algorithm, planned.options);
}

AllreduceHalves RankBackend::algorithms_of(const PlannedTraining& planned) {
  return planned.step.weights_before_forward ? make_collectives(planned)
                                             : AllreduceHalves{algorithm_of(planned), nullptr};
}

std::string to_text(const std::vector<HostGpus>& hosts) {
  std::map<std::string, int> counts;
  for (const HostGpus& here : hosts) {
    counts[here.model] += here.gpus;
  }
  const auto models = mapped(counts, [](const auto& each) -> std::string {
    return fmt::format("{} x {}", each.second, each.first);
  });
  const std::string text = fmt::format("{}", fmt::join(models, ", "));
  return hosts.size() < 2 ? text : fmt::format("{} of {}", text, counted(hosts.size(), "host"));
}

std::vector<std::string> remarks_on(const std::vector<HostGpus>& hosts) {
  std::vector<std::string> remarks;
  for (const HostGpus& here : hosts) {
    if (here.gpus > 0 && here.gpus < here.ranks) {
      remarks.push_back(fmt::format(
          "{}: {} share {}: their kernels take turns, unless NVIDIA's Multi-Process Service runs "
          "(nvidia-cuda-mps-control -d)",
          here.host, counted(static_cast<std::size_t>(here.ranks), "rank"),
          counted(static_cast<std::size_t>(here.gpus), "GPU")));
    }
  }
  return remarks;
}

}  // namespace ringcast
