#include <tuple>

#include <gtest/gtest.h>

#include "tests/collective_checks.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

/// Forwards all calls, and checks that announced repetitions post the same operations.
class RoundWatch final : public Endpoint {
 public:
  explicit RoundWatch(Endpoint& network) : network_{&network} {}

  [[nodiscard]] Rank rank() const override { return network_->rank(); }
  [[nodiscard]] int size() const override { return network_->size(); }
  [[nodiscard]] Seconds now() const override { return network_->now(); }
  Pending send(Rank to, Slice source, Tag tag, Returns returns) override {
    note('s', to, source, tag);
    return network_->send(to, source, tag, returns);
  }
  Pending recv(Rank from, Slice destination, Tag tag) override {
    note('r', from, destination, tag);
    return network_->recv(from, destination, tag);
  }
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override {
    note('a', from, into, tag);
    return network_->recv_accumulate(from, into, tag);
  }
  [[nodiscard]] std::int64_t repeats(AlikeRounds rounds) override {
    // A round ends where the next is announced; the last of a loop has no such end.
    const bool goes_on = rounds.next == left_ - rounds.last;
    if (goes_on && !past_.empty()) {
      contract::require(posted_ == past_,
                        "rank {}: a round that posts otherwise, {} before the end",
                        index_of(rank()), rounds.next);
      ++compared_;
    }
    past_ = goes_on ? posted_ : Round{};
    posted_.clear();
    left_ = rounds.next;
    return 0;
  }
  [[nodiscard]] int compared() const { return compared_; }

 private:
  using Round = std::vector<std::tuple<char, int, int, std::uint64_t>>;

  void note(char kind, Rank peer, Slice slice, Tag tag) {
    posted_.emplace_back(kind, index_of(peer), static_cast<int>(tag), slice.length.count());
  }

  Endpoint* network_;
  Round posted_;
  Round past_;
  std::int64_t left_ = 0;
  int compared_ = 0;
};

/// The largest number of rounds that a rank compared.
int compared_rounds(const std::string& algorithm, const CollectiveOptions& options, int ranks,
                    std::uint64_t elements) {
  const Reduction reduction{ElementType::float32, Operation::sum};
  ReferenceTransport transport{ranks + static_cast<int>(options.servers.size()), reduction};
  std::vector<int> compared(static_cast<std::size_t>(transport.size()));
  transport.run([&](RankContext& self) {
    const Slice data = contract::allocate(self, elements * size_of(reduction.type).count());
    RoundWatch watch{self.network};
    RankContext watched{watch, self.memory, self.reducer, self.processor};
    make_allreduce(algorithm, options)->run({data.buffer, elements}, watched);
    compared[static_cast<std::size_t>(index_of(self.network.rank()))] = watch.compared();
  });
  return std::ranges::max(compared);
}

// A shard of 8,160 elements in segments of at most 64: 128, the first 8,160 mod 128 = 96 of which
// are one element longer. What a rank has in hand at once crosses from the longer to the shorter.
TEST(Repetition, AnnouncedRoundsRepeatTheLastOnes) {
  constexpr std::uint64_t shard = 8'160;
  for (const auto& [algorithm, ranks, reduce_first] : {std::tuple{"in-switch", 4, false},
                                                       {"tree", 4, false},
                                                       {"tree", 4, true},
                                                       {"ring", 16, false}}) {
    for (const int nodes : {1, 2}) {
      SCOPED_TRACE(fmt::format("{} on {} nodes, sums first: {}", algorithm, nodes, reduce_first));
      CollectiveOptions options{{contract::ring_of_channel(ranks, 1)}, 256_B};
      options.reduce_first = reduce_first;
      for (int rank = 0; rank < ranks; ++rank) {
        options.node_of.push_back(rank * nodes / ranks);
      }
      if (algorithm == std::string{"in-switch"}) {
        for (int part = 0; part < ranks; ++part) {
          options.servers.push_back(Rank{ranks + part});
        }
      }
      EXPECT_GT(compared_rounds(algorithm, options, ranks, static_cast<unsigned>(ranks) * shard),
                9);
    }
  }
}

}  // namespace
}  // namespace ringcast
