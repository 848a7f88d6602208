#include <algorithm>

#include <gtest/gtest.h>

#include "engine/collectives/algorithms.hpp"
#include "engine/numbers/error.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

/// Counts a rank's sends from the call to the end of the wait.
class SendCounter final : public Endpoint {
 public:
  explicit SendCounter(Endpoint& network) : network_{&network} {}
  [[nodiscard]] int most() const { return most_; }
  [[nodiscard]] Rank rank() const override { return network_->rank(); }
  [[nodiscard]] int size() const override { return network_->size(); }
  [[nodiscard]] Seconds now() const override { return network_->now(); }
  Pending send(Rank to, Slice source, Tag tag, Returns returns) override {
    most_ = std::max(most_, ++in_flight_);
    return Pending{
        std::make_unique<CountedSend>(in_flight_, network_->send(to, source, tag, returns))};
  }
  Pending recv(Rank from, Slice destination, Tag tag) override {
    return network_->recv(from, destination, tag);
  }
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override {
    return network_->recv_accumulate(from, into, tag);
  }

 private:
  class CountedSend final : public Pending::Operation {
   public:
    CountedSend(int& in_flight, Pending send) : in_flight_{&in_flight}, send_{std::move(send)} {}
    void wait() override {
      send_.wait();
      --*in_flight_;
    }
    void cancel() noexcept override {}

   private:
    int* in_flight_;
    Pending send_;
  };

  Endpoint* network_;
  int in_flight_ = 0;
  int most_ = 0;
};

// 2000 segments of one element on each of two channels: a window of max_in_flight on each, to which
// the next send is added before the wait for the oldest.
TEST(RingBroadcast, BoundsTheSendsInFlight) {
  const CollectiveOptions options{{RingOrder::identity(3), RingOrder::identity(3)}, 4_B};
  const auto broadcast = make_ring_broadcast(options, Rank{0});
  ReferenceTransport{3, Reduction{}}.run([&](RankContext& self) {
    SendCounter network{self.network};
    RankContext counted{network, self.memory, self.reducer, self.processor};
    broadcast->run({self.memory.allocate(16'000_B), 4000}, counted);
    if (self.network.rank() == Rank{0}) {
      EXPECT_EQ(network.most(), 2 * max_in_flight + 1);
    }
  });
}

TEST(RingBroadcast, RefusesARootOutsideOfTheRingAndARingOfOtherRanksThanTheJob) {
  const CollectiveOptions options{{RingOrder::identity(3)}, std::nullopt};
  for (const int root : {-1, 3}) {
    EXPECT_THROW(static_cast<void>(make_ring_broadcast(options, Rank{root})), ContractViolation);
  }
  const auto broadcast = make_ring_broadcast(options, Rank{0});
  for (const int ranks : {2, 4}) {
    EXPECT_THROW((ReferenceTransport{ranks, Reduction{}}.run([&](RankContext& self) {
                   broadcast->run({self.memory.allocate(4_B), 1}, self);
                 })),
                 ContractViolation);
  }
}

}  // namespace
}  // namespace ringcast
