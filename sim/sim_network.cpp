#include "sim/sim_network.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include "engine/composed_accumulate.hpp"
#include "engine/error.hpp"

namespace ringcast {

namespace s4u = simgrid::s4u;

struct SimNetwork::Message {
  Bytes length;
  std::vector<std::byte> bytes;  // empty when only sizes travel
  Seconds posted{0};
  s4u::CommPtr put;
  bool started = false;
};

/// The messages of one tag from one rank to another. SimGrid would let several of them share the
/// path; here the second starts when the first has ended, as on one connection.
struct SimNetwork::Stream {
  Rank from;
  Rank to;
  Tag tag;
  s4u::Mailbox* mailbox = nullptr;
  std::deque<std::shared_ptr<Message>> untaken;  // posted by the sender, not yet by the receiver
  std::uint64_t taken = 0;                       // how many went before untaken.front()
  std::uint64_t receives = 0;                    // how many recvs were posted
  std::deque<Seconds> waiting_receives;          // posting times, for messages not delivered yet
  std::shared_ptr<Message> active;               // on the wire, or waiting for its recv
  std::deque<std::shared_ptr<Message>> queued;   // behind it
  std::uint64_t delivered = 0;
  Bytes delivered_bytes;
  Seconds last_end{0};
};

struct SimNetwork::BlockedOn {
  bool sending;
  Rank peer;
  Bytes length;
  Tag tag;
};

struct SimNetwork::State {
  Platform* platform;
  TransportProfile profile;
  Options options;
  bool stopping = false;
  std::uint64_t delivered = 0;
  std::map<std::tuple<Rank, Rank, Tag>, std::unique_ptr<Stream>> streams;
  std::unordered_map<const void*, Stream*> on_wire;
  std::vector<DeliveredMessage> messages;
  std::vector<std::optional<BlockedOn>> blocked;  // by rank

  Stream& stream(Rank from, Rank to, Tag tag) {
    std::unique_ptr<Stream>& found = streams[{from, to, tag}];
    if (!found) {
      found = std::make_unique<Stream>();
      found->from = from;
      found->to = to;
      found->tag = tag;
      found->mailbox = s4u::Mailbox::by_name(
          fmt::format("{}>{}#{}", index_of(from), index_of(to), static_cast<int>(tag)));
    }
    return *found;
  }

  void start(Stream& stream, std::shared_ptr<Message> message) {
    message->put->start();
    message->started = true;
    on_wire[message->put->get_impl()] = &stream;
    stream.active = std::move(message);
  }

  /// In the simulation's kernel, at the end of a flow.
  void flow_ended(const void* communication) {
    const auto found = on_wire.find(communication);
    if (stopping || found == on_wire.end()) {
      return;
    }
    Stream& stream = *found->second;
    on_wire.erase(found);
    record(stream);
    stream.active = nullptr;
    if (!stream.queued.empty()) {
      // The kernel is in the middle of updating its flows: start the next one when it is done.
      simgrid::kernel::timer::Timer::set(platform->now().count(),
                                         [this, &stream] { start_queued(stream); });
    }
  }

  void start_queued(Stream& stream) {
    if (stopping || stream.active || stream.queued.empty()) {
      return;
    }
    std::shared_ptr<Message> next = std::move(stream.queued.front());
    stream.queued.pop_front();
    if (!stream.waiting_receives.empty()) {
      const Seconds matched = std::max(next->posted, stream.waiting_receives.front());
      const Seconds arrival = matched + platform->latency(stream.from, stream.to);
      platform->override_next_latency(std::max(Seconds{0}, arrival - platform->now()));
    }
    start(stream, std::move(next));
  }

