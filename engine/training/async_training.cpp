#include "engine/training/async_training.hpp"

#include <algorithm>

#include "engine/collectives/parameter_server_async.hpp"
#include "engine/numbers/error.hpp"
#include "engine/training/training_cost.hpp"

namespace ringcast {

StepTimes train_asynchronously(const TrainingStep& step, const std::vector<Rank>& servers,
                               int rounds, const std::function<double(int)>& slowness,
                               RankContext& self) {
  expect(rounds > 0, "{} rounds", rounds);
  const bool computes = std::ranges::find(servers, self.network.rank()) == servers.end();
  std::uint64_t elements = 0;
  for (const Bucket& bucket : step.buckets) {
    elements += travelling_elements(bucket, step.compression);
  }
  const Bytes size = elements * size_of(self.reducer.reduction().type);
  const BufferId gradients = self.memory.allocate(size);
  const BufferId parameters = self.memory.allocate(size);
  const auto exchange = [&](int iterations) {
    if (elements > 0) {
      ParameterServerAsync{servers}.run({gradients, parameters, elements, iterations}, self);
    }
  };

  StepTimes times;
  times.whole.begin = self.network.now();
  if (!computes) {
    exchange(rounds);  // in one call: the next push of a worker may come while others are served
  }
  for (int round = 0; computes && round < rounds; ++round) {
    const Seconds work = slowness(round) * compute_time(step);
    self.processor.compute(work).wait();
    times.compute += work;
    const Seconds begin = self.network.now();
    exchange(1);
    times.allreduces.push_back({begin, self.network.now()});
  }
  times.whole.end = self.network.now();
  return times;
}

}  // namespace ringcast
