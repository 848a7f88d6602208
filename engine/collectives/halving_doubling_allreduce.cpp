#include "engine/collectives/halving_doubling_allreduce.hpp"

#include <algorithm>
#include <bit>

#include "engine/collectives/segments.hpp"
#include "engine/schedule/ring_schedule.hpp"

namespace ringcast {
namespace {

constexpr Tag tag{0};
/// For the answers to what is lent.
constexpr Tag back{1};

/// Which positions take part in the exchange, once the first 2 `pairs` have folded.
struct Fold {
  int exchanging;
  int pairs;

  explicit Fold(int ranks)
      : exchanging{static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))},
        pairs{ranks - exchanging} {}
  [[nodiscard]] bool folds(int position) const { return position < 2 * pairs; }
  [[nodiscard]] bool hands_over(int position) const { return folds(position) && position % 2 == 0; }
  /// The number of a position in the exchange, and back.
  [[nodiscard]] int seat_of(int position) const {
    return folds(position) ? position / 2 : position - pairs;
  }
  [[nodiscard]] int position_at(int seat) const {
    return seat < pairs ? 2 * seat + 1 : seat + pairs;
  }
};

/// One step of the halving: what is kept and combined, and what goes to the partner.
struct Halves {
  Rank partner;
  ElementRange kept;
  ElementRange given;
};

std::vector<Halves> halving(const RingOrder& order, const Fold& fold, int seat,
                            std::uint64_t elements) {
  std::vector<Halves> steps;
  ElementRange range{0, elements};
  for (int distance = 1; distance < fold.exchanging; distance *= 2) {
    const int partner = fold.position_at(seat ^ distance);
    const int kept = (seat & distance) == 0 ? 0 : 1;
    const Chunks halves{range, 2};
    steps.push_back({order.rank_at(partner), halves[kept], halves[1 - kept]});
    range = halves[kept];
  }
  return steps;
}

class Exchange {
 public:
  Exchange(BufferId data, const CollectiveOptions& options, RankContext& self)
      : data_{data}, options_{&options}, self_{&self} {}

  void send(Rank to, ElementRange range) { send_all(self_->network, to, segments(range), back); }
  void lend(Rank to, ElementRange range) {
    lend_all(self_->network, to, segments(range), tag, back);
  }
  void receive(Rank from, ElementRange range) {
    recv_all(self_->network, from, segments(range), back);
  }
  void combine(Rank from, ElementRange range) {
    recv_accumulate_all(self_->network, from, segments(range), tag);
  }
  void halve(const Halves& step) {
    exchange(step.partner, segments(step.given), segments(step.kept), Arrival::combines);
  }
  void finish(ElementRange range) {
    const Slice slice = segments(range).whole();
    if (slice.length > Bytes{0}) {
      self_->reducer.finish(slice, self_->network.size()).wait();
    }
  }
  void redouble(const Halves& step) {
    exchange(step.partner, segments(step.kept), segments(step.given), Arrival::replaces);
  }

 private:
  void exchange(Rank partner, const Segments& outgoing, const Segments& incoming, Arrival arrival) {
    Window window;
    for (int i = 0; i < std::max(incoming.count(), outgoing.count()); ++i) {
      if (i < incoming.count()) {
        window.add(arrival == Arrival::combines
                       ? self_->network.recv_accumulate(partner, incoming[i], tag)
                       : self_->network.recv(partner, incoming[i], back));
      }
      if (i < outgoing.count()) {
        window.add(arrival == Arrival::combines
                       ? self_->network.lend(partner, outgoing[i], tag, back)
                       : self_->network.send(partner, outgoing[i], back));
      }
    }
    window.wait_all();
  }
  [[nodiscard]] Segments segments(ElementRange range) const {
    return {data_, range, *options_, size_of(self_->reducer.reduction().type)};
  }

  BufferId data_;
  const CollectiveOptions* options_;
  RankContext* self_;
};

}  // namespace

HalvingDoublingAllreduce::HalvingDoublingAllreduce(CollectiveOptions options)
    : options_{checked(std::move(options))} {}

double HalvingDoublingAllreduce::messages(const CollectiveOptions& options, std::uint64_t elements,
                                          Bytes element_size) {
  const RingOrder& order = options.channels.front();
  const Fold fold{order.size()};
  double count = 2.0 * fold.pairs * message_count(elements, options, element_size);
  for (int seat = 0; seat < fold.exchanging; ++seat) {
    for (const Halves& step : halving(order, fold, seat, elements)) {
      count += message_count(step.given.count, options, element_size) +
               message_count(step.kept.count, options, element_size);
    }
  }
  return count;
}

void HalvingDoublingAllreduce::run(const CollectiveRequest& request, RankContext& self) const {
  expect_whole_job(options_, self.network);
  const RingOrder& order = options_.channels.front();
  const Fold fold{order.size()};
  const int position = order.position_of(self.network.rank());
  const ElementRange all{0, request.elements};
  Exchange exchange{request.data, options_, self};

  if (fold.hands_over(position)) {
    exchange.lend(order.rank_at(position + 1), all);
    exchange.receive(order.rank_at(position + 1), all);
    return;
  }
  if (fold.folds(position)) {
    exchange.combine(order.rank_at(position - 1), all);
  }

  const std::vector<Halves> steps = halving(order, fold, fold.seat_of(position), request.elements);
  for (const Halves& step : steps) {
    exchange.halve(step);
  }
  exchange.finish(steps.empty() ? all : steps.back().kept);
  std::for_each(steps.rbegin(), steps.rend(),
                [&exchange](const Halves& step) { exchange.redouble(step); });

  if (fold.folds(position)) {
    exchange.send(order.rank_at(position - 1), all);
  }
}

}  // namespace ringcast