  void record(Stream& stream) {
    const Message& message = *stream.active;
    const Seconds now = platform->now();
    const Seconds matched = std::max(message.posted, stream.waiting_receives.front());
    stream.waiting_receives.pop_front();
    ++stream.delivered;
    stream.delivered_bytes += message.length;
    if (options.record_messages) {
      const Seconds ready = matched + platform->latency(stream.from, stream.to);
      messages.push_back({stream.from, stream.to, stream.tag, message.length,
                          std::max(ready, stream.last_end), now});
    }
    stream.last_end = now;
    if (++delivered % 4096 == 0 && options.progress) {
      options.progress(delivered);
    }
  }
};

/// Notes what a rank is blocked on, for as long as it is.
class SimNetwork::BlockedHere {
 public:
  BlockedHere(State& state, Rank rank, BlockedOn on)
      : slot_{&state.blocked[static_cast<std::size_t>(index_of(rank))]} {
    *slot_ = on;
  }
  BlockedHere(const BlockedHere&) = delete;
  BlockedHere& operator=(const BlockedHere&) = delete;
  ~BlockedHere() { slot_->reset(); }

 private:
  std::optional<BlockedOn>* slot_;
};

class SimNetwork::SendOperation final : public Pending::Operation {
 public:
  SendOperation(State& state, Stream& stream, std::shared_ptr<Message> message)
      : state_{&state}, stream_{&stream}, message_{std::move(message)} {}

  void wait() override {
    const BlockedHere blocked{
        *state_, stream_->from, {true, stream_->to, message_->length, stream_->tag}};
    while (!message_->started) {
      const s4u::CommPtr ahead = stream_->active->put;
      ahead->wait();
    }
    message_->put->wait();
  }
  void cancel() noexcept override {
    if (state_->stopping) {
      return;
    }
    if (message_->started) {
      message_->put->cancel();
    } else {
      std::erase(stream_->queued, message_);
    }
    std::erase(stream_->untaken, message_);
  }

 private:
  State* state_;
  Stream* stream_;
  std::shared_ptr<Message> message_;
};

class SimNetwork::RecvOperation final : public Pending::Operation {
 public:
  /// `reduction` is null for a plain receive, `data` where only sizes travel.
  RecvOperation(State& state, Stream& stream, Slice into, HostMemory* data,
                const Reduction* reduction)
      : state_{&state},
        stream_{&stream},
        index_{stream.receives++},
        into_{into},
        data_{data},
        reduction_{reduction},
        get_{stream.mailbox->get_init()} {
    stream.waiting_receives.push_back(state.platform->now());
    if (reduction_ != nullptr && state.profile.reduce_rate > BytesPerSecond{0}) {
      get_->set_rate(state.profile.reduce_rate.value());
    }
    get_->start();
  }

  void wait() override {
    {
      const BlockedHere blocked{
          *state_, stream_->to, {false, stream_->from, into_.length, stream_->tag}};
      get_->wait();
    }
    const std::shared_ptr<Message> message = take();
    if (message->length != into_.length) {
      throw TransportError{
          fmt::format("rank {}: recv of {} bytes from rank {} under tag {} met a send of {} bytes",
                      index_of(stream_->to), into_.length.count(), index_of(stream_->from),
                      static_cast<int>(stream_->tag), message->length.count())};
    }
    if (data_ == nullptr) {
      return;
    }
    if (reduction_ != nullptr) {
      accumulate_bytes(*reduction_, data_->find(into_), message->bytes);
    } else {
      data_->write(into_, message->bytes);
    }
  }
  void cancel() noexcept override {
    if (!state_->stopping) {
      get_->cancel();
    }
  }

 private:
  std::shared_ptr<Message> take() {
    auto& untaken = stream_->untaken;
    std::shared_ptr<Message> message = std::move(untaken[index_ - stream_->taken]);
    while (!untaken.empty() && !untaken.front()) {
      untaken.pop_front();
      ++stream_->taken;
    }
    return message;
  }

  State* state_;
  Stream* stream_;
  std::uint64_t index_;
  Slice into_;
  HostMemory* data_;
  const Reduction* reduction_;
  s4u::CommPtr get_;
};

class SimNetwork::SimEndpoint final : public Endpoint {
 public:
  SimEndpoint(State& state, Rank rank, Memory& memory, HostMemory* data, Reducer& reducer)
      : state_{&state},
        rank_{rank},
        data_{data},
        reduction_{reducer.reduction()},
        composed_{*this, memory, reducer} {}

  [[nodiscard]] Rank rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return state_->platform->ranks(); }
  [[nodiscard]] Seconds now() const override { return state_->platform->now(); }

