#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/collective_checks.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

/// From or to a peer, under a tag.
using Stream = std::tuple<bool, int, int>;

struct Described {
  std::vector<std::uint64_t> numbers;  // and a mark for each stream
  std::vector<Stream> streams;
};

/// What a rank posts: kind, place of the stream in the outline, length.
using Posts = std::vector<std::tuple<char, std::ptrdiff_t, std::uint64_t>>;

/// An endpoint that records only an outline.
class OutlineReader final : public Endpoint, public Outline {
 public:
  explicit OutlineReader(Endpoint& network) : network_{&network} {}
  [[nodiscard]] Rank rank() const override { return network_->rank(); }
  [[nodiscard]] int size() const override { return network_->size(); }
  [[nodiscard]] Seconds now() const override { return network_->now(); }
  Pending send(Rank, Slice, Tag, Returns) override { refuse(); }
  Pending recv(Rank, Slice, Tag) override { refuse(); }
  Pending recv_accumulate(Rank, Slice, Tag) override { refuse(); }
  [[nodiscard]] Outline* outline() override { return this; }
  void add(std::uint64_t number) override { read.numbers.push_back(number); }
  void sends(Rank to, Slice, Tag tag) override {
    add_stream({true, index_of(to), static_cast<int>(tag)});
  }
  void receives(Rank from, Slice, Tag tag) override {
    add_stream({false, index_of(from), static_cast<int>(tag)});
  }

  Described read;

 private:
  [[noreturn]] static void refuse() { throw std::logic_error{"a message beside the outline"}; }
  void add_stream(const Stream& stream) {
    read.numbers.push_back(std::get<bool>(stream) ? 1 : 0);
    read.streams.push_back(stream);
  }
  Endpoint* network_;
};

/// Forwards all calls, and records them.
class PostWatch final : public Endpoint {
 public:
  PostWatch(Endpoint& network, const std::vector<Stream>& streams)
      : network_{&network}, streams_{&streams} {}
  [[nodiscard]] Rank rank() const override { return network_->rank(); }
  [[nodiscard]] int size() const override { return network_->size(); }
  [[nodiscard]] Seconds now() const override { return network_->now(); }
  Pending send(Rank to, Slice source, Tag tag, Returns returns) override {
    note('s', {true, index_of(to), static_cast<int>(tag)}, source);
    return network_->send(to, source, tag, returns);
  }
  Pending recv(Rank from, Slice destination, Tag tag) override {
    note('r', {false, index_of(from), static_cast<int>(tag)}, destination);
    return network_->recv(from, destination, tag);
  }
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override {
    note('a', {false, index_of(from), static_cast<int>(tag)}, into);
    return network_->recv_accumulate(from, into, tag);
  }

  Posts posts;

 private:
  void note(char kind, const Stream& stream, Slice slice) {
    const auto place = std::ranges::find(*streams_, stream) - streams_->begin();
    posts.emplace_back(kind, place, slice.length.count());
  }
  Endpoint* network_;
  const std::vector<Stream>* streams_;
};

struct RankRun {
  Described described;
  Posts posts;
};

/// The outline of each rank, and its recorded operations.
std::vector<RankRun> run_of_each(const std::string& algorithm, const CollectiveOptions& options,
                                 int ranks, std::uint64_t elements) {
  const Reduction reduction{ElementType::float32, Operation::sum};
  ReferenceTransport transport{ranks + static_cast<int>(options.servers.size()), reduction};
  std::vector<RankRun> runs(static_cast<std::size_t>(transport.size()));
  transport.run([&](RankContext& self) {
    RankRun& own = runs[static_cast<std::size_t>(index_of(self.network.rank()))];
    const Slice data = contract::allocate(self, elements * size_of(reduction.type).count());
    const auto run_on = [&](Endpoint& network) {
      RankContext context{network, self.memory, self.reducer, self.processor};
      make_allreduce(algorithm, options)->run({data.buffer, elements}, context);
    };
    OutlineReader reader{self.network};
    run_on(reader);
    own.described = reader.read;
    PostWatch watch{self.network, own.described.streams};
    run_on(watch);
    own.posts = watch.posts;
  });
  return runs;
}

