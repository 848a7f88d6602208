#include "engine/collectives/all_to_all_allreduce.hpp"

#include <algorithm>

#include "engine/collectives/fifo.hpp"
#include "engine/collectives/segments.hpp"

namespace ringcast {
namespace {

constexpr Tag tag{0};

/// Whether a (+) b and b (+) a have the same bits. Of 0 and -0, min and max keep the left one.
bool commutes(Operation operation) {
  return operation != Operation::min && operation != Operation::max;
}

/// A copy on the same rank, through the host: no collective but this one needs it, for min and max.
void copy(Memory& memory, Slice from, Slice to) {
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

/// One rank's share of the exchange, segment by segment. Two are under way at once: while one is
/// combined, the next is coming.
class Exchange {
 public:
  Exchange(const RingOrder& order, Segments data, RankContext& self)
      : order_{&order},
        position_{order.position_of(self.network.rank())},
        data_{data},
        self_{&self},
        scratch_{self.memory.allocate(slots() * data[0].length)} {}

  void start(int segment) {
    std::vector<Pending> transfers;
    for (int distance = 1; distance < order_->size(); ++distance) {
      const int from = (position_ + order_->size() - distance) % order_->size();
      transfers.push_back(self_->network.recv(order_->rank_at(from), arrival(segment, from), tag));
    }
    for (int distance = 1; distance < order_->size(); ++distance) {
      const int to = (position_ + distance) % order_->size();
      transfers.push_back(self_->network.send(order_->rank_at(to), data_[segment], tag));
    }
    under_way_.push_back(std::move(transfers));
  }

  /// Waits for the oldest exchange, which is that of `segment`, and combines it.
  void combine(int segment) {
    std::vector<Pending> oldest = under_way_.pop_front();
    for (Pending& transfer : oldest) {
      transfer.wait();
    }

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
      copy(self_->memory, sum, own);
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
  Fifo<std::vector<Pending>> under_way_;
};

}  // namespace

AllToAllAllreduce::AllToAllAllreduce(CollectiveOptions options)
    : options_{checked(std::move(options))} {}

double AllToAllAllreduce::messages(const CollectiveOptions& options, std::uint64_t elements,
                                   Bytes element_size) {
  const double ranks = options.channels.front().size();
  return ranks * (ranks - 1) * message_count(elements, options, element_size);
}

void AllToAllAllreduce::run(const CollectiveRequest& request, RankContext& self) const {
  expect_whole_job(options_, self.network);
  const Segments data{
      request.data, {0, request.elements}, options_, size_of(self.reducer.reduction().type)};
  if (data.count() == 0) {
    return;
  }
  Exchange exchange{options_.channels.front(), data, self};
  exchange.start(0);
  for (int segment = 0; segment < data.count(); ++segment) {
    if (segment + 1 < data.count()) {
      exchange.start(segment + 1);
    }
    exchange.combine(segment);
  }
}

}  // namespace ringcast
