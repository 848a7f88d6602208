#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/collectives/fifo.hpp"
#include "engine/contracts/endpoint.hpp"
#include "engine/numbers/element.hpp"
#include "real/mpi/arena.hpp"
#include "real/mpi/backoff.hpp"
#include "real/mpi/host_peers.hpp"

namespace ringcast {

/// The messages of one rank to and from ranks of its host, in one run. The receiver does the work:
/// it reads the sender's slice where it lies, and copies or accumulates it into its own. A large
/// slice sent with Returns is lent: while there are tickets for that, the receiver writes its
/// answer to where it read the slice, which its cache still holds, and the sender copies nothing.
class SharedMessages {
 public:
  SharedMessages(HostPeers& peers, Arena& arena, AddressableMemory& memory, RunWatch& watch,
                 Reduction reduction, int run, bool is_crowded);
  SharedMessages(const SharedMessages&) = delete;
  SharedMessages& operator=(const SharedMessages&) = delete;
  ~SharedMessages() = default;

  [[nodiscard]] bool reaches(Rank rank) { return peers_->find(rank) != nullptr; }
  [[nodiscard]] Pending send(Rank to, Slice source, Tag tag, Returns returns);
  [[nodiscard]] Pending recv(Rank from, Slice destination, Tag tag, bool accumulates);
  /// Moves what can be moved; false if nothing could.
  bool drive();
  /// Called during waits: the progress of other messages.
  void set_meanwhile(std::function<void()> meanwhile) { meanwhile_ = std::move(meanwhile); }

 private:
  class Transfer;
  class Sending;
  class Receiving;
  class Outgoing;
  class Incoming;
  class Answer;
  class AwaitedAnswer;

  /// A message that came before its recv.
  struct Early {
    Parcel parcel;
    std::vector<std::byte> content;
  };
  /// A slice of ours that will come back.
  struct Lent {
    std::span<std::byte> bytes;
    /// The ticket, if it is answered in place.
    std::optional<std::uint32_t> ticket = std::nullopt;
  };
  struct Stream {
    int tag;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    Fifo<Early> early{};
    Fifo<Incoming*> posted{};
    /// Slices lent, which come back under this tag, and borrowed ones to answer here, both in
    /// order.
    Fifo<std::shared_ptr<Lent>> lent{};
    Fifo<Parcel> borrowed{};
  };
  struct Conversation {
    HostPeers::Peer* peer;
    std::deque<Stream> streams{};
    /// Messages for which there was no envelope or ticket yet.
    Fifo<Outgoing*> waiting{};
    std::size_t posted = 0;
  };

  [[nodiscard]] Conversation& conversation_with(Rank rank);
  [[nodiscard]] static Stream& stream_of(Conversation& conversation, int tag);
  [[nodiscard]] Pending start(Conversation& conversation, std::unique_ptr<Outgoing> message);
  [[nodiscard]] std::unique_ptr<Answer> answer_in_place(Conversation& conversation, Stream& stream,
                                                        std::span<std::byte> bytes);
  bool post(Conversation& conversation, Outgoing& message);
  [[nodiscard]] bool has_ticket();
  bool post_waiting(Conversation& conversation);
  bool take_arrived(Conversation& conversation);
  void take(Conversation& conversation, const Envelope& envelope);
  /// False if the sender has withdrawn it.
  bool deliver(Conversation& conversation, const Parcel& parcel, std::span<const std::byte> content,
               Incoming& message);
  static void note_borrowed(Conversation& conversation, const Parcel& parcel);
  void move_bytes(std::span<const std::byte> from, const Incoming& message) const;

  HostPeers* peers_;
  Arena* arena_;
  AddressableMemory* memory_;
  RunWatch* watch_;
  Reduction reduction_;
  std::uint32_t run_;
  bool is_crowded_;
  std::function<void()> meanwhile_ = nullptr;
  std::vector<Conversation> conversations_;
  std::vector<std::uint32_t> free_tickets_;
  /// For each ticket the message that frees it; null where an answer does, or nothing.
  std::vector<Outgoing*> holders_;
};

}  // namespace ringcast
