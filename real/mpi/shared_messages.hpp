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
/// it reads the sender's slice in place, and copies or accumulates it into its own. A large slice
/// sent with Returns is lent: while there are tickets for it, the receiver writes its answer into
/// the slice that it read, which is still in its cache, and the sender copies nothing.
class SharedMessages {
 public:
  SharedMessages(HostPeers& peers, Arena& arena, AddressableMemory& memory, RunWatch& watch,
                 Reduction reduction, int run, bool is_oversubscribed);
  SharedMessages(const SharedMessages&) = delete;
  SharedMessages& operator=(const SharedMessages&) = delete;
  ~SharedMessages() = default;

  [[nodiscard]] bool reaches(Rank rank) { return peers_->find(rank) != nullptr; }
  [[nodiscard]] Pending send(Rank to, Slice source, Tag tag, Returns returns);
  [[nodiscard]] Pending recv(Rank from, Slice destination, Tag tag, bool accumulates);
  /// Makes progress on all messages; false if there was none.
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

  /// A message that arrived before its recv was posted.
  struct Early {
    Parcel parcel;
    std::vector<std::byte> content;
  };
  /// A slice of this rank that will be sent back.
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
    /// Lent slices to be returned with this tag, and borrowed slices to be answered with it, both
    /// in order.
    Fifo<std::shared_ptr<Lent>> lent{};
    Fifo<Parcel> borrowed{};
  };
  struct Connection {
    HostPeers::Peer* peer;
    std::deque<Stream> streams{};
    /// Messages that wait for an envelope or a ticket.
    Fifo<Outgoing*> waiting{};
    std::size_t posted = 0;
  };

  [[nodiscard]] Connection& connection_to(Rank rank);
  [[nodiscard]] static Stream& stream_of(Connection& connection, int tag);
  [[nodiscard]] Pending start(Connection& connection, std::unique_ptr<Outgoing> message);
  [[nodiscard]] std::unique_ptr<Answer> answer_in_place(Connection& connection, Stream& stream,
                                                        std::span<std::byte> bytes);
  bool post(Connection& connection, Outgoing& message);
  [[nodiscard]] bool has_ticket();
  bool post_waiting(Connection& connection);
  bool take_arrived(Connection& connection);
  void take(Connection& connection, const Envelope& envelope);
  /// False if the sender has withdrawn it.
  bool deliver(Connection& connection, const Parcel& parcel, std::span<const std::byte> content,
               Incoming& message);
  static void note_borrowed(Connection& connection, const Parcel& parcel);
  void move_bytes(std::span<const std::byte> from, const Incoming& message) const;

  HostPeers* peers_;
  Arena* arena_;
  AddressableMemory* memory_;
  RunWatch* watch_;
  Reduction reduction_;
  std::uint32_t run_;
  bool is_oversubscribed_;
  std::function<void()> meanwhile_ = nullptr;
  std::vector<Connection> connections_;
  std::vector<std::uint32_t> free_tickets_;
  /// For each ticket the message that frees it; null if the ticket is free or an answer frees it.
  std::vector<Outgoing*> holders_;
};

}  // namespace ringcast
