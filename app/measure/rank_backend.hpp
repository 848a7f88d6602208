#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/config/scenario/training_plan.hpp"
#include "app/measure/on_ranks.hpp"
#include "app/measure/rank_options.hpp"
#include "engine/contracts/collective.hpp"
#include "real/mpi/cuda_transport.hpp"
#include "real/mpi/mpi_world.hpp"

namespace ringcast {

/// The backend of this job's ranks, GPUs or CPU processes by the options. All processes of the job
/// make the same calls in the same order.
class RankBackend {
 public:
  /// Throws ScenarioError for GPU options if the ranks are CPU processes. `reporter` limits the
  /// time of other libraries' calls.
  RankBackend(MpiWorld& world, const RankReporter& reporter, const RankOptions& options);
  [[nodiscard]] std::string name() const { return uses_gpus_ ? "cuda" : "mpi"; }
  /// Throws ScenarioError for an algorithm that this backend does not have.
  void expect_runs(const Cell& cell) const;
  [[nodiscard]] bool uses_gpus() const { return uses_gpus_; }
  /// Why this rank's GPU or host has too little memory for its ranks of a cell; empty: it has.
  [[nodiscard]] std::string memory_shortage(const PlannedTraining& planned) const;
  [[nodiscard]] std::unique_ptr<Transport> make_transport(int ranks, Reduction reduction);
  [[nodiscard]] std::shared_ptr<const Collective> algorithm_of(const PlannedCell& planned);
  /// As make_collectives(), but including the algorithms of other libraries.
  [[nodiscard]] AllreduceHalves algorithms_of(const PlannedTraining& planned);

 private:
  MpiWorld* world_;
  const RankReporter* reporter_;
  const RankOptions* options_;
  bool uses_gpus_;
  std::vector<std::string> places_;  // the host or GPU in whose memory each rank's buffers are
  /// NCCL's communicators by the number of ranks: creating one takes longer than a measurement.
  std::map<int, std::shared_ptr<const Collective>> nccl_;
  std::set<std::string> remarks_;  // of transports: told once
};

/// `16 x NVIDIA H200`, with a part for each model.
[[nodiscard]] std::string to_text(const std::vector<HostGpus>& hosts);
/// Remarks on conditions that affect the times: ranks that share a GPU.
[[nodiscard]] std::vector<std::string> remarks_on(const std::vector<HostGpus>& hosts);

}  // namespace ringcast
