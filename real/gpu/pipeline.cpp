#include "real/gpu/pipeline.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// One piece in each stage (there are at most three), and one that waits to follow.
constexpr std::size_t most_on_their_way = 4;

/// Takes the object away as soon as it is done; true if none is left.
bool has_ended(std::unique_ptr<InFlight>& stage) {
  if (stage && stage->done()) {
    stage.reset();
  }
  return !stage;
}

}  // namespace

std::byte* Workspace::kept(BufferPool::Lease& lease, BufferPool& pool) {
  if (!lease) {
    lease = pool.take();
  }
  return lease.get();
}

std::byte* Workspace::scratch_like(const std::byte* beside) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): where it lies, not what it points
  // to
  const auto address = reinterpret_cast<std::uintptr_t>(beside);
  return kept(scratch_, staging_->scratch) + address % vector_size;
}

Pipeline::Pipeline(Bytes length, Bytes piece, Staging& staging, std::vector<Stage> stages)
    : length_{length}, piece_{piece}, staging_{&staging}, stages_{std::move(stages)} {
  expect(piece > Bytes{0} && !stages_.empty(), "pieces of {} bytes through {} stages",
         piece.count(), stages_.size());
}

bool Pipeline::advance() {
  bool moved = false;
  while (entered_ < length_ && on_their_way_.size() < most_on_their_way) {
    const Bytes rest{length_.count() - entered_.count()};
    on_their_way_.push_back({{entered_, std::min(piece_, rest)}, Workspace{*staging_}});
    entered_ += on_their_way_.back().piece.length;
  }
  std::size_t begun_ahead = stages_.size();
  for (OnItsWay& one : on_their_way_) {
    moved |= advance(one, begun_ahead);
    begun_ahead = one.begun;
  }
  return retire() || moved;
}

bool Pipeline::advance(OnItsWay& one, std::size_t begun_ahead) {
  bool moved = false;
  while (one.begun < begun_ahead && has_ended(one.stage)) {
    one.stage = stages_[one.begun](one.piece, one.workspace);
    ++one.begun;
    moved = true;
  }
  return moved;
}

bool Pipeline::retire() {
  bool moved = false;
  while (!on_their_way_.empty() && on_their_way_.front().begun == stages_.size() &&
         has_ended(on_their_way_.front().stage)) {
    on_their_way_.pop_front();
    moved = true;
  }
  return moved;
}

bool Pipeline::done() {
  advance();
  return entered_ == length_ && on_their_way_.empty();
}

}  // namespace ringcast
