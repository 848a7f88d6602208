#include "engine/collectives/single_reducer_allreduce.hpp"

#include "engine/collectives/segments.hpp"

namespace ringcast {
namespace {

constexpr Tag tag{0};

Segments segments_of(const CollectiveRequest& request, const CollectiveOptions& options,
                     const RankContext& self) {
  expect_whole_job(options, self.network);
  return {request.data, {0, request.elements}, options, size_of(self.reducer.reduction().type)};
}

bool is_reducer(const RingOrder& order, const RankContext& self) {
  return order.position_of(self.network.rank()) == 0;
}

}  // namespace

SingleReducerReduce::SingleReducerReduce(CollectiveOptions options)
    : options_{checked(std::move(options))} {}

void SingleReducerReduce::run(const CollectiveRequest& request, RankContext& self) const {
  const RingOrder& order = options_.channels.front();
  const Segments data = segments_of(request, options_, self);
  if (data.count() == 0) {
    return;
  }
  if (!is_reducer(order, self)) {
    send_all(self.network, order.rank_at(0), data, tag);
    return;
  }
  for (int position = 1; position < order.size(); ++position) {
    recv_accumulate_all(self.network, order.rank_at(position), data, tag);
  }
  self.reducer.finish(data.whole(), order.size()).wait();
}

SingleReducerBroadcast::SingleReducerBroadcast(CollectiveOptions options)
    : options_{checked(std::move(options))} {}

void SingleReducerBroadcast::run(const CollectiveRequest& request, RankContext& self) const {
  const RingOrder& order = options_.channels.front();
  const Segments data = segments_of(request, options_, self);
  if (data.count() == 0) {
    return;
  }
  if (!is_reducer(order, self)) {
    self.network.recv(order.rank_at(0), data.whole(), tag).wait();
    return;
  }
  Window results;
  for (int position = 1; position < order.size(); ++position) {
    results.add(self.network.send(order.rank_at(position), data.whole(), tag));
  }
  results.wait_all();
}

SingleReducerAllreduce::SingleReducerAllreduce(CollectiveOptions options)
    : reduce_{options}, broadcast_{std::move(options)} {}

double SingleReducerAllreduce::messages(const CollectiveOptions& options, std::uint64_t elements,
                                        Bytes element_size) {
  const double others = options.channels.front().size() - 1;
  const double segments = message_count(elements, options, element_size);
  return segments == 0 ? 0 : others * (segments + 1);
}

void SingleReducerAllreduce::run(const CollectiveRequest& request, RankContext& self) const {
  reduce_.run(request, self);
  broadcast_.run(request, self);
}

}  // namespace ringcast
