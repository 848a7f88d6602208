#include "sim/simgrid/sim_endpoint.hpp"

#include <algorithm>

#include "engine/contracts/contract_checks.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
class SimEndpoint::SendOperation final : public Pending::Operation {
 public:
  SendOperation(SimShared& shared, Stream& stream, std::shared_ptr<Message> message)
      : shared_{&shared}, stream_{&stream}, message_{std::move(message)} {}

  void wait() override {
    const BlockedHere blocked{
        shared_->blocked, stream_->from(), {true, stream_->to(), message_->length, stream_->tag()}};
    stream_->wait_sent(*message_);
  }
  void cancel() noexcept override {
    if (!shared_->streams.stopped()) {
      stream_->withdraw(message_);
    }
  }

 private:
  SimShared* shared_;
  Stream* stream_;
  std::shared_ptr<Message> message_;
};

class SimEndpoint::RecvOperation final : public Pending::Operation {
 public:
  RecvOperation(SimEndpoint& owner, Stream& stream, Slice into, bool accumulating)
      : owner_{&owner}, stream_{&stream}, into_{into}, accumulating_{accumulating} {
    posted_.posted = owner.shared_.clocks.now();
    stream.post_recv(posted_, into.length,
                     accumulating ? owner.reduction_.cost.rate : BytesPerSecond{0});
  }

  void wait() override {
    {
      const BlockedHere blocked{owner_->shared_.blocked,
                                stream_->to(),
                                {false, stream_->from(), into_.length, stream_->tag()}};
      posted_.comm.wait();
    }
    if (stream_->path().copy_up) {
      owner_->shared_.clocks.catch_up();
      owner_->shared_.platform.copy(stream_->to(), CopyDirection::to_device, into_.length);
    }
    const std::shared_ptr<Message> message = stream_->take(posted_);
    finish_recv(owner_->reduction_,
                {stream_->from(), stream_->to(), stream_->tag(), message->length, message->bytes},
                into_, accumulating_);
  }
  void cancel() noexcept override {
    if (!owner_->shared_.streams.stopped()) {
      stream_->withdraw(posted_);
    }
  }

 private:
  SimEndpoint* owner_;
  Stream* stream_;
  Slice into_;
  bool accumulating_;
  PostedRecv posted_;
};

SimEndpoint::SimEndpoint(SimShared shared, Rank rank, RankReduction reduction, Memory& memory,
                         Reducer& reducer)
    : shared_{shared}, rank_{rank}, reduction_{reduction}, composed_{*this, memory, reducer} {}

Stream& SimEndpoint::stream(KnownStreams& known, Rank peer, Tag tag) {
  const std::uint64_t key = static_cast<std::uint64_t>(index_of(peer)) << 32U |
                            static_cast<std::uint32_t>(static_cast<int>(tag));
  auto found = std::lower_bound(
      known.begin(), known.end(), key,
      [](const KnownStream& entry, std::uint64_t wanted) { return entry.key < wanted; });
  if (found == known.end() || found->key != key) {
    Stream& added = &known == &outgoing_ ? shared_.streams.between(rank_, peer, tag)
                                         : shared_.streams.between(peer, rank_, tag);
    found = known.insert(found, {key, &added});
  }
  return *found->stream;
}

Pending SimEndpoint::send(Rank to, Slice source, Tag tag, Returns returns) {
  expect_valid_message(*this, to, source);
  Stream& out = stream(outgoing_, to, tag);
  auto message = std::make_shared<Message>();
  message->length = source.length;
  if (reduction_.data != nullptr) {
    // Copied now: when the flow ends both sides wake at one instant, and the sender may overwrite
    // its slice before the receiver has looked at it.
    const auto bytes = reduction_.data->find(source);
    message->bytes.assign(bytes.begin(), bytes.end());
  }
  if (out.path().copy_down) {
    shared_.clocks.catch_up();
    shared_.platform.copy(rank_, CopyDirection::to_host, source.length);
  }
  message->posted = shared_.clocks.now();
  if (returns) {
    out.post_lent(message, stream(incoming_, to, *returns));
  } else {
    out.post_send(message);
  }
  return Pending{std::make_unique<SendOperation>(shared_, out, std::move(message))};
}

Pending SimEndpoint::receive(Rank from, Slice into, Tag tag, bool accumulating) {
  expect_valid_message(*this, from, into);
  return Pending{
      std::make_unique<RecvOperation>(*this, stream(incoming_, from, tag), into, accumulating)};
}

Pending SimEndpoint::recv(Rank from, Slice destination, Tag tag) {
  return receive(from, destination, tag, false);
}

Pending SimEndpoint::recv_accumulate(Rank from, Slice into, Tag tag) {
  expect_whole_elements(into, size_of(reduction_.reduction.type));
  if (shared_.profile().fused_reduction) {
    return receive(from, into, tag, true);
  }
  return composed_.start(from, into, tag);
}

}  // namespace ringcast
