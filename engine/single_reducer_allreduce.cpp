#include "engine/single_reducer_allreduce.hpp"

#include "engine/segments.hpp"

namespace ringcast {
namespace {

constexpr Tag tag{0};

void serve(const RingOrder& order, const Segments& data, RankContext& self) {
  for (int position = 1; position < order.size(); ++position) {
    recv_accumulate_all(self.network, order.rank_at(position), data, tag);
  }
  self.reducer.finish(data.whole(), order.size()).wait();

  Window results;
  for (int position = 1; position < order.size(); ++position) {
    results.add(self.network.send(order.rank_at(position), data.whole(), tag));
  }
  results.wait_all();
}

void contribute(Rank reducer, const Segments& data, RankContext& self) {
  send_all(self.network, reducer, data, tag);
  self.network.recv(reducer, data.whole(), tag).wait();
}

}  // namespace

SingleReducerAllreduce::SingleReducerAllreduce(CollectiveOptions options)
    : options_{checked(std::move(options))} {}

double SingleReducerAllreduce::messages(const CollectiveOptions& options, std::uint64_t elements,
                                        Bytes element_size) {
  const double others = options.channels.front().size() - 1;
  const double segments = message_count(elements, options, element_size);
  return segments == 0 ? 0 : others * (segments + 1);
}

void SingleReducerAllreduce::run(const CollectiveRequest& request, RankContext& self) const {
  expect_whole_job(options_, self.network);
  const RingOrder& order = options_.channels.front();
  const Segments data{
      request.data, {0, request.elements}, options_, size_of(self.reducer.reduction().type)};
  if (data.count() == 0) {
    return;
  }
  if (order.position_of(self.network.rank()) == 0) {
    serve(order, data, self);
  } else {
    contribute(order.rank_at(0), data, self);
  }
}

}  // namespace ringcast
