#pragma once

#include <fmt/format.h>

#include "engine/numbers/copy_bytes.hpp"
#include "engine/numbers/error.hpp"
#include "real/mpi/shared_messages.hpp"

/// The two sides of a message through shared memory, for shared_messages.cpp.
namespace ringcast {

class SharedMessages::Transfer : public Pending::Operation, public Awaited {
 public:
  Transfer(SharedMessages& owner, Connection& connection, Stream& stream,
           std::span<std::byte> bytes)
      : owner_{&owner}, connection_{&connection}, stream_{&stream}, bytes_{bytes} {}

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] int tag() const { return stream_->tag; }
  [[nodiscard]] int peer() const final { return connection_->peer->rank; }

 protected:
  [[nodiscard]] bool is_done() const override = 0;
  void wait_until_done() {
    Backoff backoff{*owner_->watch_, *this, owner_->is_oversubscribed_};
    while (!is_done()) {
      if (owner_->drive()) {
        backoff.reset();
      } else {
        backoff.pause();
      }
    }
  }
  [[nodiscard]] std::string headline(std::string_view kind, std::string_view direction) const {
    return fmt::format("rank {}: {} of {} bytes {} rank {} under tag {}", owner_->watch_->rank(),
                       kind, bytes_.size(), direction, peer(), tag());
  }

  using State = Ticket::State;
  /// A ticket of this rank.
  [[nodiscard]] Ticket& ticket(std::uint32_t number) const {
    return owner_->peers_->own_window().ticket(number);
  }
  [[nodiscard]] State state_of(std::uint32_t number) const {
    return ticket(number).state.load(std::memory_order_acquire);
  }
  /// Whether the other rank has finished accessing the bytes.
  [[nodiscard]] static bool is_settled(State state) {
    return state == State::done || state == State::refused || state == State::misanswered;
  }
  /// The ticket is not reused in this run, as its envelope may still be there. Waits for a receiver
  /// that is moving the bytes, unless it dies.
  void withdraw(std::uint32_t number) const noexcept {
    std::atomic<State>& state = ticket(number).state;
    const auto begin = RunWatch::Clock::now();
    for (State seen = state.load(std::memory_order_acquire); !is_settled(seen);
         seen = state.load(std::memory_order_acquire)) {
      const bool is_idle = seen != State::moving;
      if (is_idle ? state.compare_exchange_strong(seen, State::withdrawn)
                  : HostPeers::is_dead(*connection_->peer) ||
                        RunWatch::Clock::now() - begin > owner_->watch_->timeout()) {
        return;
      }
    }
  }

  SharedMessages* owner_;
  Connection* connection_;
  Stream* stream_;

 private:
  std::span<std::byte> bytes_;
};

class SharedMessages::Sending : public Transfer {
 public:
  using Transfer::Transfer;
  [[nodiscard]] std::string describe() const final {
    return fmt::format("{}, message {} of the stream", headline("send", "to"), stream_->sent + 1);
  }

 protected:
  [[noreturn]] void fail(std::uint64_t expected_length) const {
    throw TransportError{fmt::format("{}: rank {} expects {} bytes", headline("send", "to"), peer(),
                                     expected_length)};
  }
};

class SharedMessages::Receiving : public Transfer {
 public:
  Receiving(SharedMessages& owner, Connection& connection, Stream& stream,
            std::span<std::byte> bytes, bool accumulates)
      : Transfer{owner, connection, stream, bytes}, accumulates_{accumulates} {}
  [[nodiscard]] bool accumulates() const { return accumulates_; }
  [[nodiscard]] std::string describe() const final {
    return fmt::format("{}, message {} of the stream", headline(kind(), "from"),
                       stream_->received + 1);
  }

 protected:
  [[noreturn]] void fail(std::uint64_t sent_length) const {
    throw TransportError{
        fmt::format("{}: rank {} sends {} bytes", headline(kind(), "from"), peer(), sent_length)};
  }

 private:
  [[nodiscard]] std::string_view kind() const { return accumulates_ ? "recv_accumulate" : "recv"; }

  bool accumulates_;
};

