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

/// The buffers of one piece, allocated on first use and kept until the piece is done.
class Workspace {
 public:
  explicit Workspace(Staging& staging) : staging_{&staging} {}
  [[nodiscard]] std::byte* peer_buffer() { return kept(peer_buffer_, staging_->pinned); }
  [[nodiscard]] std::byte* own_buffer() { return kept(own_buffer_, staging_->pinned); }
  /// Device memory with the same alignment modulo 16 bytes as `beside`.
  [[nodiscard]] std::byte* scratch_like(const std::byte* beside);

 private:
  [[nodiscard]] static std::byte* kept(BufferPool::Lease& lease, BufferPool& pool);

  Staging* staging_;
  BufferPool::Lease peer_buffer_;
  BufferPool::Lease own_buffer_;
  BufferPool::Lease scratch_;
};

/// Moves a range piece by piece through stages. Several pieces are in flight, in different stages;
/// every stage begins them in order.
class Pipeline final : public InFlight {
 public:
  /// Begins the stage for one piece.
  using Stage = std::function<std::unique_ptr<InFlight>(const Piece&, Workspace&)>;

  Pipeline(Bytes length, Bytes piece, Staging& staging, std::vector<Stage> stages);
  /// Starts every stage that can begin; true if any began or ended.
  bool advance();
  [[nodiscard]] bool done() override;

 private:
  struct ActivePiece {
    Piece piece;
    Workspace workspace;
    std::size_t begun = 0;  ///< stages
    std::unique_ptr<InFlight> stage{};
  };
  bool advance(ActivePiece& one, std::size_t begun_ahead);
  bool retire();

  Bytes length_;
  Bytes piece_;
  Staging* staging_;
  std::vector<Stage> stages_;
  Bytes entered_;
  std::deque<ActivePiece> active_;
};

}  // namespace ringcast
