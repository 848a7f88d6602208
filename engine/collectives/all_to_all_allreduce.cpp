#include <algorithm>

#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/fifo.hpp"
#include "engine/collectives/segments.hpp"

// All-to-all: every rank sends its whole buffer to every other one and combines all n buffers by
// itself, in one step. Position p sends to p+d and receives from p-d (modulo n) for all distances d
// at once, the nearest first, so that ranks have different first targets. For 4 ranks, position 1:
//
//   sends x1 to 2, 3, 0; receives x0, x3, x2; computes ((x0 + x1) + x2) + x3
//
// Every rank combines in the order of positions, its own buffer included, and so gets the same bits
// as all others, except in NaNs of float32 and float64, whose bits no reduction specifies. A
// segment is combined once it has arrived from all ranks: scratch is n-1 buffers or, in segments,
// 2(n-1) segments, since the next segment is received while one is combined.
//
// With S the size, a the latency, b the bandwidth, g the reduction time per byte, for one segment:
//   T = a + (n-1) S/b + (n-1) S g
// One latency, for n/2 times the bytes of a ring: the algorithm for small buffers (the fully
// connected exchange in Chan, Heimlich, Purkayastha and van de Geijn 2007, "Collective
// communication: theory, practice, and experience").
namespace ringcast {
namespace {

constexpr Tag all_to_all_tag{0};

/// Whether a (+) b and b (+) a have the same bits, other than a NaN's. min and max return the left
/// one of 0 and -0.
bool commutes(Operation operation) {
  return operation != Operation::min && operation != Operation::max;
}

/// A copy on the same rank, through the host. Only this algorithm needs one, for min and max.
void copy_through_host(Memory& memory, Slice from, Slice to) {
  if (!memory.holds_data()) {
    return;
  }
  std::vector<std::byte> piece(std::min<std::uint64_t>(from.length.count(), 1U << 20U));
  for (std::uint64_t done = 0; done < from.length.count(); done += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), from.length.count() - done));
    const Bytes length{piece.size()};
    memory.read({from.buffer, from.offset + Bytes{done}, length}, piece);
    memory.write({to.buffer, to.offset + Bytes{done}, length}, piece);
  }
}

/// One rank's part, segment by segment. Two are in flight at once: one is combined, one arrives.
class AllToAllExchange {
 public:
  AllToAllExchange(const RingOrder& order, Segments data, RankContext& self)
      : order_{&order},
        position_{order.position_of(self.network.rank())},
        data_{data},
        self_{&self},
        scratch_{self.memory.scratch(slots() * data[0].length)} {}

  void start(int segment) {
    std::vector<Pending> transfers;
    for (int distance = 1; distance < order_->size(); ++distance) {
      const int from = (position_ + order_->size() - distance) % order_->size();
      transfers.push_back(
          self_->network.recv(order_->rank_at(from), arrival(segment, from), all_to_all_tag));
    }
    for (int distance = 1; distance < order_->size(); ++distance) {
      const int to = (position_ + distance) % order_->size();
      transfers.push_back(self_->network.send(order_->rank_at(to), data_[segment], all_to_all_tag));
    }
    in_flight_.push_back(std::move(transfers));
  }

  /// Waits for the oldest exchange, which is that of `segment`, and combines it: the sum is x0
  /// (+) x1 ... If the operation commutes, the sum continues in the rank's own slice from that
  /// position on, as own (+) sum; otherwise it stays in x0's scratch and is copied at the end.
  void combine(int segment) {
    std::vector<Pending> oldest = in_flight_.pop_front();
    wait_all(oldest);

    const Slice own = data_[segment];
    Slice sum = position_ == 0 ? own : arrival(segment, 0);
    for (int position = 1; position < order_->size(); ++position) {
      if (position != position_) {
        self_->reducer.accumulate(sum, arrival(segment, position)).wait();
      } else if (commutes(self_->reducer.reduction().operation)) {
        self_->reducer.accumulate(own, sum).wait();
        sum = own;
      } else {
        self_->reducer.accumulate(sum, own).wait();
      }
    }
    self_->reducer.finish(sum, order_->size()).wait();
    if (sum != own) {
      copy_through_host(self_->memory, sum, own);
    }
  }

 private:
  [[nodiscard]] std::uint64_t slots() const {
    return static_cast<std::uint64_t>(std::min(data_.count(), 2) * (order_->size() - 1));
  }
  /// Where a segment of another position's buffer arrives.
  [[nodiscard]] Slice arrival(int segment, int from) const {
    const int others = order_->size() - 1;
    const int slot = segment % 2 * others + (from < position_ ? from : from - 1);
    return {scratch_, static_cast<std::uint64_t>(slot) * data_[0].length, data_[segment].length};
  }

  const RingOrder* order_;
  int position_;
  Segments data_;
  RankContext* self_;
  BufferId scratch_;
  Fifo<std::vector<Pending>> in_flight_;
};

void exchange_all(const CollectiveOptions& options, const CollectiveRequest& request,
                  RankContext& self) {
  expect_whole_job(options, self.network);
  const Segments data{
      request.data, {0, request.elements}, options, size_of(self.reducer.reduction().type)};
  if (data.count() == 0) {
    return;
  }
  AllToAllExchange exchange{options.channels.front(), data, self};
  exchange.start(0);
  for (int segment = 0; segment < data.count(); ++segment) {
    if (segment + 1 < data.count()) {
      exchange.start(segment + 1);
    }
    exchange.combine(segment);
  }
}

}  // namespace

double all_to_all_messages(const CollectiveOptions& options, std::uint64_t elements,
                           Bytes element_size) {
  const double ranks = options.channels.front().size();
  return ranks * (ranks - 1) * message_count(elements, options, element_size);
}

Bytes all_to_all_scratch(const CollectiveOptions& options, std::uint64_t elements,
                         Bytes element_size) {
  const Segments data{BufferId{}, {0, elements}, options, element_size};
  const auto others = static_cast<std::uint64_t>(options.channels.front().size() - 1);
  return data.count() == 0
             ? Bytes{}
             : static_cast<std::uint64_t>(std::min(data.count(), 2)) * (others * data[0].length);
}

RankPart all_to_all_allreduce(CollectiveOptions options) {
  return std::bind_front(exchange_all, std::move(options));
}

}  // namespace ringcast
