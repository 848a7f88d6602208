#include "sim/simgrid/streams.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ringcast {

Stream::Stream(Streams& all, Platform& platform, simgrid::s4u::Mailbox& mailbox, Rank from, Rank to,
               Tag tag)
    : all_{&all},
      platform_{&platform},
      from_{from},
      to_{to},
      tag_{tag},
      mailbox_{&mailbox},
      cost_{platform.paths(), platform.paths().between(from, to)},
      traffic_{from, to, 0, Bytes{0}, Bytes{0}} {}

void Stream::post_send(const std::shared_ptr<Message>& message) {
  if (owed_ > 0) {
    --owed_;
    message->is_lent = cost_.lends();
  }
  const Bytes wire = cost_.on_wire(message->length, message->is_lent);
  platform_->note_length(path(), wire, message->length);
  message->comm = Comm::sender(*mailbox_, wire, message.get());
  untaken_.push_back(message);
  if (active_ || !queued_.empty()) {
    queued_.push_back(message);
  } else {
    start(message);
  }
}

void Stream::post_lent(const std::shared_ptr<Message>& message, Stream& answers) {
  ++answers.owed_;
  message->is_lent = cost_.lends();
  post_send(message);
}

void Stream::wait_sent(Message& message) {
  while (!message.started) {
    Comm ahead = active_->comm;  // a copy: the stream lets go of it when its flow ends
    ahead.wait();
  }
  message.comm.wait();
}

void Stream::withdraw(const std::shared_ptr<Message>& message) noexcept {
  if (message->started) {
    all_->flow_withdrawn(*message);
    message->comm.cancel();
  }
  if (active_ == message) {
    active_ = nullptr;
  }
  queued_.remove(message);
  untaken_.remove(message);
}

void Stream::post_recv(PostedRecv& recv, Bytes length, BytesPerSecond limit) {
  recv.limit = cost_.limit(length, limit, next_recv_meets_lent());
  recv.comm = Comm::receiver(*mailbox_, recv.received);
  if (recv.limit > BytesPerSecond{0}) {
    recv.comm.limit_rate(recv.limit);
  }
  waiting_recvs_.push_back(&recv);
  start(recv.comm, active_ && waiting_recvs_.size() == 1);
}

std::shared_ptr<Message> Stream::take(const PostedRecv& recv) {
  // Nearly always the oldest.
  std::size_t place = 0;
  while (untaken_[place].get() != recv.received) {
    ++place;
  }
  std::shared_ptr<Message> message = untaken_[place];
  untaken_.remove(message);
  return message;
}

void Stream::withdraw(const PostedRecv& recv) noexcept {
  waiting_recvs_.remove(&recv);
  Comm comm = recv.comm;
  comm.cancel();
}

void Stream::start(const std::shared_ptr<Message>& message) {
  active_ = message;
  if (!message->is_lent && !waiting_recvs_.empty() &&
      waiting_recvs_.front()->limit > BytesPerSecond{0}) {
    message->comm.limit_rate(waiting_recvs_.front()->limit);
  }
  start(message->comm, !waiting_recvs_.empty());
  message->started = true;
  all_->flow_started(*message, *this);
}

/// Starts one side of a message. Where it meets the other and a rank is ahead of the simulation,
/// the flow waits for that rank.
void Stream::start(Comm& side, bool meets_other) {
  const Seconds now = platform_->now();
  const Seconds posted =
      meets_other ? std::max(active_->posted, waiting_recvs_.front()->posted) : now;
  if (posted <= now) {
    side.start();
    return;
  }
  const Seconds latency = posted - now + cost_.delay(active_->length);
  platform_->in_kernel([&] {
    platform_->override_next_latency(latency);
    side.start();
  });
}

void Stream::start_next() {
  if (active_ || queued_.empty()) {
    return;
  }
  const std::shared_ptr<Message> next = queued_.pop_front();
  if (!waiting_recvs_.empty()) {
    platform_->override_next_latency(
        std::max(cost_.overhead(), ready_time(*next) - platform_->now()));
  }
  start(next);
}

/// Whether the message that meets a recv posted now has been sent, with Returns.
bool Stream::next_recv_meets_lent() {
  const std::size_t place = waiting_recvs_.size();
  const std::size_t active = active_ ? 1 : 0;
  if (place < active) {
    return active_->is_lent;
  }
  return place - active < queued_.size() && queued_[place - active]->is_lent;
}

/// The time at which a message that meets the oldest waiting recv could take a free wire.
Seconds Stream::ready_time(const Message& message) const {
  return cost_.ready(message.posted, waiting_recvs_.front()->posted, message.length);
}

DeliveredMessage Stream::describe_active() const {
  const Seconds first_byte = cost_.begin(ready_time(*active_), last_end_);
  return {from_, to_, tag_, active_->length, first_byte, platform_->now()};
}

void Stream::end_active() {
  ++traffic_.messages;
  traffic_.bytes += active_->length;
  traffic_.on_cables += cost_.on_wire(active_->length, active_->is_lent);
  waiting_recvs_.pop_front();
  active_ = nullptr;
  last_end_ = platform_->now();
}

Streams::Streams(Platform& platform, TrafficOptions options)
    : platform_{&platform}, options_{std::move(options)} {
  platform.on_flow_end([this](const void* communication) { flow_ended(communication); });
}

Stream& Streams::between(Rank from, Rank to, Tag tag) {
  const auto key = std::tuple{from, to, tag};
  const auto known = streams_.find(key);
  if (known != streams_.end()) {
    return *known->second;
  }
  // Asking for a mailbox lets other ranks run, and the peer may have made the stream when it comes.
  simgrid::s4u::Mailbox* const mailbox = platform_->mailbox(
      fmt::format("{}>{}#{}", index_of(from), index_of(to), static_cast<int>(tag)));
  std::unique_ptr<Stream>& stream = streams_[key];
  if (!stream) {
    stream = std::make_unique<Stream>(*this, *platform_, *mailbox, from, to, tag);
  }
  return *stream;
}

void Streams::flow_started(const Message& message, Stream& stream) {
  on_wire_[message.comm.id()] = &stream;
}

void Streams::flow_withdrawn(const Message& message) {
  on_wire_.erase(message.comm.id());
}

void Streams::flow_ended(const void* communication) {
  const auto found = on_wire_.find(communication);
  if (stopped_ || found == on_wire_.end()) {
    return;
  }
  Stream& stream = *found->second;
  on_wire_.erase(found);
  if (options_.record_messages) {
    messages_.push_back(stream.describe_active());
  }
  stream.end_active();
  if (++delivered_ % 4096 == 0 && options_.progress) {
    options_.progress(delivered_);
  }
  if (!stream.queued_.empty()) {
    platform_->after_flow_updates([this, &stream] {
      if (!stopped_) {
        stream.start_next();
      }
    });
  }
}

std::vector<PairTraffic> Streams::traffic() const {
  std::map<std::pair<Rank, Rank>, PairTraffic> pairs;
  for (const auto& [key, stream] : streams_) {
    PairTraffic& pair =
        pairs
            .try_emplace({stream->from_, stream->to_},
                         PairTraffic{stream->from_, stream->to_, 0, Bytes{0}, Bytes{0}})
            .first->second;
    pair.messages += stream->traffic_.messages;
    pair.bytes += stream->traffic_.bytes;
    pair.on_cables += stream->traffic_.on_cables;
    ++pair.streams;
  }
  std::vector<PairTraffic> all;
  all.reserve(pairs.size());
  for (const auto& [key, pair] : pairs) {
    all.push_back(pair);
  }
  return all;
}

}  // namespace ringcast
