#pragma once

#include <functional>
#include <map>

#include "engine/contracts/endpoint.hpp"
#include "real/mpi/arena.hpp"
#include "real/mpi/backoff.hpp"

namespace ringcast {

/// The messages of one rank that are sent through MPI. A Tag is MPI's tag.
class MpiMessages {
 public:
  MpiMessages(RunCommunicators& communicators, RunWatch& watch, AddressableMemory& memory,
              bool is_oversubscribed);
  [[nodiscard]] Pending send(Rank to, Slice source, Tag tag);
  [[nodiscard]] Pending recv(Rank from, Slice destination, Tag tag);
  /// Lets MPI make progress on messages in flight.
  void drive();
  /// Called during waits: the progress of other messages.
  void set_meanwhile(std::function<void()> meanwhile) { meanwhile_ = std::move(meanwhile); }

 private:
  class Transfer;
  [[nodiscard]] int rank() const { return watch_->rank(); }

  RunCommunicators* communicators_;
  RunWatch* watch_;
  AddressableMemory* memory_;
  bool is_oversubscribed_;
  std::function<void()> meanwhile_ = nullptr;
  int in_flight_ = 0;
  /// The number of completed messages of each stream (peer, tag, is incoming).
  std::map<std::tuple<int, int, bool>, std::uint64_t> ended_;
};

}  // namespace ringcast
