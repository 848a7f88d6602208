#include "engine/collectives/pipelined_tree.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace ringcast {
namespace {

/// The segments that a rank is ready to receive from each child, and that a leaf sends in advance:
/// it bounds the scratch.
constexpr int segments_ahead = 16;
/// One buffer for all trees of a rank.
void share_scratch(std::vector<PipelinedTree>& trees, Memory& memory) {
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

/// Between a level and the next: what a message's latency may last, in transfers of a segment,
/// without a rank waiting for it.
constexpr int lead = 2;

/// How many rounds from this step on the network accounts for by itself: those that are alike for
/// all trees.
template <typename Alike, typename Skip>
int repeated(int left, int step, const std::vector<PipelinedTree*>& trees, Endpoint& network,
             const Alike& alike, const Skip& skip) {
  int rounds = step < 2 ? 0 : left - 1;
  for (const PipelinedTree* const tree : trees) {
    if (rounds > 0) rounds = std::min(rounds, alike(*tree));
  }
  const int skipped = rounds > 0 ? static_cast<int>(network.repeats(rounds)) : 0;
  if (skipped > 0) {
    for (PipelinedTree* const tree : trees)
      skip(*tree, skipped);
  }
  return skipped;
}

/// Runs `part` of every tree in each step, in the given sequence.
template <typename Alike, typename Skip, typename Part>
void run_rounds(int steps, const std::vector<PipelinedTree*>& trees, Endpoint& network,
                const Alike& alike, const Skip& skip, const Part& part) {
  for (int step = 0; step < steps; ++step) {
    step += repeated(
        steps - step, step, trees, network,
        [&](const PipelinedTree& tree) { return alike(tree, step); },
        [&](PipelinedTree& tree, int calls) { skip(tree, step, calls); });
    for (PipelinedTree* const tree : trees) {
      part(*tree, step);
    }
  }
}

/// The trees of a rank in the sequence of a number of their links, and where two have the same, of
/// their places. Of their channels it would be another for each rank, and no ranks were alike.
std::vector<PipelinedTree*> sorted(std::vector<PipelinedTree>& trees, int TreeLinks::*number) {
  std::vector<PipelinedTree*> sequence(trees.size());
  std::ranges::transform(trees, sequence.begin(), [](PipelinedTree& tree) { return &tree; });
  std::ranges::stable_sort(sequence, {}, [&](const auto* tree) {
    const TreeLinks& links = tree->links();
    return std::tuple{links.*number, links.height, links.depth};
  });
  return sequence;
}

}  // namespace

Bytes tree_scratch(const Segments& data, std::size_t children) {
  if (children < 2 || data.count() == 0) {
    return Bytes{};
  }
  const auto slots =
      static_cast<std::uint64_t>(std::min(segments_ahead, data.count())) * (children - 1);
  return slots * data[0].length;
}

PipelinedTree::PipelinedTree(TreeLinks links, int tree, Segments data, int ranks, RankContext& self)
    : links_{std::move(links)},
      up_{2 * tree},
      down_{2 * tree + 1},
      data_{data},
      ranks_{ranks},
      self_{&self} {}

Bytes PipelinedTree::scratch_size() const {
  return tree_scratch(data_, links_.children.size());
}

void PipelinedTree::use_scratch(BufferId scratch, Bytes offset) {
  scratch_ = scratch;
  scratch_offset_ = offset;
}

void PipelinedTree::up(int i) {
  const bool is_leaf = links_.children.empty();
  const int end = std::min(data_.count(), i + (is_leaf ? segments_ahead : 1));
  for (; upward_ < end; ++upward_) {
    if (!is_leaf) {
      combine(upward_);
    }
    if (links_.parent) {
      leaving_.push_back({upward_, self_->network.send(*links_.parent, data_[upward_], up_)});
    } else {
      self_->reducer.finish(data_[upward_], ranks_).wait();
    }
  }
}

void PipelinedTree::wait_sent(int i) {
  while (!leaving_.empty() && leaving_.front().segment <= i) {
    leaving_.pop_front().sent.wait();
  }
}

void PipelinedTree::expect_results(int i) {
  wait_sent(i);
  if (links_.parent && links_.receives) {
    for (; awaited_ < std::min(data_.count(), i + 1); ++awaited_) {
      results_.push_back(self_->network.recv(*links_.parent, data_[awaited_], down_));
    }
  }
}

void PipelinedTree::down(int i) {
  if (i < 0 || i >= data_.count()) {
    return;
  }
  if (links_.parent && links_.receives) {
    results_.pop_front().wait();
  }
  for (const Rank child : links_.children) {
    if (child != links_.parent) {  // an owner of a shard, which has the result
      passed_on_.add(self_->network.send(child, data_[i], down_));
    }
  }
}

void PipelinedTree::end() {
  wait_sent(data_.count());
  passed_on_.wait_all();
}

int PipelinedTree::alike_calls(int i, int ahead) const {
  if (i < 0) return std::max(0, -i - ahead);
  if (i > data_.count()) return std::numeric_limits<int>::max();
  if (i < 2) return 0;
  return std::max(0, data_.as_long_from(i - 1) - 1 - ahead);
}

void PipelinedTree::skip_up(int i, int calls) {
  if (i < 0) return;
  upward_ += calls;
  expected_ += calls;
  for (std::size_t at = 0; at < leaving_.size(); ++at) {
    leaving_[at].segment += calls;
  }
}

void PipelinedTree::skip_results(int i, int calls) {
  if (i >= 0) awaited_ += calls;
}

// The first child's segment is combined as it arrives; the others' wait in scratch, since two
// arrivals cannot own one slice.
Pending PipelinedTree::expect_first(int segment) {
  const Rank first = links_.children.front();
  return links_.contributes ? self_->network.recv_accumulate(first, data_[segment], up_)
                            : self_->network.recv(first, data_[segment], up_);
}

void PipelinedTree::expect_segment(int segment) {
  if (followed_ == nullptr) {
    coming_.push_back(expect_first(segment));
  }
  for (std::size_t child = 1; child < links_.children.size(); ++child) {
    coming_.push_back(self_->network.recv(links_.children[child], landing(segment, child), up_));
  }
}

void PipelinedTree::combine(int segment) {
  // Ready for several segments: the children's messages never wait for this rank's arithmetic.
  for (; expected_ < std::min(data_.count(), segment + segments_ahead); ++expected_) {
    expect_segment(expected_);
  }
  if (followed_ == nullptr) {
    coming_.pop_front().wait();
  } else {
    followed_->wait_sent(segment);
    expect_first(segment).wait();
  }
  for (std::size_t child = 1; child < links_.children.size(); ++child) {
    coming_.pop_front().wait();
    self_->reducer.accumulate(data_[segment], landing(segment, child)).wait();
  }
}

Slice PipelinedTree::landing(int segment, std::size_t child) const {
  const auto slot =
      static_cast<std::uint64_t>(segment % segments_ahead) * (links_.children.size() - 1) + child -
      1;
  return {scratch_, scratch_offset_ + slot * data_[0].length, data_[segment].length};
}

void run_up_then_down(std::vector<PipelinedTree>& trees, RankContext& self) {
  share_scratch(trees, self.memory);
  int steps = 0;
  for (const PipelinedTree& tree : trees) {
    steps = std::max(steps, tree.segments() + lead * tree.links().root_height + 1);
  }
  const std::vector<PipelinedTree*> by_depth = sorted(trees, &TreeLinks::depth);
  const auto up_at = [](const PipelinedTree& tree, int step) {
    return step - lead * tree.links().height;
  };
  run_rounds(
      steps, sorted(trees, &TreeLinks::height), self.network,
      [&](const PipelinedTree& tree, int step) {
        return tree.alike_calls(up_at(tree, step), segments_ahead - 1);
      },
      [&](PipelinedTree& tree, int step, int calls) { tree.skip_up(up_at(tree, step), calls); },
      [&](PipelinedTree& tree, int step) { tree.up(up_at(tree, step)); });
  const auto down_at = [](const PipelinedTree& tree, int step) {
    return step - lead * tree.links().depth;
  };
  run_rounds(
      steps, by_depth, self.network,
      [&](const PipelinedTree& tree, int step) {
        return tree.alike_calls(down_at(tree, step), segments_ahead);
      },
      [&](PipelinedTree& tree, int step, int calls) {
        tree.skip_results(down_at(tree, step) + segments_ahead, calls);
      },
      [&](PipelinedTree& tree, int step) {
        tree.expect_results(down_at(tree, step) + segments_ahead);
        tree.down(down_at(tree, step));
      });
  for (PipelinedTree* const tree : by_depth) {
    tree->end();
  }
}

void run_up_and_down(std::vector<PipelinedTree>& trees, RankContext& self) {
  share_scratch(trees, self.memory);
  int steps = 0;
  for (const PipelinedTree& tree : trees) {
    steps = std::max(steps, tree.segments() + 2 * lead * tree.links().root_height + 1);
  }
  const std::vector<PipelinedTree*> by_height = sorted(trees, &TreeLinks::height);
  const std::vector<PipelinedTree*> by_depth = sorted(trees, &TreeLinks::depth);
  const auto up_at = [](const PipelinedTree& tree, int step) {
    return step - lead * tree.links().height;
  };
  const auto results_at = [](const PipelinedTree& tree, int step) {
    return step - lead * tree.links().parent_height - 1;
  };
  const auto down_at = [](const PipelinedTree& tree, int step) {
    return step - lead * (tree.links().root_height + tree.links().depth);
  };
  for (int step = 0; step < steps; ++step) {
    step += repeated(
        steps - step, step, by_height, self.network,
        [&](const PipelinedTree& tree) {
          // From the oldest segment, which is passed on, to the newest, which is expected: so what
          // is in flight between them remains as much.
          const int oldest = down_at(tree, step);
          return tree.alike_calls(oldest, up_at(tree, step) + segments_ahead - 1 - oldest);
        },
        [&](PipelinedTree& tree, int calls) {
          tree.skip_up(up_at(tree, step), calls);
          tree.skip_results(results_at(tree, step), calls);
        });
    for (PipelinedTree* const tree : by_height) {
      tree->up(up_at(*tree, step));
    }
    for (PipelinedTree* const tree : by_height) {
      tree->expect_results(results_at(*tree, step));
    }
    for (PipelinedTree* const tree : by_depth) {
      tree->down(down_at(*tree, step));
    }
  }
  for (PipelinedTree* const tree : by_depth) {
    tree->end();
  }
}

}  // namespace ringcast
