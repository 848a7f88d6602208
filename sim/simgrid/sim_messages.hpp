#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/simulated_endpoint.hpp"
#include "sim/simgrid/rank_clocks.hpp"
#include "sim/simgrid/streams.hpp"

namespace ringcast {

/// Shared by all endpoints of a simulation.
struct SimShared {
  Platform& platform;
  Streams& streams;
  BlockedRanks& blocked;
  RankClocks& clocks;
  [[nodiscard]] const TransportProfile& profile() const { return platform.paths().profile(); }
};

/// One rank's messages on SimGrid, for a SimulatedEndpoint.
class SimMessages {
 public:
  using Stream = ringcast::Stream*;

  SimMessages(const SimShared& shared, Rank rank) : shared_{shared}, rank_{rank} {}
  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] int size() const { return shared_.platform.ranks(); }
  [[nodiscard]] Seconds now() const { return shared_.clocks.now(); }
  [[nodiscard]] static std::int64_t repeats(AlikeRounds /*rounds*/) { return 0; }
  [[nodiscard]] const TransportProfile& profile() const { return shared_.profile(); }

  [[nodiscard]] Stream stream(const StreamKey& key);
  [[nodiscard]] static const TransferPath& path_of(Stream stream) { return stream->path(); }
  void post_send(Stream stream, MessageSide& send) const {
    send.posted = now();
    stream->post_send(send);
  }
  void post_lent(Stream stream, MessageSide& send, Stream answers) const {
    send.posted = now();
    stream->post_lent(send, *answers);
  }
  void post_recv(Stream stream, MessageSide& recv) const {
    recv.posted = now();
    stream->post_recv(recv);
  }
  static void withdraw(Stream stream, MessageSide& side) noexcept { stream->withdraw(side); }
  void wait(MessageSide& side, const BlockedRanks::On& on) const;
  void wait_for_any(const BlockedRanks::On& on) const;
  [[nodiscard]] static bool may_be_done() { return true; }
  void catch_up() const { shared_.clocks.catch_up(); }
  void copy(CopyDirection direction, Bytes size) const {
    shared_.clocks.catch_up();
    shared_.platform.copy(rank_, direction, size);
  }

 private:
  /// The streams that this rank has used, sorted by peer and tag: a ring uses the same two in every
  /// step.
  struct KnownStream {
    std::uint64_t key;
    Stream stream;
  };

  SimShared shared_;
  Rank rank_;
  std::vector<KnownStream> outgoing_;
  std::vector<KnownStream> incoming_;
};

}  // namespace ringcast
