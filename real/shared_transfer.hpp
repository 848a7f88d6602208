#pragma once

#include <fmt/format.h>

#include "engine/error.hpp"
#include "real/shared_messages.hpp"

/// The two sides of a message through shared memory, for shared_messages.cpp.
namespace ringcast {

class SharedMessages::Transfer : public Pending::Operation, public Awaited {
 public:
  Transfer(SharedMessages& owner, Conversation& conversation, Stream& stream,
           std::span<std::byte> bytes)
      : owner_{&owner}, conversation_{&conversation}, stream_{&stream}, bytes_{bytes} {}

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  [[nodiscard]] int tag() const { return stream_->tag; }
  [[nodiscard]] int peer() const final { return conversation_->peer->rank; }

 protected:
  [[nodiscard]] virtual bool is_done() const = 0;
  void wait_until_done() {
    Patience patience{*owner_->watch_, owner_->is_crowded_};
    while (!is_done()) {
      if (owner_->drive()) {
        patience.renew();
      } else {
        patience.pause(this);
      }
    }
  }
  [[nodiscard]] std::string headline(std::string_view kind, std::string_view direction) const {
    return fmt::format("rank {}: {} of {} bytes {} rank {} under tag {}", owner_->watch_->rank(),
                       kind, bytes_.size(), direction, peer(), tag());
  }

  SharedMessages* owner_;
  Conversation* conversation_;
  Stream* stream_;

 private:
  std::span<std::byte> bytes_;
};

class SharedMessages::Outgoing final : public Transfer {
 public:
  using Transfer::Transfer;
  void wait() override {
    wait_until_done();
    if (ticket_) {
      const Ticket& ticket = owner_->peers_->own_window().ticket(*ticket_);
      if (ticket.state.load(std::memory_order_acquire) == Ticket::State::refused) {
        throw TransportError{fmt::format("{}: rank {} expects {} bytes", headline("send", "to"),
                                         peer(), ticket.expected_length)};
      }
      owner_->free_tickets_.push_back(*ticket_);
    }
    ++stream_->sent;
  }
  void cancel() noexcept override {
    if (!is_posted_) {
      conversation_->waiting.remove(this);
    } else if (ticket_) {
      withdraw(owner_->peers_->own_window().ticket(*ticket_));
    }
  }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("{}, message {} of the stream", headline("send", "to"), stream_->sent + 1);
  }
  void set_posted(std::optional<std::uint32_t> ticket) {
    is_posted_ = true;
    ticket_ = ticket;
  }

 private:
  [[nodiscard]] bool is_done() const override {
    if (!ticket_) {
      return is_posted_;
    }
    const Ticket::State state =
        owner_->peers_->own_window().ticket(*ticket_).state.load(std::memory_order_acquire);
    return state == Ticket::State::done || state == Ticket::State::refused;
  }
  /// Its envelope may still be there: the ticket is not used again in this run. A receiver that
  /// reads the bytes at this moment will soon have done so, if it lives.
  void withdraw(Ticket& ticket) const noexcept {
    Ticket::State expected = Ticket::State::posted;
    if (ticket.state.compare_exchange_strong(expected, Ticket::State::withdrawn)) {
      return;
    }
    const auto begin = RunWatch::Clock::now();
    while (ticket.state.load(std::memory_order_acquire) == Ticket::State::moving &&
           RunWatch::Clock::now() - begin < owner_->watch_->timeout()) {
    }
  }

  bool is_posted_ = false;
  std::optional<std::uint32_t> ticket_;
};

class SharedMessages::Incoming final : public Transfer {
 public:
  Incoming(SharedMessages& owner, Conversation& conversation, Stream& stream,
           std::span<std::byte> bytes, bool accumulates)
      : Transfer{owner, conversation, stream, bytes}, accumulates_{accumulates} {}
  void wait() override {
    wait_until_done();
    if (!failure_.empty()) {
      throw TransportError{failure_};
    }
  }
  void cancel() noexcept override {
    if (!is_done_) {
      stream_->posted.remove(this);
      --conversation_->posted;
    }
  }
  [[nodiscard]] bool accumulates() const { return accumulates_; }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("{}, message {} of the stream", headline(kind(), "from"),
                       stream_->received + 1);
  }
  void end() {
    is_done_ = true;
    ++stream_->received;
  }
  void refuse(std::uint64_t length) {
    failure_ = fmt::format("{}: rank {} sends {} bytes", headline(kind(), "from"), peer(), length);
    is_done_ = true;
  }

 private:
  [[nodiscard]] bool is_done() const override { return is_done_; }
  [[nodiscard]] std::string_view kind() const { return accumulates_ ? "recv_accumulate" : "recv"; }

  bool accumulates_;
  bool is_done_ = false;
  std::string failure_;
};

}  // namespace ringcast
