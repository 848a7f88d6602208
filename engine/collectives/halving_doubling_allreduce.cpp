#include <algorithm>
#include <bit>

#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/segments.hpp"
#include "engine/schedule/ring_schedule.hpp"

// Recursive halving and doubling. Reduce-scatter: in step j a rank exchanges half of its current
// range with the partner 2^j seats away, and combines the half that it keeps. After log2(n) steps
// each rank has the sum of 1/n of the buffer. All-gather: the same steps in reverse order, copying.
// For 4 ranks and a buffer in quarters A B C D, upper case when complete (the seats are positions):
//
//             start     step 0: 0<->1, 2<->3     step 1: 0<->2, 1<->3     all-gather
//   rank 0   a b c d    keeps a b, sends c d     keeps A, sends b         A B, then A B C D
//   rank 1   a b c d    keeps c d, sends a b     keeps C, sends d         C D, then A B C D
//   rank 2   a b c d    keeps a b, sends c d     keeps B, sends a         A B, then A B C D
//   rank 3   a b c d    keeps c d, sends a b     keeps D, sends c         C D, then A B C D
//
// The largest exchanges are between neighbours of the first channel's order. With S the size, a the
// latency, b the bandwidth, g the reduction time per byte, for n a power of two and no segments:
//   T = 2 log2(n) a + 2 (n-1)/n S/b + (n-1)/n S g
// the ring's bandwidth term with a latency that is logarithmic in n (Rabenseifner 2004,
// "Optimization of Collective Reduction Operations"; Thakur, Rabenseifner and Gropp 2005,
// "Optimization of Collective Communication Operations in MPICH").
//
// Each element is summed on one rank, and copied from there: every rank gets the same bits.
//
// For other n the first 2r positions fold in pairs, r = n - 2^floor(log2 n): the even position
// sends its whole buffer to the odd one, which takes part in the exchange, and receives the result
// at the end.
namespace ringcast {
namespace {

// The all-gather returns each half that the reduce-scatter sent, from the same partner into the
// same slice. Returns{doubling} tells Endpoint::send so; a backend may exploit it.
constexpr Tag halving{0};
constexpr Tag doubling{1};

/// The seats of the exchange, after the first 2 `pairs` positions have folded.
struct Fold {
  int exchanging;
  int pairs;

  explicit Fold(int ranks)
      : exchanging{static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))},
        pairs{ranks - exchanging} {}
  [[nodiscard]] bool folds(int position) const { return position < 2 * pairs; }
  [[nodiscard]] bool hands_over(int position) const { return folds(position) && position % 2 == 0; }
  /// Seats 0 .. pairs-1 are the odd positions that folded, the others the positions behind them.
  [[nodiscard]] int seat_of(int position) const {
    return folds(position) ? position / 2 : position - pairs;
  }
  [[nodiscard]] int position_at(int seat) const {
    return seat < pairs ? 2 * seat + 1 : seat + pairs;
  }
};

/// One step of the halving: the range that this rank keeps and combines, and the partner's.
struct Halves {
  Rank partner;
  ElementRange kept;
  ElementRange given;
};

/// A seat's steps: bit j of the seat selects the half of the range that it keeps in step j, and the
/// partner is the seat that differs in this bit only. So n seats end with n different ranges.
std::vector<Halves> halving_steps(const RingOrder& order, const Fold& fold, int seat,
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

/// One rank's messages, all of them cut into segments.
class HalvingExchange {
 public:
  HalvingExchange(BufferId data, const CollectiveOptions& options, RankContext& self)
      : data_{data}, options_{&options}, self_{&self}, network_{&self.network} {}

  void hand_over(Rank to, ElementRange range) {
    send_all(*network_, to, segments(range), halving, Returns{doubling});
  }
  void take_over(Rank from, ElementRange range) {
    recv_accumulate_all(*network_, from, segments(range), halving);
  }
  void hand_back(Rank to, ElementRange range) {
    send_all(*network_, to, segments(range), doubling);
  }
  void take_back(Rank from, ElementRange range) {
    recv_all(*network_, from, segments(range), doubling);
  }
  void halve(const Halves& step) {
    exchange(
        segments(step.kept),
        [&](Slice in) { return network_->recv_accumulate(step.partner, in, halving); },
        segments(step.given),
        [&](Slice out) { return network_->send(step.partner, out, halving, Returns{doubling}); });
  }
  void redouble(const Halves& step) {
    exchange(
        segments(step.given), [&](Slice in) { return network_->recv(step.partner, in, doubling); },
        segments(step.kept),
        [&](Slice out) { return network_->send(step.partner, out, doubling); });
  }
  void finish(ElementRange range) {
    const Slice slice = segments(range).whole();
    if (slice.length > Bytes{0}) {
      self_->reducer.finish(slice, network_->size()).wait();
    }
  }

 private:
  /// Both directions at once, segment by segment; the partner does the same with the roles swapped.
  template <typename Receive, typename Send>
  static void exchange(const Segments& incoming, const Receive& receive, const Segments& outgoing,
                       const Send& send) {
    Window window;
    for (int i = 0; i < std::max(incoming.count(), outgoing.count()); ++i) {
      if (i < incoming.count()) {
        window.add(receive(incoming[i]));
      }
      if (i < outgoing.count()) {
        window.add(send(outgoing[i]));
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
  Endpoint* network_;
};

void exchange_halves(const CollectiveOptions& options, const CollectiveRequest& request,
                     RankContext& self) {
  expect_whole_job(options, self.network);
  const RingOrder& order = options.channels.front();
  const Fold fold{order.size()};
  const int position = order.position_of(self.network.rank());
  const ElementRange all{0, request.elements};
  HalvingExchange exchange{request.data, options, self};

  if (fold.hands_over(position)) {
    exchange.hand_over(order.rank_at(position + 1), all);
    exchange.take_back(order.rank_at(position + 1), all);
    return;
  }
  if (fold.folds(position)) {
    exchange.take_over(order.rank_at(position - 1), all);
  }

  // Reduce-scatter, from the smallest distance to the largest; then all-gather, in reverse.
  const int seat = fold.seat_of(position);
  const std::vector<Halves> steps = halving_steps(order, fold, seat, request.elements);
  for (const Halves& step : steps) {
    exchange.halve(step);
  }
  exchange.finish(steps.empty() ? all : steps.back().kept);
  std::for_each(steps.rbegin(), steps.rend(),
                [&exchange](const Halves& step) { exchange.redouble(step); });

  if (fold.folds(position)) {
    exchange.hand_back(order.rank_at(position - 1), all);
  }
}

}  // namespace

double halving_doubling_messages(const CollectiveOptions& options, std::uint64_t elements,
                                 Bytes element_size) {
  const RingOrder& order = options.channels.front();
  const Fold fold{order.size()};
  double count = 2.0 * fold.pairs * message_count(elements, options, element_size);
  for (int seat = 0; seat < fold.exchanging; ++seat) {
    for (const Halves& step : halving_steps(order, fold, seat, elements)) {
      count += message_count(step.given.count, options, element_size) +
               message_count(step.kept.count, options, element_size);
    }
  }
  return count;
}

std::uint64_t halving_doubling_chunks(const CollectiveOptions& options) {
  return static_cast<std::uint64_t>(Fold{options.channels.front().size()}.exchanging);
}

RankPart halving_doubling_allreduce(CollectiveOptions options) {
  return std::bind_front(exchange_halves, std::move(options));
}

}  // namespace ringcast
