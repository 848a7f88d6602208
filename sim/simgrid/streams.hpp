#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/contracts/endpoint.hpp"
#include "sim/model/message_stream.hpp"
#include "sim/model/sim_options.hpp"
#include "sim/model/sim_report.hpp"
#include "sim/simgrid/network_flow.hpp"
#include "sim/simgrid/platform.hpp"

namespace ringcast {

class Streams;

/// A MessageStream whose messages cross SimGrid's network.
class Stream {
 public:
  Stream(Streams& all, Platform& platform, Rank from, Rank to, Tag tag);
  [[nodiscard]] const TransferPath& path() const { return messages_.cost().path(); }

  // The sides must stay where they are until they are done or withdrawn.
  void post_send(MessageSide& send);
  /// The same, for a message sent with Returns; its answer comes on `answers`.
  void post_lent(MessageSide& send, Stream& answers);
  void post_recv(MessageSide& recv);
  void withdraw(MessageSide& side) noexcept;

 private:
  friend class Streams;
  void begin_next();
  void start_flow();
  void end_flow();

  Streams* all_;
  Platform* platform_;
  Rank from_;
  Rank to_;
  Tag tag_;
  MessageStream messages_;
  NetworkFlow flow_;  // of the message on the wire
};

/// All streams of a simulation.
class Streams {
 public:
  Streams(Platform& platform, TrafficOptions options);
  [[nodiscard]] Stream& between(Rank from, Rank to, Tag tag);
  /// Returns when a message of this rank, the current one, has arrived.
  void wait_for_any(Rank rank);
  /// From now on flows that end start no others: the simulation is being torn down.
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] std::vector<PairTraffic> traffic() const;
  /// The sum of the overheads of the messages that a rank has sent.
  [[nodiscard]] Seconds overheads(Rank rank) const {
    return overheads_[static_cast<std::size_t>(index_of(rank))];
  }
  [[nodiscard]] const std::vector<DeliveredMessage>& messages() const { return messages_; }

 private:
  friend class Stream;
  /// Starts the flow of the stream's current message at the current time, but not in this call:
  /// only the kernel may start flows, and entering it for each would switch to all other ranks.
  void begin_soon(Stream& stream);
  void add_overhead(const Stream& stream);
  void delivered(const DeliveredMessage& message);
  void wake_for(const MessageSide& done, Rank rank) const;

  Platform* platform_;
  TrafficOptions options_;
  bool stopped_ = false;
  std::uint64_t delivered_ = 0;
  std::map<std::tuple<Rank, Rank, Tag>, Stream> streams_;
  std::vector<Stream*> beginning_;
  std::vector<bool> awaits_any_;    // by rank
  std::vector<Seconds> overheads_;  // likewise
  std::vector<DeliveredMessage> messages_;
};

}  // namespace ringcast
