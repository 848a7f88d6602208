#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/collectives/fifo.hpp"
#include "engine/contracts/endpoint.hpp"
#include "sim/model/message_cost.hpp"

namespace ringcast {

/// Identifies a stream: the messages of one tag from one rank to another.
struct StreamKey {
  Rank from;
  Rank to;
  Tag tag;
  friend bool operator==(const StreamKey&, const StreamKey&) = default;
};

/// One side of a message: its send or its recv. A stream's queue points to it until its flow has
/// ended, so its owner must not move it.
struct MessageSide {
  // The members that a rank polls come first: they are in the first cache line of its operation.
  bool is_done = false;
  bool is_awaited = false;
  bool is_lent = false;  // a send with Returns, or the answer, where that differs
  Bytes length;
  Seconds posted{0};               // by the clock of its rank
  BytesPerSecond limit{0};         // a recv's, for the payload; zero: none
  Bytes sent_length{};             // a recv's, once done
  std::vector<std::byte> bytes{};  // empty without real data
};

/// The posted sides of one end of a stream, the oldest first.
class PostedSides {
 public:
  [[nodiscard]] bool empty() const { return sides_.empty(); }
  [[nodiscard]] std::size_t size() const { return sides_.size(); }
  [[nodiscard]] MessageSide& operator[](std::size_t place) const { return *sides_[place]; }
  [[nodiscard]] MessageSide& front() const { return *sides_.front(); }
  /// Whether all differ at most in the time at which they were posted.
  [[nodiscard]] bool are_alike() const { return changes_ == 0; }
  void push_back(MessageSide& side);
  MessageSide& pop_front();
  void remove(MessageSide& side);

 private:
  [[nodiscard]] int change_at(std::size_t place) const;

  Fifo<MessageSide*> sides_;
  int changes_ = 0;  // sides that are not like the one before them
};

/// The messages that a stream has delivered.
struct StreamTraffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t on_cables = 0;

  /// Adds the difference of two states, `times` times.
  void add(std::uint64_t times, const StreamTraffic& now, const StreamTraffic& then) {
    messages += times * (now.messages - then.messages);
    bytes += times * (now.bytes - then.bytes);
    on_cables += times * (now.on_cables - then.on_cables);
  }
};

/// The messages of one tag from one rank to another, in order, as on one connection: the k-th send
/// matches the k-th recv, and a message takes the wire after the one before it has left
/// (MessageCost). A backend moves the bytes of the message on the wire and reports their arrival.
class MessageStream {
 public:
  explicit MessageStream(MessageCost cost) : cost_{cost} {}
  [[nodiscard]] const MessageCost& cost() const { return cost_; }

  void post_send(MessageSide& send);
  /// The same, for a message sent with Returns; its answer comes on `answers`.
  void post_lent(MessageSide& send, MessageStream& answers);
  void post_recv(MessageSide& recv) { recvs_.push_back(recv); }
  /// Removes a side that is not done. True if its message was on the wire, which is free now; the
  /// other side stays in its queue.
  bool withdraw(MessageSide& side) noexcept;

  /// Puts the oldest message on the wire if that is free and both sides are posted. Returns the
  /// time of its first byte, which is not before `now`.
  [[nodiscard]] std::optional<Seconds> begin(Seconds now);
  /// The flow of the message on the wire: its bytes, and its greatest rate (zero: no limit).
  [[nodiscard]] Bytes wire_bytes() const { return on_wire_; }
  [[nodiscard]] BytesPerSecond wire_limit() const;
  struct Sides {
    MessageSide& send;
    MessageSide& recv;
  };
  /// The message on the wire has arrived. Both sides are done.
  Sides end(Seconds now);

  /// The oldest may be on the wire.
  [[nodiscard]] const PostedSides& sends() const { return sends_; }
  [[nodiscard]] const PostedSides& recvs() const { return recvs_; }
  /// The number of the next sends that are answers to lent messages.
  [[nodiscard]] int answers_due() const { return answers_due_; }
  [[nodiscard]] bool is_busy() const { return is_busy_; }
  /// The time of the first byte of the message on the wire, else of the last one that was.
  [[nodiscard]] Seconds first_byte() const { return begin_; }
  [[nodiscard]] Seconds last_end() const { return last_end_; }
  [[nodiscard]] const StreamTraffic& traffic() const { return traffic_; }
  /// Counts messages of skipped rounds.
  void add_traffic(const StreamTraffic& more) { traffic_.add(1, more, {}); }

 private:
  MessageCost cost_;
  PostedSides sends_;
  PostedSides recvs_;
  int answers_due_ = 0;
  bool is_busy_ = false;
  Bytes on_wire_;  // of the message on the wire
  Seconds begin_{0};
  Seconds last_end_{0};
  StreamTraffic traffic_;
};

}  // namespace ringcast
