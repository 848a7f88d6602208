#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "real/gpu/staging.hpp"

namespace ringcast {

/// A piece of the range that a pipeline moves.
struct Piece {
  Bytes offset;
  Bytes length;
};

/// The resources of one piece; taken when first needed, kept until the piece is done.
class Workspace {
 public:
  explicit Workspace(Staging& staging) : staging_{&staging} {}
  [[nodiscard]] std::byte* theirs() { return kept(theirs_, staging_->pinned); }
  [[nodiscard]] std::byte* mine() { return kept(mine_, staging_->pinned); }
  /// Device memory that lies in its 16 bytes as `beside` does.
  [[nodiscard]] std::byte* scratch_like(const std::byte* beside);

 private:
  [[nodiscard]] static std::byte* kept(BufferPool::Lease& lease, BufferPool& pool);

  Staging* staging_;
  BufferPool::Lease theirs_;
  BufferPool::Lease mine_;
  BufferPool::Lease scratch_;
};

/// Moves a range piece by piece through stages. Pieces are in flight together, in different stages;
/// every stage begins them in their order.
class Pipeline final : public InFlight {
 public:
  /// Begins the stage for one piece.
  using Stage = std::function<std::unique_ptr<InFlight>(const Piece&, Workspace&)>;

  Pipeline(Bytes length, Bytes piece, Staging& staging, std::vector<Stage> stages);
  /// Begins all that can begin; true if anything did or ended.
  bool advance();
  [[nodiscard]] bool done() override;

 private:
  struct OnItsWay {
    Piece piece;
    Workspace workspace;
    std::size_t begun = 0;  ///< stages
    std::unique_ptr<InFlight> stage{};
  };
  bool advance(OnItsWay& one, std::size_t begun_ahead);
  bool retire();

  Bytes length_;
  Bytes piece_;
  Staging* staging_;
  std::vector<Stage> stages_;
  Bytes entered_;
  std::deque<OnItsWay> on_their_way_;
};

}  // namespace ringcast
