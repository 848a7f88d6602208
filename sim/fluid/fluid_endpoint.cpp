#include "sim/fluid/fluid_endpoint.hpp"

#include <algorithm>

#include "engine/contracts/contract_checks.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

namespace {

class FluidExecution final : public Pending::Operation {
 public:
  FluidExecution(const FluidRank& self, Seconds duration)
      : self_{self}, end_{self.simulation.own_time() + duration} {}
  void wait() override { self_.simulation.sleep(self_.index, end_ - self_.simulation.own_time()); }
  void cancel() noexcept override {}

 private:
  FluidRank self_;
  Seconds end_;
};

}  // namespace

Pending execute_on(const FluidRank& self, Seconds duration) {
  return Pending{std::make_unique<FluidExecution>(self, duration)};
}

class FluidEndpoint::SendOperation final : public Pending::Operation {
 public:
  SendOperation(FluidEndpoint& owner, StreamKey key, Slice source)
      : owner_{&owner}, key_{key}, stream_{owner.stream(key.from, key.to, key.tag)} {
    side.length = source.length;
    if (owner.self_.reduction.data != nullptr) {
      // Copied now: the sender may overwrite its slice at the instant at which the flow ends.
      const auto bytes = owner.self_.reduction.data->find(source);
      side.bytes.assign(bytes.begin(), bytes.end());
    }
  }
  void wait() override {
    const BlockedHere blocked{
        owner_->self_.blocked, key_.from, {true, key_.to, side.length, key_.tag}};
    simulation().wait(owner_->self_.index, side);
  }
  void cancel() noexcept override { simulation().withdraw(stream_, side); }

  [[nodiscard]] int stream() const { return stream_; }
  MessageSide side{};

 private:
  [[nodiscard]] FluidSimulation& simulation() const { return owner_->self_.simulation; }
  FluidEndpoint* owner_;
  StreamKey key_;
  int stream_;
};

class FluidEndpoint::RecvOperation final : public Pending::Operation {
 public:
  RecvOperation(FluidEndpoint& owner, StreamKey key, Slice into, bool accumulating)
      : owner_{&owner},
        key_{key},
        stream_{owner.stream(key.from, key.to, key.tag)},
        into_{into},
        accumulating_{accumulating} {
    side_.length = into.length;
    side_.limit = accumulating ? owner.self_.reduction.cost.rate : BytesPerSecond{0};
    owner.self_.simulation.post_recv(stream_, side_);
  }

  void wait() override {
    FluidRank& self = owner_->self_;
    {
      const BlockedHere blocked{self.blocked, key_.to, {false, key_.from, into_.length, key_.tag}};
      self.simulation.wait(self.index, side_);
    }
    if (self.job.streams[static_cast<std::size_t>(stream_)].path->copy_up) {
      self.simulation.copy(self.index, CopyDirection::to_device, into_.length);
    }
    finish_recv(self.reduction, {key_.from, key_.to, key_.tag, side_.sent_length, side_.bytes},
                into_, accumulating_);
  }
  void cancel() noexcept override { owner_->self_.simulation.withdraw(stream_, side_); }

 private:
  FluidEndpoint* owner_;
  StreamKey key_;
  int stream_;
  Slice into_;
  bool accumulating_;
  MessageSide side_{};
};

FluidEndpoint::FluidEndpoint(FluidRank self, Memory& memory, Reducer& reducer)
    : self_{self}, composed_{*this, memory, reducer} {}

int FluidEndpoint::stream(Rank from, Rank to, Tag tag) {
  const StreamKey key{from, to, tag};
  const auto known = std::ranges::find(known_, key, &Known::key);
  if (known != known_.end()) {
    return known->stream;
  }
  const auto found = self_.job.stream_of.find(key);
  expect(found != self_.job.stream_of.end(), "no stream from rank {} to {} under tag {}",
         index_of(from), index_of(to), static_cast<int>(tag));
  constexpr std::size_t most_known = 32;
  if (known_.size() < most_known) {
    known_.push_back({key, found->second});
  }
  return found->second;
}

Pending FluidEndpoint::send(Rank to, Slice source, Tag tag, Returns returns) {
  expect_valid_message(*this, to, source);
  auto operation = std::make_unique<SendOperation>(*this, StreamKey{rank(), to, tag}, source);
  const int out = operation->stream();
  if (self_.job.streams[static_cast<std::size_t>(out)].path->copy_down) {
    self_.simulation.copy(self_.index, CopyDirection::to_host, source.length);
  }
  if (returns) {
    self_.simulation.post_lent(out, operation->side, stream(to, rank(), *returns));
  } else {
    self_.simulation.post_send(out, operation->side);
  }
  return Pending{std::move(operation)};
}

Pending FluidEndpoint::recv(Rank from, Slice destination, Tag tag) {
  expect_valid_message(*this, from, destination);
  return Pending{
      std::make_unique<RecvOperation>(*this, StreamKey{from, rank(), tag}, destination, false)};
}

Pending FluidEndpoint::recv_accumulate(Rank from, Slice into, Tag tag) {
  expect_whole_elements(into, size_of(self_.reduction.reduction.type));
  if (!self_.paths.profile().fused_reduction) {
    return composed_.start(from, into, tag);
  }
  expect_valid_message(*this, from, into);
  return Pending{std::make_unique<RecvOperation>(*this, StreamKey{from, rank(), tag}, into, true)};
}

}  // namespace ringcast
