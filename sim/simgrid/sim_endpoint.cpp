#include "sim/simgrid/sim_endpoint.hpp"

#include <algorithm>

#include "engine/contracts/contract_checks.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

class SimEndpoint::SendOperation final : public Pending::Operation {
 public:
  SendOperation(SimShared& shared, Stream& stream, Slice source, const HostMemory* data)
      : shared_{&shared}, stream_{&stream}, side{source.length} {
    if (data != nullptr) {
      // Copied now: when the flow ends both sides wake at one instant, and the sender may overwrite
      // its slice before the receiver has looked at it.
      const auto bytes = data->find(source);
      side.bytes.assign(bytes.begin(), bytes.end());
    }
  }
  void wait() override {
    shared_->wait(side, stream_->from(), {true, stream_->to(), side.length, stream_->tag()});
  }
  void cancel() noexcept override { stream_->withdraw(side); }

 private:
  SimShared* shared_;
  Stream* stream_;

 public:
  MessageSide side;
};

class SimEndpoint::RecvOperation final : public Pending::Operation {
 public:
  RecvOperation(SimEndpoint& owner, Stream& stream, Slice into, bool accumulating)
      : owner_{&owner}, stream_{&stream}, into_{into}, accumulating_{accumulating} {
    side_.length = into.length;
    side_.posted = owner.shared_.clocks.now();
    side_.limit = accumulating ? owner.reduction_.cost.rate : BytesPerSecond{0};
    stream.post_recv(side_);
  }

  void wait() override {
    owner_->shared_.wait(side_, stream_->to(),
                         {false, stream_->from(), into_.length, stream_->tag()});
    if (stream_->path().copy_up) {
      owner_->shared_.clocks.catch_up();
      owner_->shared_.platform.copy(stream_->to(), CopyDirection::to_device, into_.length);
    }
    finish_recv(owner_->reduction_,
                {stream_->from(), stream_->to(), stream_->tag(), side_.sent_length, side_.bytes},
                into_, accumulating_);
  }
  void cancel() noexcept override { stream_->withdraw(side_); }

 private:
  SimEndpoint* owner_;
  Stream* stream_;
  Slice into_;
  bool accumulating_;
  MessageSide side_{};
};

void SimShared::wait(MessageSide& side, Rank rank, const BlockedRanks::On& on) {
  if (side.is_done) {
    return;
  }
  side.is_awaited = true;
  const BlockedHere here{blocked, rank, on};
  while (!side.is_done) {
    platform.block();
  }
}

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
  auto operation = std::make_unique<SendOperation>(shared_, out, source, reduction_.data);
  if (out.path().copy_down) {
    shared_.clocks.catch_up();
    shared_.platform.copy(rank_, CopyDirection::to_host, source.length);
  }
  operation->side.posted = shared_.clocks.now();
  if (returns) {
    out.post_lent(operation->side, stream(incoming_, to, *returns));
  } else {
    out.post_send(operation->side);
  }
  return Pending{std::move(operation)};
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
