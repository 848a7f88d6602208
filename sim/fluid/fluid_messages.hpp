#pragma once

#include <vector>

#include "sim/fluid/fluid_simulation.hpp"
#include "sim/model/simulated_endpoint.hpp"

namespace ringcast {

/// One rank of a FluidSimulation, as the rank's endpoint, reducer and processor see it.
struct FluidRank {
  FluidSimulation& simulation;
  const FluidJob& job;
  const TransferPaths& paths;
  std::size_t index;  // among the job's ranks
  BlockedRanks& blocked;
};

/// An operation that occupies the rank for this duration; the rank waits for it at once.
[[nodiscard]] Pending execute_on(const FluidRank& self, Seconds duration);

/// One rank's messages in a FluidSimulation, for a SimulatedEndpoint.
class FluidMessages {
 public:
  using Stream = int;  // its number in the job

  explicit FluidMessages(const FluidRank& self) : self_{self} {}
  [[nodiscard]] Rank rank() const { return self_.job.ranks[self_.index]; }
  [[nodiscard]] int size() const { return self_.paths.ranks(); }
  [[nodiscard]] Seconds now() const { return self_.simulation.now(); }
  [[nodiscard]] std::int64_t repeats(AlikeRounds rounds) const {
    return self_.simulation.repeats(self_.index, rounds);
  }
  [[nodiscard]] const TransportProfile& profile() const { return self_.paths.profile(); }

  [[nodiscard]] Stream stream(const StreamKey& key);
  [[nodiscard]] const TransferPath& path_of(Stream stream) const {
    return *self_.job.streams[static_cast<std::size_t>(stream)].path;
  }
  void post_send(Stream stream, MessageSide& send) const {
    self_.simulation.post_send(stream, send);
  }
  void post_lent(Stream stream, MessageSide& send, Stream answers) const {
    self_.simulation.post_lent(stream, send, answers);
  }
  void post_recv(Stream stream, MessageSide& recv) const {
    self_.simulation.post_recv(stream, recv);
  }
  void withdraw(Stream stream, MessageSide& side) const noexcept {
    self_.simulation.withdraw(stream, side);
  }
  void wait(MessageSide& side, const BlockedRanks::On& on) const {
    const BlockedHere here{self_.blocked, rank(), on};
    self_.simulation.wait(self_.index, side);
  }
  void wait_for_any(const BlockedRanks::On& on) const {
    const BlockedHere here{self_.blocked, rank(), on};
    self_.simulation.wait_for_any(self_.index);
  }
  [[nodiscard]] bool may_be_done() const { return self_.simulation.may_be_done(self_.index); }
  static void catch_up() {}
  void copy(CopyDirection direction, Bytes size) const {
    self_.simulation.copy(self_.index, direction, size);
  }

 private:
  FluidRank self_;
  struct Known {
    StreamKey key;
    Stream stream;
  };
  // A direct-mapped cache of the streams that this rank has used last. It doubles at a conflict, up
  // to a bound: a rank that always uses the same few streams finds them in the processor's cache.
  std::vector<Known> known_;
};

}  // namespace ringcast