CollectiveOptions options_of(const std::string& algorithm, int ranks, int nodes,
                             bool reduce_first = false) {
  CollectiveOptions options{{contract::ring_of_channel(ranks, 0)}, 256_B};
  options.reduce_first = reduce_first;
  for (int rank = 0; rank < ranks; ++rank) {
    options.node_of.push_back(rank * nodes / ranks);
  }
  if (algorithm == "in-switch") {
    for (int part = 0; part < ranks; ++part) {
      options.servers.push_back(Rank{ranks + part});
    }
  }
  return options;
}

/// The number of ranks that share an outline with another one.
int alike_ranks(const std::vector<RankRun>& runs) {
  std::map<std::vector<std::uint64_t>, const Posts*> known;
  int alike = 0;
  for (const RankRun& run : runs) {
    const auto [first, is_new] = known.try_emplace(run.described.numbers, &run.posts);
    EXPECT_EQ(*first->second, run.posts);
    alike += is_new ? 0 : 1;
  }
  return alike;
}

// Every stream of the outline is used, and no other: its places are 0 to their number.
TEST(Outlines, NameTheStreamsThatARankUses) {
  for (const auto& [algorithm, reduce_first] :
       {std::pair{"in-switch", false}, {"tree", false}, {"tree", true}}) {
    for (const auto& [ranks, nodes] : {std::pair{1, 1}, {4, 1}, {8, 2}, {6, 3}, {15, 5}}) {
      for (const std::uint64_t elements : {0U, 1U, 5'003U}) {
        SCOPED_TRACE(fmt::format("{}: {} elements, {} ranks on {} nodes", algorithm, elements,
                                 ranks, nodes));
        for (const RankRun& run : run_of_each(
                 algorithm, options_of(algorithm, ranks, nodes, reduce_first), ranks, elements)) {
          std::vector<std::ptrdiff_t> used;
          for (const auto& [kind, place, length] : run.posts) {
            used.push_back(place);
          }
          std::ranges::sort(used);
          used.erase(std::ranges::unique(used).begin(), used.end());
          std::vector<std::ptrdiff_t> named(run.described.streams.size());
          std::iota(named.begin(), named.end(), 0);
          EXPECT_EQ(used, named);
        }
      }
    }
  }
}

// Shards of 5,200 elements and halves of 20,800, in segments of 64, are longer than the windows of
// 32 segments. Four nodes have two places in the double tree: a node's second tree is the first of
// the node opposite. In each place there are ranks and parts of the switch, or four places in the
// chain: 32 and 16 ranks are of 4 and 8 kinds.
TEST(Outlines, AreEqualOnlyWhereRanksPostTheSame) {
  constexpr std::uint64_t elements = 41'600;
  EXPECT_EQ(alike_ranks(run_of_each("in-switch", options_of("in-switch", 16, 4), 16, elements)),
            32 - 4);
  const auto both_ways = run_of_each("tree", options_of("tree", 16, 4), 16, elements);
  const auto sums_first = run_of_each("tree", options_of("tree", 16, 4, true), 16, elements);
  EXPECT_EQ(alike_ranks(both_ways), 16 - 8);
  EXPECT_EQ(alike_ranks(sums_first), 16 - 8);
  for (std::size_t rank = 0; rank < both_ways.size(); ++rank) {
    EXPECT_NE(both_ways[rank].described.numbers, sums_first[rank].described.numbers) << rank;
  }
}

// 43,201 elements: one half of 21,601 is cut into 338 segments, 31 of 63 elements, the other of
// 21,600 into as many, 32 of 63. So no place in one tree is like another in the other.
TEST(Outlines, TellLengthsApart) {
  EXPECT_EQ(alike_ranks(run_of_each("tree", options_of("tree", 16, 4), 16, 43'201)), 0);
}

}  // namespace
}  // namespace ringcast
