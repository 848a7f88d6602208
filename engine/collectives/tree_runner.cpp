#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <tuple>

#include "engine/collectives/pipelined_tree.hpp"

namespace ringcast {
namespace {

/// One buffer for all trees of a rank.
void share_scratch(std::span<PipelinedTree> trees, Memory& memory) {
  Bytes size;
  for (const PipelinedTree& tree : trees) {
    size += tree.scratch_size();
  }
  if (size == Bytes{}) {
    return;
  }
  const BufferId scratch = memory.scratch(size);
  Bytes offset;
  for (PipelinedTree& tree : trees) {
    tree.use_scratch(scratch, offset);
    offset += tree.scratch_size();
  }
}

/// The step in which a wait for segment 0 ends.
int first_step(const PipelinedTree& tree, TreeWait wait) {
  const TreeLinks& links = tree.links();
  // The steps from one level to the next: ranks do not wait for a latency of up to this many
  // transfers of a segment.
  constexpr int lead = 2;
  switch (wait) {
    case TreeWait::children:
      return lead * links.height;
    case TreeWait::departures:
      return lead * links.parent_height + 1;
    case TreeWait::results:
      return lead * (links.root_height + links.depth) +
             (links.reduce_first ? tree.segments() + 1 : 0);
  }
  return 0;
}

/// A rank's waits in all of its trees.
class TreeRunner {
 public:
  TreeRunner(std::span<PipelinedTree> trees, Endpoint& network)
      : trees_{trees}, network_{&network} {
    // By the rank's place in the trees, not by channel: ranks with equal places then have equal
    // sequences and can be folded.
    for (PipelinedTree& tree : trees) {
      sequence_.push_back(&tree);
    }
    std::ranges::stable_sort(sequence_, {}, [](const PipelinedTree* tree) {
      return std::tuple{tree->links().height, tree->links().depth};
    });
    places_.resize(trees.size());
    for (PipelinedTree* const tree : sequence_) {
      place_of(*tree) = waits_.size();
      for (const TreeWait kind : waits_of_tree) {
        waits_.push_back({tree, kind, first_step(*tree, kind)});
      }
    }
    messages_.resize(waits_.size());
    turns_.resize(waits_.size());
    find_last();
  }

  void describe(Outline& outline) {
    for (const PipelinedTree* const tree : sequence_) {
      tree->describe(outline);
      outline.add(tree->follower() == nullptr ? waits_.size() : place_of(*tree->follower()));
    }
  }

  void run() {
    for (PipelinedTree* const tree : sequence_) {
      tree->begin();
      update(*tree);
    }
    while (in_flight_ > 0) {
      if (const auto done = network_->first_done(messages_)) {
        handle_complete(*done);
      } else {
        wait_in_turn();
      }
    }
    for (PipelinedTree* const tree : sequence_) {
      tree->end();
    }
  }

 private:
  static constexpr int not_in_turn = std::numeric_limits<int>::max();
  struct Wait {
    PipelinedTree* tree;
    TreeWait kind;
    int first_step;       // that of segment 0
    int done_before = 0;  // the segments when the round began
    [[nodiscard]] int done() const { return tree->done(kind); }
    [[nodiscard]] int step() const { return first_step + done(); }
    [[nodiscard]] bool has_ended() const { return tree->has_ended(kind); }
    [[nodiscard]] bool is_under_way() const { return !has_ended() && !tree->is_to_come(kind); }
  };

  [[nodiscard]] std::size_t& place_of(const PipelinedTree& tree) {
    return places_[static_cast<std::size_t>(&tree - trees_.data())];
  }

  /// Updates the operations that a tree waits for.
  void update(const PipelinedTree& tree) {
    const std::size_t first = place_of(tree);
    for (std::size_t i = 0; i < waits_of_tree.size(); ++i) {
      const Pending*& message = messages_[first + i];
      in_flight_ -= message != nullptr ? 1 : 0;
      message = tree.next(waits_of_tree[i]);
      in_flight_ += message != nullptr ? 1 : 0;
      turns_[first + i] = message != nullptr ? waits_[first + i].step() : not_in_turn;
    }
  }

  /// Waits for all operations of the earliest step.
  void wait_in_turn() {
    const int step = *std::ranges::min_element(turns_);
    for (std::size_t at = 0; at < messages_.size(); ++at) {
      while (turns_[at] <= step) {
        proceed(at);
      }
    }
  }

  /// Handles all complete operations, from `first` on.
  void handle_complete(std::size_t first) {
    for (std::size_t at = first; at < messages_.size(); ++at) {
      if (messages_[at] != nullptr && messages_[at]->is_done()) proceed(at);
    }
  }

  void proceed(std::size_t at) {
    const Wait& wait = waits_[at];
    const int before = wait.done();
    wait.tree->proceed(wait.kind);
    update(*wait.tree);
    if (const PipelinedTree* const follower = wait.tree->follower()) update(*follower);
    if (at == last_ && wait.done() > before) end_round();
    if (waits_[last_].has_ended()) find_last();
  }

  /// Finds the wait that ends a round: the last one.
  void find_last() {
    int step = -1;
    for (std::size_t i = 0; i < waits_.size(); ++i) {
      if (!waits_[i].is_under_way() || waits_[i].first_step < step) continue;
      step = waits_[i].first_step;
      last_ = i;
    }
  }

  /// Reports rounds that repeat (Endpoint::repeats). In such a round each wait ends for one
  /// segment. Several rounds are taken together until each wait has ended for equally many
  /// segments: a rank that handles operations as they complete may be within a round of some trees.
  void end_round() {
    constexpr int most_in_turn = 8;
    const int ended = waits_[last_].done() - waits_[last_].done_before;
    const bool are_alike = std::ranges::all_of(waits_, [&](const Wait& wait) {
      return !wait.is_under_way() || wait.done() == wait.done_before + ended;
    });
    if (!are_alike && ended < most_in_turn) return;
    constexpr int no_more = std::numeric_limits<int>::max();
    int alike = no_more;
    for (const Wait& wait : waits_) {
      alike = std::min(alike, wait.tree->alike(wait.kind));
    }
    const int rounds = are_alike && alike < no_more ? std::max(0, alike - 2 * ended) : 0;
    const auto skipped = static_cast<int>(network_->repeats({rounds, ended}));
    if (skipped > 0) skip(skipped);
    for (Wait& wait : waits_) {
      wait.done_before = wait.done();
    }
  }

  void skip(int segments) {
    for (PipelinedTree& tree : trees_) {
      tree.skip(segments);
      update(tree);
    }
  }

  std::span<PipelinedTree> trees_;
  Endpoint* network_;
  std::vector<PipelinedTree*> sequence_;
  std::vector<std::size_t> places_;  // of each tree's first wait
  std::vector<Wait> waits_;
  std::vector<const Pending*> messages_;  // by wait
  std::vector<int> turns_;                // by wait: the step, if it has a message
  std::size_t last_ = 0;
  int in_flight_ = 0;
};

}  // namespace

void run_trees(std::vector<PipelinedTree>& trees, RankContext& self) {
  TreeRunner runner{trees, self.network};
  if (Outline* const outline = self.network.outline()) {
    runner.describe(*outline);
    return;
  }
  share_scratch(trees, self.memory);
  runner.run();
}

}  // namespace ringcast
