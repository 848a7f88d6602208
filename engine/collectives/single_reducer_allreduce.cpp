#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/segments.hpp"

// Single reducer: the rank at position 0 combines the buffers of all ranks and sends the result to
// them. This is a parameter server in its simplest form, and the naive algorithm that Gibiansky
// 2017, "Bringing HPC Techniques to Deep Learning", compares the ring with. For 4 ranks:
//
//   reduce     1 -> 0, then 2 -> 0, then 3 -> 0: ((x0 + x1) + x2) + x3, in segments
//   broadcast  0 -> 1, 2, 3 at once, whole buffers
//
// Contributions are received one after the other. All at once would be no faster, since they share
// the cable into position 0, and would need n-1 buffers of scratch. Segments of one contribution
// overlap with their reduction.
//
// With S the size, a the latency, b the bandwidth, g the reduction time per byte, for one segment:
//   T = (n-1) (a + S/b + S g) + a + (n-1) S/b
// (n-1) S crosses one rank's cable in each direction: n/2 times the load of a cable in a ring.
namespace ringcast {
namespace {

constexpr Tag single_reducer_tag{0};

Segments segments_of(const CollectiveRequest& request, const CollectiveOptions& options,
                     const RankContext& self) {
  expect_whole_job(options, self.network);
  return {request.data, {0, request.elements}, options, size_of(self.reducer.reduction().type)};
}

bool is_single_reducer(const RingOrder& order, const RankContext& self) {
  return order.position_of(self.network.rank()) == 0;
}

void reduce(const CollectiveOptions& options, const CollectiveRequest& request, RankContext& self) {
  const RingOrder& order = options.channels.front();
  const Segments data = segments_of(request, options, self);
  if (data.count() == 0) {
    return;
  }
  if (!is_single_reducer(order, self)) {
    send_all(self.network, order.rank_at(0), data, single_reducer_tag);
    return;
  }
  for (int position = 1; position < order.size(); ++position) {
    recv_accumulate_all(self.network, order.rank_at(position), data, single_reducer_tag);
  }
  self.reducer.finish(data.whole(), order.size()).wait();
}

void broadcast(const CollectiveOptions& options, const CollectiveRequest& request,
               RankContext& self) {
  const RingOrder& order = options.channels.front();
  const Segments data = segments_of(request, options, self);
  if (data.count() == 0) {
    return;
  }
  if (!is_single_reducer(order, self)) {
    self.network.recv(order.rank_at(0), data.whole(), single_reducer_tag).wait();
    return;
  }
  Window results;
  for (int position = 1; position < order.size(); ++position) {
    results.add(self.network.send(order.rank_at(position), data.whole(), single_reducer_tag));
  }
  results.wait_all();
}

void reduce_and_broadcast(const CollectiveOptions& options, const CollectiveRequest& request,
                          RankContext& self) {
  reduce(options, request, self);
  broadcast(options, request, self);
}

}  // namespace

RankPart single_reducer_reduce(CollectiveOptions options) {
  return std::bind_front(reduce, std::move(options));
}
RankPart single_reducer_broadcast(CollectiveOptions options) {
  return std::bind_front(broadcast, std::move(options));
}
RankPart single_reducer_allreduce(CollectiveOptions options) {
  return std::bind_front(reduce_and_broadcast, std::move(options));
}

double single_reducer_messages(const CollectiveOptions& options, std::uint64_t elements,
                               Bytes element_size) {
  const double others = options.channels.front().size() - 1;
  const double segments = message_count(elements, options, element_size);
  return segments == 0 ? 0 : others * (segments + 1);
}

}  // namespace ringcast
