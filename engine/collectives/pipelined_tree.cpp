#include "engine/collectives/pipelined_tree.hpp"

#include <algorithm>
#include <limits>

namespace ringcast {

Bytes tree_scratch(const Segments& data, std::size_t children) {
  if (children < 2 || data.count() == 0) {
    return Bytes{};
  }
  const auto slots =
      static_cast<std::uint64_t>(std::min(data.window(), data.count())) * (children - 1);
  return slots * data[0].length;
}

PipelinedTree::PipelinedTree(TreeLinks links, int tree, Segments data, int ranks, RankContext& self)
    : links_{std::move(links)},
      up_{2 * tree},
      down_{2 * tree + 1},
      data_{data},
      ranks_{ranks},
      self_{&self},
      receivers_{static_cast<std::size_t>(std::ranges::count_if(
          links_.children, [&](Rank child) { return child != links_.parent; }))} {
  if (links_.children.empty()) of(TreeWait::children) = data_.count();
  if (!links_.parent) of(TreeWait::departures) = data_.count();
  const bool passes_later = links_.reduce_first && receivers_ > 0;
  if (links_.parent ? !links_.receives : !passes_later) of(TreeWait::results) = data_.count();
}

Bytes PipelinedTree::scratch_size() const {
  return tree_scratch(data_, links_.children.size());
}

void PipelinedTree::use_scratch(BufferId scratch, Bytes offset) {
  scratch_ = scratch;
  scratch_offset_ = offset;
}

void PipelinedTree::follow(PipelinedTree& leaf) {
  followed_ = &leaf;
  leaf.follower_ = this;
}

void PipelinedTree::describe(Outline& outline) const {
  const auto add = [&](auto... numbers) {
    (outline.add(static_cast<std::uint64_t>(numbers)), ...);
  };
  add(data_.count());
  if (data_.count() == 0) return;
  add(data_.window(), links_.children.size(), links_.parent.has_value());
  add(links_.contributes, links_.receives, links_.reduce_first);
  add(links_.height, links_.parent_height, links_.root_height, links_.depth);
  for (int i = 0; i < data_.count(); i += data_.as_long_from(i)) {
    add(data_.as_long_from(i), data_[i].length.count());
  }
  for (const Rank child : links_.children) {
    outline.receives(child, data_[0], up_);
    if (child != links_.parent) outline.sends(child, data_[0], down_);
  }
  if (!links_.parent) return;
  outline.sends(*links_.parent, data_[0], up_);
  if (links_.receives) outline.receives(*links_.parent, data_[0], down_);
}

void PipelinedTree::begin() {
  const int first = std::min(data_.window(), data_.count());
  if (!links_.children.empty()) {
    for (int i = 0; i < first; ++i) {
      if (followed_ == nullptr) expect_sum();
      expect_children();
    }
  } else if (links_.parent) {
    for (int i = 0; i < first; ++i) {
      send_up();
    }
  } else {
    for (int i = 0; i < data_.count(); ++i) {
      self_->reducer.finish(data_[i], ranks_).wait();
    }
  }
}

bool PipelinedTree::must_wait_for_passed() const {
  return passed_on_.size() >= static_cast<std::size_t>(data_.window()) * receivers_ &&
         !passed_on_.empty();
}

bool PipelinedTree::is_to_come(TreeWait wait) const {
  return wait == TreeWait::results && links_.reduce_first &&
         !(has_ended(TreeWait::children) && has_ended(TreeWait::departures));
}

const Pending* PipelinedTree::next(TreeWait wait) const {
  const auto front = [](const Fifo<Pending>& queue) {
    return queue.empty() ? nullptr : &queue.front();
  };
  if (has_ended(wait)) return nullptr;
  if (wait == TreeWait::departures) return front(leaving_);
  if (wait == TreeWait::results) {
    return front(!links_.parent || must_wait_for_passed() ? passed_on_ : results_);
  }
  if (child_ > 0) return front(others_);
  if (!links_.parent) return front(must_wait_for_passed() ? passed_on_ : sums_);
  return leaving_.size() < static_cast<std::size_t>(data_.window()) ? front(sums_) : nullptr;
}

void PipelinedTree::proceed(TreeWait wait) {
  if (wait == TreeWait::departures) {
    finish_send_up();
  } else if (wait == TreeWait::results && !links_.parent) {
    take_passed();
  } else if (must_wait_for_passed() && next(wait) == &passed_on_.front()) {
    passed_on_.pop_front().wait();
  } else if (wait == TreeWait::children) {
    take_from_child();
  } else {
    results_.pop_front().wait();
    pass_on(of(wait)++);
    if (links_.reduce_first) post_result();
  }
}

void PipelinedTree::end() {
  while (!passed_on_.empty()) {
    passed_on_.pop_front().wait();
  }
}

/// The first child's segment is combined as it arrives; the others arrive in scratch, since only
/// one receive at a time may use a slice.
void PipelinedTree::take_from_child() {
  if (child_ == 0) {
    sums_.pop_front().wait();
  } else {
    others_.pop_front().wait();
    self_->reducer
        .accumulate(data_[done(TreeWait::children)], landing(done(TreeWait::children), child_))
        .wait();
  }
  if (++child_ == links_.children.size()) {
    child_ = 0;
    finish_segment();
  }
}

void PipelinedTree::finish_segment() {
  const int segment = of(TreeWait::children)++;
  if (followed_ == nullptr) expect_sum();
  expect_children();
  if (links_.parent) {
    send_up();
  } else {
    self_->reducer.finish(data_[segment], ranks_).wait();
    if (!links_.reduce_first) pass_on(segment);
    begin_results();
  }
}

void PipelinedTree::send_up() {
  const int next = done(TreeWait::departures) + static_cast<int>(leaving_.size());
  if (next < data_.count()) {
    leaving_.push_back(self_->network.send(*links_.parent, data_[next], up_));
  }
}

void PipelinedTree::finish_send_up() {
  leaving_.pop_front().wait();
  ++of(TreeWait::departures);
  if (links_.children.empty()) send_up();
  if (links_.receives && !links_.reduce_first) post_result();
  begin_results();
  if (follower_ != nullptr) follower_->expect_sum();
}

/// With reduce_first: posts the first results once all sums are sent.
void PipelinedTree::begin_results() {
  if (!links_.reduce_first || is_to_come(TreeWait::results)) return;
  for (int i = 0; i < data_.window(); ++i) {
    post_result();
  }
}

/// Posts the receive of the next result or, on the root, its sends to the children.
void PipelinedTree::post_result() {
  const std::size_t posted = links_.parent ? results_.size() : passed_on_.size() / receivers_;
  const int next = done(TreeWait::results) + static_cast<int>(posted);
  if (next == data_.count()) return;
  if (links_.parent) {
    results_.push_back(self_->network.recv(*links_.parent, data_[next], down_));
  } else {
    pass_on(next);
  }
}

void PipelinedTree::pass_on(int segment) {
  for (const Rank child : links_.children) {
    if (child != links_.parent) {  // the owner of a shard, which has the result
      passed_on_.push_back(self_->network.send(child, data_[segment], down_));
    }
  }
}

/// Counts a segment of the root once its sends to all children are complete.
void PipelinedTree::take_passed() {
  passed_on_.pop_front().wait();
  if (passed_on_.size() % receivers_ != 0) return;
  ++of(TreeWait::results);
  post_result();
}

void PipelinedTree::expect_sum() {
  if (sums_expected_ == data_.count()) return;
  const Rank first = links_.children.front();
  const Slice into = data_[sums_expected_++];
  sums_.push_back(links_.contributes ? self_->network.recv_accumulate(first, into, up_)
                                     : self_->network.recv(first, into, up_));
}

void PipelinedTree::expect_children() {
  if (others_expected_ == data_.count()) return;
  for (std::size_t child = 1; child < links_.children.size(); ++child) {
    others_.push_back(
        self_->network.recv(links_.children[child], landing(others_expected_, child), up_));
  }
  ++others_expected_;
}

Slice PipelinedTree::landing(int segment, std::size_t child) const {
  const auto slot =
      static_cast<std::uint64_t>(segment % data_.window()) * (links_.children.size() - 1) + child -
      1;
  return {scratch_, scratch_offset_ + slot * data_[0].length, data_[segment].length};
}

int PipelinedTree::alike(TreeWait wait) const {
  if (has_ended(wait) || is_to_come(wait)) return std::numeric_limits<int>::max();
  const int handled = done(wait);
  return handled == 0 ? 0 : std::max(0, data_.as_long_from(handled - 1) - 2 - data_.window());
}

void PipelinedTree::skip(int segments) {
  for (const TreeWait wait : waits_of_tree) {
    if (!has_ended(wait) && !is_to_come(wait)) of(wait) += segments;
  }
  for (int* const posted : {&sums_expected_, &others_expected_}) {
    if (*posted < data_.count()) *posted += segments;
  }
}

}  // namespace ringcast
