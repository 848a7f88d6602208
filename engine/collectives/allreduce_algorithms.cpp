#include "engine/collectives/allreduce_algorithms.hpp"

#include <algorithm>

#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/server_rounds.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

struct AllreduceHalf {
  std::string_view name;
  Algorithm* run = nullptr;
};

std::uint64_t whole_buffer(const CollectiveOptions&) {
  return 1;
}

struct Entry {
  std::string name;
  Algorithm* run;
  MessageCount* messages;
  ChunkCount* chunks;
  AllreduceHalf reduce = {};
  AllreduceHalf gather = {};
  CollectiveOptions (*check)(CollectiveOptions) = checked;
  ScratchSize* scratch = nullptr;
  RingsOf* rings = nullptr;
};

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries{
      {"ring",
       ring_allreduce,
       ring_messages,
       ring_chunks,
       {"ring-reduce-scatter", ring_reduce_scatter},
       {"ring-all-gather", ring_all_gather},
       checked,
       nullptr,
       rings_of_ring},
      {"two-way-ring",
       two_way_ring_allreduce,
       two_way_ring_messages,
       two_way_ring_chunks,
       {},
       {},
       checked,
       nullptr,
       rings_of_two_way_ring},
      {"hierarchical-ring", hierarchical_ring_allreduce, hierarchical_ring_messages,
       hierarchical_ring_chunks},
      {"tree",
       double_tree_allreduce,
       double_tree_messages,
       double_tree_chunks,
       {},
       {},
       checked,
       double_tree_scratch},
      {"in-switch",
       in_switch_allreduce,
       in_switch_messages,
       in_switch_chunks,
       {},
       {},
       checked,
       in_switch_scratch},
      {"recursive-halving-doubling", halving_doubling_allreduce, halving_doubling_messages,
       halving_doubling_chunks},
      {"all-to-all",
       all_to_all_allreduce,
       all_to_all_messages,
       whole_buffer,
       {},
       {},
       checked,
       all_to_all_scratch},
      {"single-reducer",
       single_reducer_allreduce,
       single_reducer_messages,
       whole_buffer,
       {"single-reducer-reduce", single_reducer_reduce},
       {"single-reducer-broadcast", single_reducer_broadcast}},
      {"parameter-server",
       parameter_server_allreduce,
       parameter_server_messages,
       parameter_server_chunks,
       {"parameter-server-push", parameter_server_push},
       {"parameter-server-pull", parameter_server_pull},
       checked_with_servers,
       parameter_server_scratch},
  };
  return entries;
}

const Entry& entry_named(std::string_view name) {
  const auto found = std::find_if(table().begin(), table().end(),
                                  [name](const Entry& entry) { return entry.name == name; });
  expect(found != table().end(), "no all-reduce algorithm is called {}", name);
  return *found;
}

std::vector<std::string> names_of(bool (*wanted)(const Entry&)) {
  std::vector<std::string> names;
  for (const Entry& entry : table()) {
    if (wanted(entry)) {
      names.push_back(entry.name);
    }
  }
  return names;
}

}  // namespace

const std::vector<std::string>& allreduce_names() {
  static const std::vector<std::string> names = names_of([](const Entry&) { return true; });
  return names;
}

const std::vector<std::string>& names_with_halves() {
  static const std::vector<std::string> names =
      names_of([](const Entry& entry) { return entry.reduce.run != nullptr; });
  return names;
}

bool divides_among_channels(std::string_view name) {
  static constexpr std::string_view all[] = {"ring", "two-way-ring", "hierarchical-ring", "tree"};
  return std::ranges::find(all, name) != std::end(all);
}

std::unique_ptr<Collective> make_allreduce(std::string_view name, CollectiveOptions options) {
  const Entry& entry = entry_named(name);
  return make_collective(entry.name, entry.run(entry.check(std::move(options))));
}

AllreduceHalves make_allreduce_halves(std::string_view name, CollectiveOptions options) {
  const Entry& entry = entry_named(name);
  expect(entry.reduce.run != nullptr, "{} has no halves", name);
  const CollectiveOptions valid = entry.check(std::move(options));
  return {make_collective(entry.reduce.name, entry.reduce.run(valid)),
          make_collective(entry.gather.name, entry.gather.run(valid))};
}

Bytes allreduce_scratch(std::string_view name, const CollectiveOptions& options,
                        std::uint64_t elements, Bytes element_size) {
  ScratchSize* const scratch = entry_named(name).scratch;
  return scratch == nullptr ? Bytes{} : scratch(options, elements, element_size);
}

std::vector<RingOrder> concurrent_rings(std::string_view name, const CollectiveOptions& options) {
  RingsOf* const rings = entry_named(name).rings;
  return rings == nullptr ? std::vector<RingOrder>{} : rings(options);
}

double allreduce_message_count(std::string_view name, const CollectiveOptions& options,
                               std::uint64_t elements, Bytes element_size) {
  return entry_named(name).messages(options, elements, element_size);
}

std::uint64_t allreduce_chunk_count(std::string_view name, const CollectiveOptions& options) {
  return entry_named(name).chunks(options);
}

}  // namespace ringcast
