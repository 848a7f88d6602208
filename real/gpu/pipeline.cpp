#include "real/gpu/pipeline.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// One piece in each stage (there are at most three), and one waiting.
constexpr std::size_t most_active = 4;

/// Resets the pointer if the stage is done; true if it is null.
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
  while (entered_ < length_ && active_.size() < most_active) {
    const Bytes rest{length_.count() - entered_.count()};
    active_.push_back({{entered_, std::min(piece_, rest)}, Workspace{*staging_}});
    entered_ += active_.back().piece.length;
  }
  std::size_t begun_ahead = stages_.size();
  for (ActivePiece& one : active_) {
    moved |= advance(one, begun_ahead);
    begun_ahead = one.begun;
  }
  return retire() || moved;
}

bool Pipeline::advance(ActivePiece& one, std::size_t begun_ahead) {
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
  while (!active_.empty() && active_.front().begun == stages_.size() &&
         has_ended(active_.front().stage)) {
    active_.pop_front();
    moved = true;
  }
  return moved;
}

bool Pipeline::done() {
  advance();
  return entered_ == length_ && active_.empty();
}

}  // namespace ringcast
