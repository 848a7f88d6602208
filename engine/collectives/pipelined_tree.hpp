#pragma once

#include <array>
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
  /// False: the rank combines its children's segments without adding its own.
  bool contributes = true;
  /// False: the rank sends its sums to this parent, but receives no result from it.
  bool receives = true;
  /// True: the root has the sums of all segments before it sends the first result.
  bool reduce_first = false;
  /// Greater than that of each child; those of the parent and of the root, which has the greatest.
  int height = 0;
  int parent_height = 0;
  int root_height = 0;
  /// The distance to the root in links; at most root_height.
  int depth = 0;
};

/// What a rank waits for in a tree, three independent sequences of segments: its children's sums;
/// the completion of the sends of its own sums; the results from its parent.
enum class TreeWait { children, departures, results };
inline constexpr std::array waits_of_tree{TreeWait::children, TreeWait::departures,
                                          TreeWait::results};

/// One rank's part in one tree, segment by segment. Up: each rank combines its children's segments
/// with its own and sends the sum to its parent. Down: the root's results are copied from parent to
/// children. A sum is (own + first child) + second child ..., in the order of `children`, so every
/// rank gets the same bits in every run.
///
/// Each sequence of waits is at most a window of segments ahead of the sends that follow from it,
/// so a rank also waits for results that it has passed to children. With reduce_first, the waits
/// for results begin when all sums of the rank are complete and sent; for the root they are waits
/// for the results that it has passed to children.
class PipelinedTree {
 public:
  /// `tree`: the unique number of the tree, from 0. `ranks`: the number that contribute to the sum.
  PipelinedTree(TreeLinks links, int tree, Segments data, int ranks, RankContext& self);

  [[nodiscard]] const TreeLinks& links() const { return links_; }
  [[nodiscard]] int segments() const { return data_.count(); }
  /// Memory to receive from several children at once; use_scratch() provides it.
  [[nodiscard]] Bytes scratch_size() const;
  void use_scratch(BufferId scratch, Bytes offset);
  /// The sums of this tree arrive in the slices that `leaf`, the same rank's part as a leaf, sends:
  /// each is expected once the leaf's send is complete. Neither may be moved afterwards.
  void follow(PipelinedTree& leaf);
  [[nodiscard]] const PipelinedTree* follower() const { return follower_; }

  /// Describes this tree; the members below are then not called.
  void describe(Outline& outline) const;
  /// Posts the operations that depend on no other.
  void begin();
  /// The operation to wait for next; nullptr: none, for now or for ever.
  [[nodiscard]] const Pending* next(TreeWait wait) const;
  /// Waits for next(), and posts the operations that depend on it.
  void proceed(TreeWait wait);
  /// The number of segments that have been waited for.
  [[nodiscard]] int done(TreeWait wait) const { return done_[static_cast<std::size_t>(wait)]; }
  [[nodiscard]] bool has_ended(TreeWait wait) const { return done(wait) == data_.count(); }
  /// Whether the wait belongs to a later phase: nothing is posted for it until the others have
  /// ended.
  [[nodiscard]] bool is_to_come(TreeWait wait) const;
  /// Waits for the remaining sends of results.
  void end();
  /// The number of following segments that are handled like the last one (Endpoint::repeats).
  [[nodiscard]] int alike(TreeWait wait) const;
  /// Skips this many segments.
  void skip(int segments);

 private:
  [[nodiscard]] int& of(TreeWait wait) { return done_[static_cast<std::size_t>(wait)]; }
  [[nodiscard]] bool must_wait_for_passed() const;
  void expect_sum();
  void expect_children();
  void send_up();
  void take_from_child();
  void finish_segment();
  void finish_send_up();
  void begin_results();
  void post_result();
  void pass_on(int segment);
  void take_passed();
  [[nodiscard]] Slice landing(int segment, std::size_t child) const;

  TreeLinks links_;
  // Two tags: an owner and its switch send to each other both as child and as parent.
  Tag up_;
  Tag down_;
  Segments data_;
  int ranks_;
  RankContext* self_;
  std::size_t receivers_;  // of results, among the children
  PipelinedTree* followed_ = nullptr;
  PipelinedTree* follower_ = nullptr;
  BufferId scratch_{};
  Bytes scratch_offset_;
  std::array<int, waits_of_tree.size()> done_{};
  int sums_expected_ = 0;    // of the first child
  int others_expected_ = 0;  // of each other child
  Fifo<Pending> sums_;
  Fifo<Pending> others_;
  std::size_t child_ = 0;  // whose segment is the next to be combined
  Fifo<Pending> leaving_;
  Fifo<Pending> results_;
  Fifo<Pending> passed_on_;
};

/// The most scratch that a tree needs for this number of children.
[[nodiscard]] Bytes tree_scratch(const Segments& data, std::size_t children);

/// Runs all trees of a rank to completion, concurrently and in both directions, so that full-duplex
/// links carry sums up and results down at once. Trees do not wait for each other: a rank handles
/// the operation that completes first.
///
/// If the network cannot tell which that is (Endpoint::first_done), the rank waits for one
/// operation at a time, in the order of the steps in which operations can be ready: segment i in
/// step i + height on the way up, and i + root's height + depth on the way down, where a level
/// takes several steps; with reduce_first the way down begins later by the number of segments. An
/// operation depends on operations of earlier steps only, on whatever rank, so there is no
/// deadlock.
void run_trees(std::vector<PipelinedTree>& trees, RankContext& self);

}  // namespace ringcast
