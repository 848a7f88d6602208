#pragma once

#include <optional>
#include <vector>

#include "engine/collectives/fifo.hpp"
#include "engine/collectives/segments.hpp"
#include "engine/contracts/transport.hpp"

namespace ringcast {

/// A rank's neighbours in a reduction tree.
struct TreeLinks {
  std::optional<Rank> parent = {};
  std::vector<Rank> children = {};
  /// False: the rank combines what its children send, and adds nothing of its own.
  bool contributes = true;
  /// False: the rank sends up, and gets no result from this parent.
  bool receives = true;
  /// More than that of each child; the parent's, and the root's, which none exceeds.
  int height = 0;
  int parent_height = 0;
  int root_height = 0;
  /// The distance to the root in links; at most root_height.
  int depth = 0;
};

/// One rank's part in one tree, segment by segment: up, each rank combines its children's segments
/// with its own and sends the sum to its parent; down, the root's results are copied from parent to
/// children. A sum is (own + first child) + second child ..., in the sequence of `children`: every
/// rank gets the same bits, every time.
class PipelinedTree {
 public:
  /// `tree`: a number of its own, from 0. `ranks`: how many contribute to the sum.
  PipelinedTree(TreeLinks links, int tree, Segments data, int ranks, RankContext& self);

  [[nodiscard]] const TreeLinks& links() const { return links_; }
  [[nodiscard]] int segments() const { return data_.count(); }
  /// Combines segment `i` of the children and sends it on. A leaf waits for nothing, and runs
  /// ahead.
  void up(int i);
  /// Waits until segments up to `i` have left on their way up, and gets ready for their results.
  void expect_results(int i);
  /// Passes the result of segment `i` on to the children.
  void down(int i);
  /// Ends the broadcast.
  void end();
  /// How many calls for the segments from `i` on, which handle segments i to i + `ahead`, do as the
  /// call for segment i - 1 did (Endpoint::repeats): all of these segments are as long.
  [[nodiscard]] int alike_calls(int i, int ahead) const;
  /// Leaves out `calls` of up(), or of expect_results() with down(), from segment `i` on.
  void skip_up(int i, int calls);
  void skip_results(int i, int calls);
  /// Memory to receive from several children at once, and its place.
  [[nodiscard]] Bytes scratch_size() const;
  void use_scratch(BufferId scratch, Bytes offset);
  /// Segments arrive in the slices that `other`, a leaf's part of the same rank, sends: not before
  /// they have left.
  void follow(PipelinedTree& other) { followed_ = &other; }

 private:
  void wait_sent(int i);
  [[nodiscard]] Pending expect_first(int segment);
  void expect_segment(int segment);
  void combine(int segment);
  [[nodiscard]] Slice landing(int segment, std::size_t child) const;

  TreeLinks links_;
  // An owner sends to its switch in both directions.
  Tag up_;
  Tag down_;
  Segments data_;
  int ranks_;
  RankContext* self_;
  PipelinedTree* followed_ = nullptr;
  BufferId scratch_{};
  Bytes scratch_offset_;
  int expected_ = 0;  // segments of the children whose receives are posted
  Fifo<Pending> coming_;
  int upward_ = 0;
  struct Leaving {
    int segment;
    Pending sent;
  };
  Fifo<Leaving> leaving_;
  int awaited_ = 0;  // results whose receives are posted
  Fifo<Pending> results_;
  Window passed_on_;
};

/// The most scratch that a tree needs with so many children.
[[nodiscard]] Bytes tree_scratch(const Segments& data, std::size_t children);

/// Run a rank's trees to their ends, all together: first all segments up, then all down; or both at
/// once, so that full-duplex links carry sums up and results down.
///
/// A rank is deep down in some trees and high up in others, and waits for one message at a time. So
/// it takes the parts in the sequence in which they can be ready: segment i in step i + height on
/// the way up, and i + root's height + depth on the way down, where a level counts for several
/// steps. What a part waits for belongs to an earlier step of some rank: it cannot wait for itself.
void run_up_then_down(std::vector<PipelinedTree>& trees, RankContext& self);
void run_up_and_down(std::vector<PipelinedTree>& trees, RankContext& self);

}  // namespace ringcast
