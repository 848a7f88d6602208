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
  /// False: the rank combines what its children send, and adds nothing of its own.
  bool contributes = true;
  /// False: the rank sends up, and gets no result from this parent.
  bool receives = true;
  /// The root has the sums of all segments before it passes the first down.
  bool reduce_first = false;
  /// More than that of each child; the parent's, and the root's, which none exceeds.
  int height = 0;
  int parent_height = 0;
  int root_height = 0;
  /// The distance to the root in links; at most root_height.
  int depth = 0;
};

/// What a rank waits for in a tree, each a sequence of its own: what its children send up; that its
/// own sums have left; the results that come down.
enum class TreeWait { children, departures, results };
inline constexpr std::array waits_of_tree{TreeWait::children, TreeWait::departures,
                                          TreeWait::results};

/// One rank's part in one tree, segment by segment: up, each rank combines its children's segments
/// with its own and sends the sum to its parent; down, the root's results are copied from parent to
/// children. A sum is (own + first child) + second child ..., in the sequence of `children`: every
/// rank gets the same bits, every time.
///
/// Each wait is a window of segments ahead of what follows from it, at most: with results, a
/// root waits for what it has passed down. With reduce_first the results are to come as long as a
/// rank's sums are not complete and away; those of the root are what it has passed down.
class PipelinedTree {
 public:
  /// `tree`: a number of its own, from 0. `ranks`: how many contribute to the sum.
  PipelinedTree(TreeLinks links, int tree, Segments data, int ranks, RankContext& self);

  [[nodiscard]] const TreeLinks& links() const { return links_; }
  [[nodiscard]] int segments() const { return data_.count(); }
  /// Memory to receive from several children at once, and its place.
  [[nodiscard]] Bytes scratch_size() const;
  void use_scratch(BufferId scratch, Bytes offset);
  /// Segments arrive in the slices that `leaf`, another tree's part of the same rank, sends: not
  /// before they have left. Both must stay where they are.
  void follow(PipelinedTree& leaf);
  [[nodiscard]] const PipelinedTree* follower() const { return follower_; }

  /// Describes this tree; the members below are then not called.
  void describe(Outline& outline) const;
  /// Posts what waits for nothing.
  void begin();
  /// What to wait for next; nullptr: nothing, for now or for ever.
  [[nodiscard]] const Pending* next(TreeWait wait) const;
  /// Waits for next(), and does what follows from it.
  void go_on(TreeWait wait);
  /// The segments whose part is done. After end(), all.
  [[nodiscard]] int done(TreeWait wait) const { return done_[static_cast<std::size_t>(wait)]; }
  [[nodiscard]] bool has_ended(TreeWait wait) const { return done(wait) == data_.count(); }
  /// Whether it is of a later phase: nothing of it is posted before the others have ended.
  [[nodiscard]] bool is_to_come(TreeWait wait) const;
  /// Ends the broadcast.
  void end();
  /// How many more segments follow that are handled as the last one was (Endpoint::repeats).
  [[nodiscard]] int alike(TreeWait wait) const;
  /// Leaves out so many segments.
  void skip(int segments);

 private:
  [[nodiscard]] int& of(TreeWait wait) { return done_[static_cast<std::size_t>(wait)]; }
  [[nodiscard]] bool must_wait_for_passed() const;
  void expect_sum();
  void expect_children();
  void send_up();
  void take_from_child();
  void finish_segment();
  void leave();
  void turn_round();
  void post_result();
  void pass_on(int segment);
  void take_passed();
  [[nodiscard]] Slice landing(int segment, std::size_t child) const;

  TreeLinks links_;
  // An owner sends to its switch in both directions.
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

/// The most scratch that a tree needs with so many children.
[[nodiscard]] Bytes tree_scratch(const Segments& data, std::size_t children);

/// Runs a rank's trees to their ends, all together and both ways at once, so that full-duplex links
/// carry sums up and results down. Trees do not wait for each other: a rank takes up what is done
/// first.
///
/// Where the network cannot tell what that is (Endpoint::first_done), the rank waits for one
/// message at a time, deep down in some trees and high up in others. So it goes on in the sequence
/// in which the parts can be ready: segment i in step i + height on the way up, and i + root's
/// height + depth on the way down, where a level counts for several steps; with reduce_first after
/// as many more as there are segments. What a part waits for belongs to an earlier step of some
/// rank: it cannot wait for itself.
void run_trees(std::vector<PipelinedTree>& trees, RankContext& self);

}  // namespace ringcast
