#include "engine/training/async_training.hpp"

#include <algorithm>
#include <utility>

#include "engine/collectives/parameter_server_async.hpp"
#include "engine/numbers/error.hpp"
#include "engine/training/training_cost.hpp"

namespace ringcast {

std::unique_ptr<Collective> make_push_and_pull(std::vector<Rank> servers) {
  return make_collective("parameter-server-async", [servers = std::move(servers)](
                                                       const CollectiveRequest& request,
                                                       RankContext& self) {
    const Bytes size = request.elements * size_of(self.reducer.reduction().type);
    parameter_server_async(
        servers,
        {request.data, self.memory.scratch(size), request.elements, [](Rank) { return 1; }}, self);
  });
}

StepTimes train_asynchronously(const TrainingStep& step, const std::vector<Rank>& servers,
                               const Collective& push_and_pull,
                               const std::function<int(Rank worker)>& rounds,
                               const std::function<double(int)>& slowness, RankContext& self) {
  const bool computes = std::ranges::find(servers, self.network.rank()) == servers.end();
  const int own_rounds = computes ? rounds(self.network.rank()) : 0;
  std::uint64_t elements = 0;
  for (const Bucket& bucket : step.buckets) {
    elements += travelling_elements(bucket, step.compression);
  }
  const Bytes size = elements * size_of(self.reducer.reduction().type);
  const BufferId buffer = self.memory.allocate(size);

  StepTimes times;
  times.whole.begin = self.network.now();
  if (!computes && elements > 0) {
    // All rounds in one call: a worker's next push may arrive while others are served.
    parameter_server_async(servers, {{}, buffer, elements, rounds}, self);
  }
  for (int round = 0; round < own_rounds; ++round) {
    const Seconds work = slowness(round) * compute_time(step);
    self.processor.compute(work).wait();
    times.compute += work;
    const Seconds begin = self.network.now();
    if (elements > 0) push_and_pull.run({buffer, elements}, self);
    times.allreduces.push_back({begin, self.network.now()});
  }
  times.whole.end = self.network.now();
  return times;
}

}  // namespace ringcast
