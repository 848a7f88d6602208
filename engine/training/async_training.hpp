#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/training/training_step.hpp"

namespace ringcast {

/// A worker's part of a round of parameter_server_async(): it pushes the gradients of a request,
/// and pulls the servers' current weights.
[[nodiscard]] std::unique_ptr<Collective> make_push_and_pull(std::vector<Rank> servers);

/// Training without a barrier (parameter_server_async()): a worker computes, pushes and pulls,
/// as many `rounds` as it has, without overlap. Every rank calls it; those in `servers` only serve.
/// `push_and_pull` may add the costs of a call. The computation of a round takes `slowness(round)`
/// times as long. Returns a worker's times over all rounds; for a server only `whole`.
[[nodiscard]] StepTimes train_asynchronously(const TrainingStep& step,
                                             const std::vector<Rank>& servers,
                                             const Collective& push_and_pull,
                                             const std::function<int(Rank worker)>& rounds,
                                             const std::function<double(int)>& slowness,
                                             RankContext& self);

}  // namespace ringcast
