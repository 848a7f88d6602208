#include "engine/allreduce_algorithms.hpp"

#include <algorithm>
#include <functional>

#include "engine/error.hpp"

namespace ringcast {
namespace {

struct Entry {
  std::string name;
  std::function<std::unique_ptr<Collective>(RingOptions)> make;
};

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries{
      {"ring",
       [](RingOptions options) { return std::make_unique<RingAllreduce>(std::move(options)); }},
  };
  return entries;
}

}  // namespace

const std::vector<std::string>& allreduce_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry& entry : table()) {
      all.push_back(entry.name);
    }
    return all;
  }();
  return names;
}

std::unique_ptr<Collective> make_allreduce(std::string_view name, RingOptions options) {
  const auto found = std::find_if(table().begin(), table().end(),
                                  [name](const Entry& entry) { return entry.name == name; });
  expect(found != table().end(), "no all-reduce algorithm is called {}", name);
  return found->make(std::move(options));
}

}  // namespace ringcast
