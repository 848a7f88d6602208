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
  const AsyncRequest request{self.memory.allocate(size), self.memory.allocate(size), elements, 1};
  const ParameterServerAsync exchange{servers};

  StepTimes times;
  times.whole.begin = self.network.now();
  for (int round = 0; round < rounds; ++round) {
    if (computes) {
      const Seconds work = slowness(round) * compute_time(step);
      self.processor.compute(work).wait();
      times.compute += work;
    }
    const Seconds begin = self.network.now();
    if (elements > 0) {
      exchange.run(request, self);
    }
    times.allreduces.push_back({begin, self.network.now()});
  }
  times.whole.end = self.network.now();
  return times;
}

}  // namespace ringcast