class SharedMessages::Outgoing final : public Sending {
 public:
  using Sending::Sending;
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;
  ~Outgoing() override {
    if (ticket_ && holds(*ticket_)) {
      owner_->holders_[*ticket_] = nullptr;
    }
  }
  void wait() override {
    wait_until_done();
    if (ticket_ && state_of(*ticket_) == State::refused) {
      fail(ticket(*ticket_).other_length);
    }
    give_ticket_back();
    ++stream_->sent;
  }
  void cancel() noexcept override {
    if (lent_) {
      answers_->lent.remove(lent_);
    }
    if (!is_posted_) {
      connection_->waiting.remove(this);
    } else if (ticket_) {
      withdraw(*ticket_);
    }
  }
  /// Marks the slice as lent; it returns on this stream.
  void set_lent(Stream& answers, std::shared_ptr<Lent> lent) {
    answers_ = &answers;
    lent_ = std::move(lent);
  }
  [[nodiscard]] std::optional<std::int32_t> back() const {
    return lent_ ? std::optional{answers_->tag} : std::nullopt;
  }
  void set_posted(std::optional<std::uint32_t> ticket, bool is_answered_in_place) {
    is_posted_ = true;
    ticket_ = ticket;
    if (is_answered_in_place) {
      lent_->ticket = ticket;
    } else if (ticket_) {
      owner_->holders_[*ticket_] = this;
    }
  }
  /// Frees the ticket of a received message, unless its answer needs it.
  void give_ticket_back() {
    if (ticket_ && holds(*ticket_) && state_of(*ticket_) == State::done) {
      owner_->holders_[*ticket_] = nullptr;
      owner_->free_tickets_.push_back(*ticket_);
      ticket_.reset();
    }
  }

 private:
  [[nodiscard]] bool is_done() const override {
    return ticket_ ? is_settled(state_of(*ticket_)) || state_of(*ticket_) == State::read
                   : is_posted_;
  }
  [[nodiscard]] bool holds(std::uint32_t ticket) const { return owner_->holders_[ticket] == this; }

  bool is_posted_ = false;
  std::optional<std::uint32_t> ticket_;
  std::shared_ptr<Lent> lent_;  // null if the slice is not lent
  Stream* answers_ = nullptr;
};

class SharedMessages::Incoming final : public Receiving {
 public:
  using Receiving::Receiving;
  void wait() override {
    wait_until_done();
    if (refused_length_) {
      fail(*refused_length_);
    }
  }
  void cancel() noexcept override {
    if (!is_done_) {
      stream_->posted.remove(this);
      --connection_->posted;
    }
  }
  void end() {
    is_done_ = true;
    ++stream_->received;
  }
  void refuse(std::uint64_t length) {
    refused_length_ = length;
    is_done_ = true;
  }

 private:
  [[nodiscard]] bool is_done() const override { return is_done_; }

  bool is_done_ = false;
  std::optional<std::uint64_t> refused_length_;
};

/// The answer that is written into the lent slice.
class SharedMessages::AwaitedAnswer final : public Receiving {
 public:
  AwaitedAnswer(SharedMessages& owner, Connection& connection, Stream& stream,
                std::span<std::byte> bytes, std::uint32_t ticket)
      : Receiving{owner, connection, stream, bytes, false}, ticket_{ticket} {}
  void wait() override {
    wait_until_done();
    if (state_of(ticket_) == State::misanswered) {
      fail(ticket(ticket_).other_length);
    }
    owner_->free_tickets_.push_back(ticket_);
    ++stream_->received;
  }
  void cancel() noexcept override { withdraw(ticket_); }

 private:
  [[nodiscard]] bool is_done() const override { return is_settled(state_of(ticket_)); }

  std::uint32_t ticket_;
};

/// A send that answers a lent slice, written in place at once.
class SharedMessages::Answer final : public Sending {
 public:
  Answer(SharedMessages& owner, Connection& connection, Stream& stream, std::span<std::byte> bytes,
         const Parcel& lent)
      : Sending{owner, connection, stream, bytes}, lent_length_{lent.length} {
    HostPeers::Peer& peer = *connection.peer;
    Ticket& ticket = peer.window->ticket(lent.ticket);
    State expected = State::read;
    if (!ticket.state.compare_exchange_strong(expected, State::moving)) {
      return;
    }
    is_given_ = true;
    if (!fits()) {
      ticket.other_length = bytes.size();
      ticket.state.store(State::misanswered, std::memory_order_release);
      return;
    }
    copy_bytes(bytes, HostPeers::bytes_of(peer, lent));
    ticket.state.store(State::done, std::memory_order_release);
  }
  /// False if the lender has withdrawn the slice.
  [[nodiscard]] bool is_given() const { return is_given_; }
  void wait() override {
    if (!fits()) {
      fail(lent_length_);
    }
    ++stream_->sent;
  }
  void cancel() noexcept override {}

 private:
  [[nodiscard]] bool is_done() const override { return is_given_; }
  [[nodiscard]] bool fits() const { return lent_length_ == bytes().size(); }

  std::uint64_t lent_length_;
  bool is_given_ = false;
};

}  // namespace ringcast