  Pending send(Rank to, Slice source, Tag tag) override {
    check(to, source);
    Stream& stream = state_->stream(rank_, to, tag);
    auto message = std::make_shared<Message>();
    message->length = source.length;
    message->posted = now();
    message->put = stream.mailbox->put_init();
    message->put->set_payload_size(source.length.count());
    if (data_ != nullptr) {
      // Copied now: when the flow ends both sides wake at one instant, and the sender may overwrite
      // its slice before the receiver has looked at it.
      const auto bytes = data_->find(source);
      message->bytes.assign(bytes.begin(), bytes.end());
    }
    stream.untaken.push_back(message);
    if (stream.active || !stream.queued.empty()) {
      stream.queued.push_back(message);
    } else {
      state_->start(stream, message);
    }
    return Pending{std::make_unique<SendOperation>(*state_, stream, std::move(message))};
  }

  Pending recv(Rank from, Slice destination, Tag tag) override {
    return receive(from, destination, tag, nullptr);
  }
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override {
    return state_->profile.fused_reduction ? receive(from, into, tag, &reduction_)
                                           : composed_.start(from, into, tag);
  }

 private:
  void check(Rank peer, Slice slice) const {
    expect(index_of(peer) >= 0 && index_of(peer) < size() && peer != rank_,
           "rank {} exchanges a message with rank {} of {}", index_of(rank_), index_of(peer),
           size());
    expect(slice.length > Bytes{0}, "rank {} exchanges an empty message with rank {}",
           index_of(rank_), index_of(peer));
  }
  Pending receive(Rank from, Slice into, Tag tag, const Reduction* reduction) {
    check(from, into);
    return Pending{std::make_unique<RecvOperation>(*state_, state_->stream(from, rank_, tag), into,
                                                   data_, reduction)};
  }

  State* state_;
  Rank rank_;
  HostMemory* data_;
  Reduction reduction_;
  ComposedAccumulate composed_;
};

SimNetwork::SimNetwork(Platform& platform, const TransportProfile& profile, Options options)
    : state_{std::make_unique<State>()} {
  state_->platform = &platform;
  state_->profile = profile;
  state_->options = std::move(options);
  state_->blocked.resize(static_cast<std::size_t>(platform.ranks()));
  platform.on_flow_end(
      [state = state_.get()](const void* communication) { state->flow_ended(communication); });
}

SimNetwork::~SimNetwork() = default;

std::unique_ptr<Endpoint> SimNetwork::endpoint(Rank rank, Memory& memory, HostMemory* data,
                                               Reducer& reducer) {
  return std::make_unique<SimEndpoint>(*state_, rank, memory, data, reducer);
}

void SimNetwork::stop() {
  state_->stopping = true;
}

std::string SimNetwork::blocked_ranks() const {
  constexpr int named = 4;
  std::string text;
  int blocked = 0;
  for (std::size_t rank = 0; rank < state_->blocked.size(); ++rank) {
    const std::optional<BlockedOn>& on = state_->blocked[rank];
    if (on && ++blocked <= named) {
      text += fmt::format("{}rank {} waits to {} {} bytes {} rank {} under tag {}",
                          text.empty() ? "" : ", ", rank, on->sending ? "send" : "receive",
                          on->length.count(), on->sending ? "to" : "from", index_of(on->peer),
                          static_cast<int>(on->tag));
    }
  }
  return blocked > named ? fmt::format("{}, and {} more", text, blocked - named) : text;
}

std::vector<PairTraffic> SimNetwork::traffic() const {
  std::map<std::pair<Rank, Rank>, PairTraffic> pairs;
  for (const auto& [key, stream] : state_->streams) {
    PairTraffic& pair = pairs[{stream->from, stream->to}];
    pair.from = stream->from;
    pair.to = stream->to;
    pair.messages += stream->delivered;
    pair.bytes += stream->delivered_bytes;
  }
  std::vector<PairTraffic> all;
  for (const auto& [key, pair] : pairs) {
    all.push_back(pair);
  }
  return all;
}

const std::vector<DeliveredMessage>& SimNetwork::messages() const {
  return state_->messages;
}

}  // namespace ringcast
