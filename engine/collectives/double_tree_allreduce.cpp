#include <algorithm>
#include <optional>

#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/fifo.hpp"
#include "engine/collectives/segments.hpp"
#include "engine/schedule/double_tree.hpp"

// Double binary tree: half of the buffer goes through each of two trees, up and down, in segments.
// For 4 ranks in ring order (double_tree.cpp derives the trees for any number):
//
//   tree 0   3            tree 1   0            up    a rank combines its children's segments
//            |                     |                  with its own and sends the sum to its
//            1                     2                  parent; the root completes it
//           / \                   / \             .
//          0   2                 3   1            down  the result, copied from parent to children
//
// No rank has children in both trees: an inner rank of one is a leaf of the other. So with S the
// size, a rank sends and receives 2 S at most, S/2 to and from each of two children and two
// parents.
//
// With k segments to a half, d = log2(n+1) levels, a the latency, b the bandwidth of a
// cable, g the reduction time per byte, s = S/(k b) and r = S g/k for both children's segments:
//   up:   (d-1) (a + s + r) + (k-1) max(s, r)     down: (d-1) (a + s) + (k-1) s
// For many segments that is the 2 S/b of a ring, with a latency that grows with log2(n) (Sanders,
// Speck and Traeff 2009, "Two-tree algorithms for full bandwidth broadcast, reduction and scan"; in
// NCCL since 2.4). Without segments each level waits for the whole half below it.
//
// A parent's sum is (own + first child) + second child, and results are copied: every rank gets the
// same bits, every time.
namespace ringcast {
namespace {

/// The segments that a rank is ready to receive from each child: it bounds the scratch.
constexpr int segments_ahead = 8;

/// One rank's part in one of the trees.
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
      scratch_ = self.memory.scratch(static_cast<std::uint64_t>(slots) * data[0].length);
    }
  }

  [[nodiscard]] bool has_children() const { return !children_.empty(); }

  /// Combines segment `i` of the children and sends it on. A leaf waits for nothing, and runs
  /// max_in_flight segments ahead.
  void up(int i) {
    const int end = std::min(data_.count(), i + (has_children() ? 1 : max_in_flight));
    for (; upward_ < end; ++upward_) {
      if (has_children()) {
        combine(upward_);
      }
      if (parent_) {
        sent_.add(self_->network.send(*parent_, data_[upward_], tag_));
      } else {
        self_->reducer.finish(data_[upward_], self_->network.size()).wait();
      }
    }
  }

  /// Ends the way up: from now on results arrive in the buffer.
  void turn() { sent_.wait_all(); }

  /// Passes the result of segment `i` on to the children; a leaf only receives, and runs ahead.
  void down(int i) {
    if (parent_) {
      for (; downward_ < std::min(data_.count(), i + max_in_flight); ++downward_) {
        Pending result = self_->network.recv(*parent_, data_[downward_], tag_);
        if (has_children()) {
          results_.push_back(std::move(result));
        } else {
          received_.add(std::move(result));
        }
      }
    }
    if (has_children() && i < data_.count()) {
      if (parent_) {
        results_.pop_front().wait();
      }
      for (const Rank child : children_) {
        sent_.add(self_->network.send(child, data_[i], tag_));
      }
    }
  }
  void end() {
    received_.wait_all();
    sent_.wait_all();
  }

 private:
  /// The first child's segment is combined as it arrives; the second's waits in scratch, since two
  /// arrivals cannot own one slice.
  struct Arrivals {
    Pending first;
    std::optional<Pending> second;
  };

  [[nodiscard]] Arrivals expect_segment(int segment) {
    Arrivals arrivals{self_->network.recv_accumulate(children_[0], data_[segment], tag_), {}};
    if (children_.size() > 1) {
      arrivals.second.emplace(self_->network.recv(children_[1], landing(segment), tag_));
    }
    return arrivals;
  }

  void combine(int segment) {
    // Ready for several segments: the children's messages never wait for this rank's arithmetic.
    for (; expected_ < std::min(data_.count(), segment + segments_ahead); ++expected_) {
      coming_.push_back(expect_segment(expected_));
    }
    Arrivals arrivals = coming_.pop_front();
    arrivals.first.wait();
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
  int expected_ = 0;  // segments of the children whose receives are posted
  Fifo<Arrivals> coming_;
  int upward_ = 0;
  int downward_ = 0;
  Fifo<Pending> results_;
  Window received_;
  Window sent_;
};

}  // namespace

double double_tree_messages(const CollectiveOptions& options, std::uint64_t elements,
                            Bytes element_size) {
  const Chunks halves{{0, elements}, 2};
  const double cables = options.channels.front().size() - 1;
  return 2 * cables *
         (message_count(halves[0].count, options, element_size) +
          message_count(halves[1].count, options, element_size));
}

Bytes double_tree_scratch(const CollectiveOptions& options, std::uint64_t elements,
                          Bytes element_size) {
  const Segments half{BufferId{}, {0, (elements + 1) / 2}, options, element_size};
  return half.count() == 0
             ? Bytes{}
             : static_cast<std::uint64_t>(std::min(segments_ahead, half.count())) * half[0].length;
}

void double_tree_allreduce(const CollectiveOptions& options, const CollectiveRequest& request,
                           RankContext& self) {
  expect_whole_job(options, self.network);
  const RingOrder& order = options.channels.front();
  const Chunks halves{{0, request.elements}, 2};
  const Bytes element_size = size_of(self.reducer.reduction().type);
  const auto tree = [&](int index) {
    return Tree{index, order, {request.data, halves[index], options, element_size}, self};
  };
  Tree first = tree(0);
  Tree second = tree(1);
  // No rank has children in both trees, and as a leaf it runs ahead, so that neither tree waits for
  // the other. The first half has as many segments as the second, or one more.
  Tree& leaf = second.has_children() ? first : second;
  Tree& inner = second.has_children() ? second : first;
  const int segments = Segments{request.data, halves[0], options, element_size}.count();
  for (int i = 0; i < segments; ++i) {
    leaf.up(i);
    inner.up(i);
  }
  leaf.turn();
  inner.turn();
  for (int i = 0; i < segments; ++i) {
    leaf.down(i);
    inner.down(i);
  }
  leaf.end();
  inner.end();
}

}  // namespace ringcast
