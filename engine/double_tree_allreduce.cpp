#include "engine/double_tree_allreduce.hpp"

#include <utility>

#include "engine/double_tree.hpp"
#include "engine/fifo.hpp"
#include "engine/segments.hpp"

namespace ringcast {
namespace {

/// How many segments a rank is ready to receive from each child: it bounds the scratch.
constexpr int segments_ahead = 8;

/// What one rank does in one of the trees.
class Tree {
 public:
  Tree(int tree, const RingOrder& order, Segments data, RankContext& self)
      : tag_{tree}, data_{data}, self_{&self} {
    const TreePlace place =
        place_in_double_tree(tree, order.position_of(self.network.rank()), order.size());
    if (place.parent) {
      parent_ = order.rank_at(*place.parent);
    }
    for (const int child : place.children) {
      children_.push_back(order.rank_at(child));
    }
    if (children_.size() > 1 && data.count() > 0) {
      const int slots = std::min(segments_ahead, data.count());
      scratch_ = self.memory.allocate(static_cast<std::uint64_t>(slots) * data[0].length);
    }
  }

  [[nodiscard]] bool has_children() const { return !children_.empty(); }

  /// Combines what the children send and sends it on; a leaf only starts to send.
  void start_up() {
    int posted = 0;
    for (int i = 0; i < data_.count(); ++i) {
      for (; posted < data_.count() && posted < i + segments_ahead; ++posted) {
        expect_segment(posted);
      }
      combine(i);
      if (parent_) {
        sent_.push_back(self_->network.send(*parent_, data_[i], tag_));
      } else {
        self_->reducer.finish(data_[i], self_->network.size()).wait();
      }
    }
  }

  /// Ends the way up, and gets ready for the way down: from now on results arrive in the buffer.
  void turn() {
    wait_all(std::exchange(sent_, {}));
    if (parent_) {
      results_ = recv_all(self_->network, *parent_, data_, tag_);
    }
  }

  /// Passes the results on to the children; a leaf only receives them.
  void start_down() {
    for (int i = 0; i < data_.count(); ++i) {
      if (parent_) {
        results_[static_cast<std::size_t>(i)].wait();
      }
      for (const Rank child : children_) {
        sent_.push_back(self_->network.send(child, data_[i], tag_));
      }
    }
  }
  void end() { wait_all(std::move(sent_)); }

 private:
  /// The first child's segment is combined as it comes; the second's waits in scratch, since two
  /// arrivals can not own one slice.
  struct Arrivals {
    std::optional<Pending> first;
    std::optional<Pending> second;
  };

  void expect_segment(int segment) {
    Arrivals arrivals;
    if (!children_.empty()) {
      arrivals.first.emplace(self_->network.recv_accumulate(children_[0], data_[segment], tag_));
    }
    if (children_.size() > 1) {
      arrivals.second.emplace(self_->network.recv(children_[1], landing(segment), tag_));
    }
    coming_.push_back(std::move(arrivals));
  }

  void combine(int segment) {
    Arrivals arrivals = coming_.pop_front();
    if (arrivals.first) {
      arrivals.first->wait();
    }
    if (arrivals.second) {
      arrivals.second->wait();
      self_->reducer.accumulate(data_[segment], landing(segment)).wait();
    }
  }

  [[nodiscard]] Slice landing(int segment) const {
    const auto slot = static_cast<std::uint64_t>(segment % segments_ahead);
    return {scratch_, slot * data_[0].length, data_[segment].length};
  }

  Tag tag_;
  Segments data_;
  RankContext* self_;
  std::optional<Rank> parent_;
  std::vector<Rank> children_;
  BufferId scratch_{};
  Fifo<Arrivals> coming_;
  std::vector<Pending> sent_;
  std::vector<Pending> results_;
};

}  // namespace

DoubleTreeAllreduce::DoubleTreeAllreduce(RingOptions options)
    : options_{checked(std::move(options))} {}

std::uint64_t DoubleTreeAllreduce::messages(const RingOptions& options, std::uint64_t elements,
                                            Bytes element_size) {
  const Chunks halves{{0, elements}, 2};
  const auto cables = static_cast<std::uint64_t>(options.channels.front().size() - 1);
  return 2 * cables *
         (message_count(halves[0].count, options, element_size) +
          message_count(halves[1].count, options, element_size));
}

void DoubleTreeAllreduce::run(const CollectiveRequest& request, RankContext& self) const {
  expect_whole_job(options_, self.network);
  const RingOrder& order = options_.channels.front();
  const Chunks halves{{0, request.elements}, 2};
  const Bytes element_size = size_of(self.reducer.reduction().type);
  const auto tree = [&](int index) {
    return Tree{index, order, {request.data, halves[index], options_, element_size}, self};
  };
  Tree first = tree(0);
  Tree second = tree(1);
  // No rank has children in both trees. As a leaf it must not keep anyone waiting on the way up,
  // and with children not on the way down.
  Tree& inner = second.has_children() ? second : first;
  Tree& leaf = second.has_children() ? first : second;

  leaf.start_up();
  inner.start_up();
  leaf.turn();
  inner.turn();
  inner.start_down();
  leaf.start_down();
  inner.end();
  leaf.end();
}

}  // namespace ringcast
