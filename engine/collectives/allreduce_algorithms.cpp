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
  ChunkCount* chunks = whole_buffer;
  ScratchSize* scratch = nullptr;
  RingsOf* rings = nullptr;
  bool divides_among_channels = false;
  AllreduceHalf reduce = {};
  AllreduceHalf gather = {};
  CollectiveOptions (*check)(CollectiveOptions) = checked;
};

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries{
      {.name = "ring",
       .run = ring_allreduce,
       .messages = ring_messages,
       .chunks = ring_chunks,
       .rings = rings_of_ring,
       .divides_among_channels = true,
       .reduce = {"ring-reduce-scatter", ring_reduce_scatter},
       .gather = {"ring-all-gather", ring_all_gather}},
      {.name = "two-way-ring",
       .run = two_way_ring_allreduce,
       .messages = two_way_ring_messages,
       .chunks = two_way_ring_chunks,
       .rings = rings_of_two_way_ring,
       .divides_among_channels = true},
      {.name = "hierarchical-ring",
       .run = hierarchical_ring_allreduce,
       .messages = hierarchical_ring_messages,
       .chunks = hierarchical_ring_chunks,
       .divides_among_channels = true},
      {.name = "tree",
       .run = double_tree_allreduce,
       .messages = double_tree_messages,
       .chunks = double_tree_chunks,
       .scratch = double_tree_scratch,
       .divides_among_channels = true},
      {.name = "in-switch",
       .run = in_switch_allreduce,
       .messages = in_switch_messages,
       .chunks = in_switch_chunks,
       .scratch = in_switch_scratch},
      {.name = "recursive-halving-doubling",
       .run = halving_doubling_allreduce,
       .messages = halving_doubling_messages,
       .chunks = halving_doubling_chunks},
      {.name = "all-to-all",
       .run = all_to_all_allreduce,
       .messages = all_to_all_messages,
       .scratch = all_to_all_scratch},
      {.name = "single-reducer",
       .run = single_reducer_allreduce,
       .messages = single_reducer_messages,
       .reduce = {"single-reducer-reduce", single_reducer_reduce},
       .gather = {"single-reducer-broadcast", single_reducer_broadcast}},
      {.name = "parameter-server",
       .run = parameter_server_allreduce,
       .messages = parameter_server_messages,
       .chunks = parameter_server_chunks,
       .scratch = parameter_server_scratch,
       .reduce = {"parameter-server-push", parameter_server_push},
       .gather = {"parameter-server-pull", parameter_server_pull},
       .check = checked_with_servers},
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
  const auto found = std::ranges::find(table(), name, &Entry::name);
  return found != table().end() && found->divides_among_channels;
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
