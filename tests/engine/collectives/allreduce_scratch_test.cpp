#include <algorithm>
#include <mutex>

#include "engine/schedule/node_groups.hpp"
#include "tests/allreduce_contract.hpp"
#include "tests/engine/reference/reference_transport.hpp"

namespace ringcast {
namespace {

/// Counts the bytes that a collective allocates.
class CountingMemory final : public Memory {
 public:
  explicit CountingMemory(Memory& memory) : memory_{&memory} {}
  [[nodiscard]] Bytes allocated() const { return allocated_; }
  BufferId allocate(Bytes size) override {
    allocated_ += size;
    return memory_->allocate(size);
  }
  [[nodiscard]] bool holds_data() const override { return memory_->holds_data(); }
  void write(Slice to, std::span<const std::byte> bytes) override { memory_->write(to, bytes); }
  void read(Slice from, std::span<std::byte> bytes) const override { memory_->read(from, bytes); }

 private:
  Memory* memory_;
  Bytes allocated_;
};

/// The most that a rank allocates for an all-reduce of float32.
Bytes taken(const std::string& algorithm, const CollectiveOptions& options,
            std::uint64_t elements) {
  int ranks = options.channels.front().size();
  for (const Rank server : options.servers) {
    ranks = std::max(ranks, index_of(server) + 1);
  }
  const auto allreduce = make_allreduce(algorithm, options);
  std::mutex mutex;
  Bytes most;
  ReferenceTransport{ranks, Reduction{}}.run([&](RankContext& self) {
    CountingMemory memory{self.memory};
    RankContext counted{self.network, memory, self.reducer, self.processor};
    allreduce->run({self.memory.allocate(elements * 4_B), elements}, counted);
    const std::lock_guard lock{mutex};
    most = std::max(most, memory.allocated());
  });
  return most;
}

std::vector<int> pairs(int ranks) {
  std::vector<int> node_of;
  for (int rank = 0; rank < ranks; ++rank) {
    node_of.push_back(rank / 2);
  }
  return node_of;
}

std::vector<Rank> ranks_from(int first, int count) {
  std::vector<Rank> ranks;
  for (int rank = first; rank < first + count; ++rank) {
    ranks.push_back(Rank{rank});
  }
  return ranks;
}

/// 1 to 8 ranks in one or two channels, in whole chunks or segments; on one node, on nodes of two,
/// and on nodes that grow.
std::vector<CollectiveOptions> layouts() {
  std::vector<CollectiveOptions> all;
  for (const int ranks : {1, 2, 3, 4, 7, 8}) {
    for (const int channels : {1, 2}) {
      const CollectiveOptions whole = contract::backward_options(ranks, channels, std::nullopt);
      const std::size_t first = all.size();
      all.insert(all.end(), 3, whole);
      all[first + 1].node_of.clear();
      all[first + 2].node_of = pairs(ranks);
    }
  }
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(all[i]);
    all.back().segment_size = 400_B;
  }
  return all;
}

/// The layout with each option that the algorithm knows.
std::vector<CollectiveOptions> variants(const std::string& algorithm,
                                        const CollectiveOptions& options) {
  const int ranks = options.channels.front().size();
  std::vector<CollectiveOptions> all{options};
  const auto add = [&](auto change) { change(all.emplace_back(options)); };
  if (algorithm == "tree") {
    add([](CollectiveOptions& chain) { chain.chain_on_one_node = true; });
    add([](CollectiveOptions& deep) { deep.in_flight = 4000_B; });
  }
  if (algorithm == "in-switch") {
    const NodeGroups nodes{ranks, options.node_of};
    add([&](CollectiveOptions& switched) {
      switched.servers = ranks_from(ranks, nodes.count() * nodes.widest());
    });
  }
  if (algorithm == "parameter-server") {
    add([](CollectiveOptions& at_once) { at_once.serve_at_once = true; });
    add([&](CollectiveOptions& apart) {
      apart.serve_at_once = true;
      apart.servers = ranks_from(ranks, 2);
    });
  }
  return all;
}

class AllreduceScratch : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Algorithms, AllreduceScratch, testing::ValuesIn(allreduce_names()),
                         [](const auto& test) { return as_test_name(test.param); });

// The lengths of shares, halves, shards and segments differ: 6401 elements have halves of 3201, in
// 33 segments of 97, and of 3200, in 32 segments of 100.
TEST_P(AllreduceScratch, IsAsStated) {
  for (const CollectiveOptions& layout : layouts()) {
    for (const CollectiveOptions& options : variants(GetParam(), layout)) {
      for (const std::uint64_t elements : {0U, 1U, 37U, 6401U}) {
        EXPECT_EQ(allreduce_scratch(GetParam(), options, elements, 4_B).count(),
                  taken(GetParam(), options, elements).count())
            << testing::PrintToString(options.node_of) << ", " << options.channels.size()
            << " channels, " << options.servers.size() << " servers, " << elements << " elements"
            << (options.segment_size ? " in segments" : "");
      }
    }
  }
}

}  // namespace
}  // namespace ringcast
