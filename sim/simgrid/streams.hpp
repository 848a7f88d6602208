#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/collectives/fifo.hpp"
#include "engine/contracts/endpoint.hpp"
#include "sim/model/message_cost.hpp"
#include "sim/model/sim_options.hpp"
#include "sim/model/sim_report.hpp"
#include "sim/simgrid/comm.hpp"
#include "sim/simgrid/platform.hpp"

namespace ringcast {

/// A message in flight. Sender and receiver share it.
struct Message {
  Bytes length;
  std::vector<std::byte> bytes;  // empty when only sizes travel
  Seconds posted{0};             // by the sender's clock
  Comm comm;                     // the sender's side
  bool started = false;
  bool is_lent = false;  // sent with Returns, or the answer, on a path where that differs
};

/// A posted recv.
struct PostedRecv {
  Comm comm;          // the receiver's side
  Seconds posted{0};  // by the receiver's clock
  BytesPerSecond limit{0};
  void* received = nullptr;  // the Message, once its flow has ended
};

class Streams;

/// The messages of one tag from one rank to another, in order. SimGrid would let several of them
/// share the path; here the second starts when the first has ended and its own overhead is paid, as
/// on one connection; the time it waited counts towards its latency.
class Stream {
 public:
  Stream(Streams& all, Platform& platform, simgrid::s4u::Mailbox& mailbox, Rank from, Rank to,
         Tag tag);
  [[nodiscard]] Rank from() const { return from_; }
  [[nodiscard]] Rank to() const { return to_; }
  [[nodiscard]] Tag tag() const { return tag_; }
  [[nodiscard]] const TransferPath& path() const { return cost_.path(); }

  void post_send(const std::shared_ptr<Message>& message);
  /// The same, for a message sent with Returns; its answer comes on `answers`.
  void post_lent(const std::shared_ptr<Message>& message, Stream& answers);
  /// Blocks the sender until the flow of `message` has ended.
  void wait_sent(Message& message);
  void withdraw(const std::shared_ptr<Message>& message) noexcept;

  /// The message, of this length, comes no faster than `limit`; zero: no limit of its own. `recv`
  /// must stay where it is until it has been taken or withdrawn.
  void post_recv(PostedRecv& recv, Bytes length, BytesPerSecond limit);
  /// The message that a recv has received; once for each, when its flow has ended.
  [[nodiscard]] std::shared_ptr<Message> take(const PostedRecv& recv);
  void withdraw(const PostedRecv& recv) noexcept;

 private:
  friend class Streams;
  [[nodiscard]] bool next_recv_meets_lent();
  [[nodiscard]] Seconds ready_time(const Message& message) const;
  void start(const std::shared_ptr<Message>& message);
  void start(Comm& side, bool meets_other);
  void start_next();
  [[nodiscard]] DeliveredMessage describe_active() const;
  void end_active();

  Streams* all_;
  Platform* platform_;
  Rank from_;
  Rank to_;
  Tag tag_;
  simgrid::s4u::Mailbox* mailbox_;
  MessageCost cost_;
  int owed_ = 0;                            // answers, which are the next messages to be sent
  std::shared_ptr<Message> active_;         // on the wire, or waiting for its recv
  Fifo<std::shared_ptr<Message>> queued_;   // behind it
  Fifo<const PostedRecv*> waiting_recvs_;   // for messages not delivered yet
  Fifo<std::shared_ptr<Message>> untaken_;  // posted by the sender, not taken yet
  Seconds last_end_{0};
  PairTraffic traffic_;
};

/// All streams of a simulation.
class Streams {
 public:
  Streams(Platform& platform, TrafficOptions options);
  [[nodiscard]] Stream& between(Rank from, Rank to, Tag tag);
  /// From now on ending flows start no others: the simulation is being torn down.
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] std::vector<PairTraffic> traffic() const;
  [[nodiscard]] const std::vector<DeliveredMessage>& messages() const { return messages_; }

 private:
  friend class Stream;
  void flow_started(const Message& message, Stream& stream);
  void flow_withdrawn(const Message& message);
  void flow_ended(const void* communication);

  Platform* platform_;
  TrafficOptions options_;
  bool stopped_ = false;
  std::uint64_t delivered_ = 0;
  std::map<std::tuple<Rank, Rank, Tag>, std::unique_ptr<Stream>> streams_;
  std::unordered_map<const void*, Stream*> on_wire_;
  std::vector<DeliveredMessage> messages_;
};

}  // namespace ringcast
