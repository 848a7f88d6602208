#include "engine/collectives/allreduce_algorithms.hpp"

#include <algorithm>

#include "engine/collectives/all_to_all_allreduce.hpp"
#include "engine/collectives/double_tree_allreduce.hpp"
#include "engine/collectives/halving_doubling_allreduce.hpp"
#include "engine/collectives/hierarchical_ring_allreduce.hpp"
#include "engine/collectives/parameter_server_allreduce.hpp"
#include "engine/collectives/ring_collectives.hpp"
#include "engine/collectives/single_reducer_allreduce.hpp"
#include "engine/collectives/two_way_ring_allreduce.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

struct Entry {
  std::string name;
  std::unique_ptr<Collective> (*make)(CollectiveOptions);
  double (*messages)(const CollectiveOptions&, std::uint64_t elements, Bytes element_size);
  AllreduceHalves (*make_halves)(CollectiveOptions) = nullptr;
};

template <typename Algorithm>
Entry entry(std::string_view name) {
  Entry made{std::string{name},
             [](CollectiveOptions options) -> std::unique_ptr<Collective> {
               return std::make_unique<Algorithm>(std::move(options));
             },
             Algorithm::messages};
  if constexpr (requires { typename Algorithm::ReduceHalf; }) {
    made.make_halves = [](CollectiveOptions options) -> AllreduceHalves {
      return {std::make_shared<typename Algorithm::ReduceHalf>(options),
              std::make_shared<typename Algorithm::GatherHalf>(std::move(options))};
    };
  }
  return made;
}

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries{
      entry<RingAllreduce>("ring"),
      entry<TwoWayRingAllreduce>("two-way-ring"),
      entry<HierarchicalRingAllreduce>("hierarchical-ring"),
      entry<DoubleTreeAllreduce>("tree"),
      entry<HalvingDoublingAllreduce>("recursive-halving-doubling"),
      entry<AllToAllAllreduce>("all-to-all"),
      entry<SingleReducerAllreduce>("single-reducer"),
      entry<ParameterServerAllreduce>("parameter-server"),
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
      names_of([](const Entry& entry) { return entry.make_halves != nullptr; });
  return names;
}

std::unique_ptr<Collective> make_allreduce(std::string_view name, CollectiveOptions options) {
  return entry_named(name).make(std::move(options));
}

AllreduceHalves make_allreduce_halves(std::string_view name, CollectiveOptions options) {
  const Entry& entry = entry_named(name);
  expect(entry.make_halves != nullptr, "{} has no halves", name);
  return entry.make_halves(std::move(options));
}

double allreduce_message_count(std::string_view name, const CollectiveOptions& options,
                               std::uint64_t elements, Bytes element_size) {
  return entry_named(name).messages(options, elements, element_size);
}

}  // namespace ringcast
