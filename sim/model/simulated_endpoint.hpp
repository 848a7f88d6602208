#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/contracts/composed_accumulate.hpp"
#include "engine/contracts/contract_checks.hpp"
#include "sim/model/blocked_ranks.hpp"
#include "sim/model/message_stream.hpp"
#include "sim/model/pooled.hpp"
#include "sim/model/simulated_reducer.hpp"

namespace ringcast {

/// The network of one simulated rank. `Backend` provides what differs between backends, for that
/// rank:
/// - rank(), size(), now(), repeats() as Endpoint; profile()
/// - stream(key): a `Backend::Stream`, the handle of a stream that begins or ends at the rank;
///   path_of() the handle
/// - post_send(), post_lent(), post_recv(), withdraw(): as those of MessageStream, on such a stream
/// - wait(side, on): blocks the rank until its side of the message is done
/// - wait_for_any(on): blocks the rank until its side of any message is done
/// - may_be_done(): false if the rank has waited for all of its sides that are done
/// - catch_up(): blocks the rank until the simulation's time is the rank's own, which may be ahead
/// - copy(direction, size): the rank copies between its GPU and the host
template <typename Backend>
class SimulatedEndpoint final : public Endpoint {
 public:
  SimulatedEndpoint(Backend backend, RankReduction reduction, Memory& memory, Reducer& reducer)
      : backend_{std::move(backend)}, reduction_{reduction}, composed_{*this, memory, reducer} {}

  [[nodiscard]] Rank rank() const override { return backend_.rank(); }
  [[nodiscard]] int size() const override { return backend_.size(); }
  [[nodiscard]] Seconds now() const override { return backend_.now(); }
  [[nodiscard]] std::int64_t repeats(AlikeRounds rounds) override {
    return reduction_.data == nullptr ? backend_.repeats(rounds) : 0;
  }
  [[nodiscard]] std::optional<std::size_t> first_done(
      std::span<const Pending* const> operations) override {
    backend_.catch_up();
    while (true) {
      if (const auto done = find_done(operations)) return done;
      backend_.wait_for_any({false, Rank{}, Bytes{}, Tag{}, operations});
    }
  }
  Pending send(Rank to, Slice source, Tag tag, Returns returns) override {
    expect_valid_message(*this, to, source);
    reduction_.expect_inside(source);
    return Pending{std::make_unique<Send>(*this, StreamKey{rank(), to, tag}, source, returns)};
  }
  Pending recv(Rank from, Slice destination, Tag tag) override {
    return receive(from, destination, tag, false);
  }
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override {
    expect_whole_elements(into, size_of(reduction_.reduction.type));
    if (backend_.profile().fused_reduction) return receive(from, into, tag, true);
    reduction_.expect_inside(into);
    return composed_.start(from, into, tag);
  }

 private:
  using Stream = typename Backend::Stream;

  [[nodiscard]] std::optional<std::size_t> find_done(
      std::span<const Pending* const> operations) const {
    if (!backend_.may_be_done()) return std::nullopt;
    const auto done = std::ranges::find_if(
        operations, [](const Pending* each) { return each != nullptr && each->is_done(); });
    if (done == operations.end()) return std::nullopt;
    return static_cast<std::size_t>(done - operations.begin());
  }

  class Operation : public Pending::Operation {
   public:
    Operation(SimulatedEndpoint& owner, StreamKey key, Bytes length)
        : owner_{&owner}, key_{key}, stream_{owner.backend_.stream(key)} {
      side_.length = length;
    }
    void cancel() noexcept override { backend().withdraw(stream_, side_); }
    [[nodiscard]] bool is_done() const override {
      backend().catch_up();
      return side_.is_done;
    }

   protected:
    [[nodiscard]] Backend& backend() const { return owner_->backend_; }

    SimulatedEndpoint* owner_;
    StreamKey key_;
    Stream stream_;
    MessageSide side_{};
  };

  class Send final : public Operation, public Pooled<Send> {
   public:
    Send(SimulatedEndpoint& owner, StreamKey key, Slice source, Returns returns)
        : Operation{owner, key, source.length} {
      if (owner.reduction_.data != nullptr) {
        // Copied now: when the flow ends both sides wake at one instant, and the sender may
        // overwrite its slice before the receiver has read it.
        const auto bytes = owner.reduction_.data->find(source);
        side_.bytes.assign(bytes.begin(), bytes.end());
      }
      if (backend().path_of(stream_).copy_down) {
        backend().copy(CopyDirection::to_host, source.length);
      }
      if (returns) {
        backend().post_lent(stream_, side_, backend().stream({key.to, key.from, *returns}));
      } else {
        backend().post_send(stream_, side_);
      }
    }
    void wait() override { backend().wait(side_, {true, key_.to, side_.length, key_.tag}); }

   private:
    using Operation::backend, Operation::key_, Operation::side_, Operation::stream_;
  };

  class Receive final : public Operation, public Pooled<Receive> {
   public:
    Receive(SimulatedEndpoint& owner, StreamKey key, Slice into, bool accumulating)
        : Operation{owner, key, into.length}, into_{into}, accumulating_{accumulating} {
      side_.limit = accumulating ? owner.reduction_.cost.rate : BytesPerSecond{0};
      backend().post_recv(stream_, side_);
    }
    void wait() override {
      backend().wait(side_, {false, key_.from, into_.length, key_.tag});
      if (backend().path_of(stream_).copy_up) {
        backend().copy(CopyDirection::to_device, into_.length);
      }
      finish_recv(owner_->reduction_,
                  {key_.from, key_.to, key_.tag, side_.sent_length, side_.bytes}, into_,
                  accumulating_);
    }

   private:
    using Operation::backend, Operation::key_, Operation::owner_, Operation::side_,
        Operation::stream_;
    Slice into_;
    bool accumulating_;
  };

  [[nodiscard]] Pending receive(Rank from, Slice into, Tag tag, bool accumulating) {
    expect_valid_message(*this, from, into);
    reduction_.expect_inside(into);
    return Pending{
        std::make_unique<Receive>(*this, StreamKey{from, rank(), tag}, into, accumulating)};
  }

  Backend backend_;
  RankReduction reduction_;
  ComposedAccumulate composed_;
};

}  // namespace ringcast
