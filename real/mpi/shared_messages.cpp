#include "real/mpi/shared_messages.hpp"

#include <algorithm>
#include <numeric>

#include "engine/numbers/copy_bytes.hpp"
#include "real/mpi/shared_transfer.hpp"

namespace ringcast {

using State = Ticket::State;

namespace {

bool is_large(std::uint64_t length) {
  return length > Envelope::most_content;
}

}  // namespace

SharedMessages::SharedMessages(HostPeers& peers, Arena& arena, AddressableMemory& memory,
                               RunWatch& watch, Reduction reduction, int run,
                               bool is_oversubscribed)
    : peers_{&peers},
      arena_{&arena},
      memory_{&memory},
      watch_{&watch},
      reduction_{reduction},
      run_{static_cast<std::uint32_t>(run)},
      is_oversubscribed_{is_oversubscribed},
      free_tickets_(SharedWindow::tickets),
      holders_(SharedWindow::tickets) {
  connections_.reserve(peers.all().size());
  for (HostPeers::Peer& peer : peers.all()) {
    connections_.push_back({.peer = &peer});
  }
  std::iota(free_tickets_.rbegin(), free_tickets_.rend(), 0U);
}

Pending SharedMessages::send(Rank to, Slice source, Tag tag, Returns returns) {
  Connection& connection = connection_to(to);
  Stream& stream = stream_of(connection, static_cast<int>(tag));
  const std::span<std::byte> bytes = memory_->find(source);
  if (!returns) {
    if (auto answer = answer_in_place(connection, stream, bytes)) {
      return Pending{std::move(answer)};
    }
  }
  auto message = std::make_unique<Outgoing>(*this, connection, stream, bytes);
  if (returns) {
    Stream& answers = stream_of(connection, static_cast<int>(*returns));
    const auto lent = std::make_shared<Lent>(Lent{bytes});
    answers.lent.push_back(lent);
    message->set_lent(answers, lent);
  }
  return start(connection, std::move(message));
}

/// Null if no slice is to be answered with the stream's tag, or the oldest one is answered by a
/// message.
std::unique_ptr<SharedMessages::Answer> SharedMessages::answer_in_place(
    Connection& connection, Stream& stream, std::span<std::byte> bytes) {
  while (!stream.borrowed.empty()) {
    const Parcel lent = stream.borrowed.pop_front();
    if (!lent.is_answered_in_place) {
      return nullptr;
    }
    auto answer = std::make_unique<Answer>(*this, connection, stream, bytes, lent);
    if (answer->is_given()) {  // otherwise the lender has withdrawn it
      return answer;
    }
  }
  return nullptr;
}

Pending SharedMessages::start(Connection& connection, std::unique_ptr<Outgoing> message) {
  if (!connection.waiting.empty() || !post(connection, *message)) {
    connection.waiting.push_back(message.get());
  }
  return Pending{std::move(message)};
}

Pending SharedMessages::recv(Rank from, Slice destination, Tag tag, bool accumulates) {
  Connection& connection = connection_to(from);
  Stream& stream = stream_of(connection, static_cast<int>(tag));
  const std::span<std::byte> bytes = memory_->find(destination);
  if (!stream.lent.empty()) {
    const std::shared_ptr<Lent> lent = stream.lent.pop_front();
    expect(!accumulates && lent->bytes.data() == bytes.data() && lent->bytes.size() == bytes.size(),
           "a receive under tag {} into another slice than was lent for it", stream.tag);
    if (lent->ticket) {
      return Pending{
          std::make_unique<AwaitedAnswer>(*this, connection, stream, bytes, *lent->ticket)};
    }
  }
  auto message = std::make_unique<Incoming>(*this, connection, stream, bytes, accumulates);
  while (!stream.early.empty()) {
    const Early early = stream.early.pop_front();
    if (deliver(connection, early.parcel, early.content, *message)) {
      return Pending{std::move(message)};
    }
  }
  stream.posted.push_back(message.get());
  ++connection.posted;
  return Pending{std::move(message)};
}

bool SharedMessages::drive() {
  bool has_moved = false;
  for (Connection& connection : connections_) {
    has_moved |= !connection.waiting.empty() && post_waiting(connection);
    has_moved |= connection.posted > 0 && take_arrived(connection);
  }
  if (!has_moved && meanwhile_) {
    meanwhile_();
  }
  return has_moved;
}

SharedMessages::Connection& SharedMessages::connection_to(Rank rank) {
  const auto place = peers_->find(rank) - peers_->all().data();
  return connections_[static_cast<std::size_t>(place)];
}

SharedMessages::Stream& SharedMessages::stream_of(Connection& connection, int tag) {
  for (Stream& stream : connection.streams) {
    if (stream.tag == tag) {
      return stream;
    }
  }
  return connection.streams.emplace_back(Stream{.tag = tag});
}

/// False if no envelope or ticket is free.
bool SharedMessages::post(Connection& connection, Outgoing& message) {
  HostPeers::Peer& peer = *connection.peer;
  SharedWindow& window = peers_->own_window();
  if (peer.sent - peer.seen_taken == SharedWindow::most_envelopes) {
    peer.seen_taken = window.taken(peer.its_place).load(std::memory_order_acquire);
    if (peer.sent - peer.seen_taken == SharedWindow::most_envelopes) {
      return false;
    }
  }
  Envelope& envelope = window.envelope(peer.its_place, peer.sent + 1);
  const std::span<const std::byte> bytes = message.bytes();
  std::optional<std::uint32_t> ticket;
  // A lent slice keeps its ticket until it is answered; half of the tickets are for other messages.
  const bool can_lend = free_tickets_.size() > SharedWindow::tickets / 2;
  if (!is_large(bytes.size())) {
    envelope.parcel = {.length = bytes.size()};
    copy_bytes(bytes, envelope.content);
  } else {
    if (!has_ticket()) {
      return false;
    }
    ticket = free_tickets_.back();
    free_tickets_.pop_back();
    window.ticket(*ticket).state.store(State::posted, std::memory_order_relaxed);
    const Arena::Place place = arena_->place_of(bytes.data());
    envelope.parcel = {bytes.size(), place.offset, place.segment->bytes().size(),
                       place.segment->descriptor(), *ticket};
  }
  envelope.parcel.back = message.back();
  envelope.parcel.is_answered_in_place = message.back() && ticket && can_lend;
  envelope.tag = message.tag();
  envelope.run = run_;
  ++peer.sent;
  envelope.number.store(peer.sent, std::memory_order_release);
  message.set_posted(ticket, envelope.parcel.is_answered_in_place);
  return true;
}

/// If none is free, reclaims those of received messages that were not waited for yet.
bool SharedMessages::has_ticket() {
  if (free_tickets_.empty()) {
    for (Outgoing* const holder : holders_) {
      if (holder != nullptr) {
        holder->give_ticket_back();
      }
    }
  }
  return !free_tickets_.empty();
}

bool SharedMessages::post_waiting(Connection& connection) {
  bool has_moved = false;
  while (!connection.waiting.empty() && post(connection, *connection.waiting.front())) {
    connection.waiting.pop_front();
    has_moved = true;
  }
  return has_moved;
}

bool SharedMessages::take_arrived(Connection& connection) {
  HostPeers::Peer& peer = *connection.peer;
  bool has_moved = false;
  while (connection.posted > 0) {
    const Envelope& envelope = peer.window->envelope(peer.our_place, peer.taken + 1);
    if (envelope.number.load(std::memory_order_acquire) != peer.taken + 1) {
      break;
    }
    ++peer.taken;
    if (envelope.run == run_) {  // otherwise it was not received in an earlier run
      take(connection, envelope);
    }
    peer.window->taken(peer.our_place).store(peer.taken, std::memory_order_release);
    has_moved = true;
  }
  return has_moved;
}

void SharedMessages::take(Connection& connection, const Envelope& envelope) {
  Stream& stream = stream_of(connection, envelope.tag);
  const std::uint64_t inside = is_large(envelope.parcel.length) ? 0 : envelope.parcel.length;
  const std::span content = std::span{envelope.content}.first(inside);
  if (stream.posted.empty()) {
    stream.early.push_back({envelope.parcel, {content.begin(), content.end()}});
    return;
  }
  if (deliver(connection, envelope.parcel, content, *stream.posted.front())) {
    stream.posted.pop_front();
    --connection.posted;
  }
}

bool SharedMessages::deliver(Connection& connection, const Parcel& parcel,
                             std::span<const std::byte> content, Incoming& message) {
  HostPeers::Peer& peer = *connection.peer;
  const bool fits = parcel.length == message.bytes().size();
  if (!is_large(parcel.length)) {
    if (fits) {
      move_bytes(content, message);
      note_borrowed(connection, parcel);
    }
  } else {
    Ticket& ticket = peer.window->ticket(parcel.ticket);
    // Before `moving`, as it may throw, and a withdrawal waits while a message is `moving`.
    const std::span<const std::byte> bytes = HostPeers::bytes_of(peer, parcel);
    State expected = State::posted;
    if (!ticket.state.compare_exchange_strong(expected, State::moving)) {
      return false;
    }
    if (fits) {
      move_bytes(bytes, message);
    }
    ticket.other_length = message.bytes().size();
    State after = State::refused;
    if (fits) {
      note_borrowed(connection, parcel);
      after = parcel.is_answered_in_place ? State::read : State::done;
    }
    ticket.state.store(after, std::memory_order_release);
  }
  if (fits) {
    message.end();
  } else {
    message.refuse(parcel.length);
  }
  return true;
}

void SharedMessages::note_borrowed(Connection& connection, const Parcel& parcel) {
  if (parcel.back) {
    stream_of(connection, *parcel.back).borrowed.push_back(parcel);
  }
}

void SharedMessages::move_bytes(std::span<const std::byte> from, const Incoming& message) const {
  if (message.accumulates()) {
    accumulate_bytes(reduction_, message.bytes(), from);
  } else {
    copy_bytes(from, message.bytes());
  }
}

}  // namespace ringcast
