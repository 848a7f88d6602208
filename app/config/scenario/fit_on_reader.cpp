#include "app/config/scenario/fit_on_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/config/scenario/input_numbers.hpp"

namespace ringcast {

namespace {

/// `known` are the input numbers of the cluster and the set's own transport.
std::vector<FittedInput> read_fitted_numbers(const InputNode& node,
                                             const std::vector<InputNumber>& known) {
  constexpr std::size_t most = 3;
  const std::vector<std::string_view> names = names_of(known, &InputNumber::name);
  std::vector<FittedInput> numbers;
  for (const InputNode& item : node.items()) {
    item.allow_keys_of("numbers entry");
    const InputNode name = item.require("name", "a parameter as predict --why names it");
    FittedInput number{name.one_of("parameter", names), ""};
    if (const auto from = item.find("from")) number.from = from->text();
    if (std::ranges::find(numbers, number.name, &FittedInput::name) != numbers.end()) {
      name.fail(fmt::format("{} is repeated", printable(number.name)), "each number once");
    }
    numbers.push_back(std::move(number));
  }
  if (numbers.size() > most) {
    node.fail(fmt::format("{} fitted numbers", numbers.size()),
              fmt::format("at most {}: with more, anything fits", most));
  }
  return numbers;
}

/// Marks the rows that `node`, a list [ranks, size], names.
void mark_fitted(const InputNode& node, std::vector<PublishedRow>& rows) {
  const std::vector<InputNode> pair = node.items();
  if (pair.size() != 2) node.fail("is not one row", "[ranks, size], e.g. [16, 4 MiB]");
  const int ranks = pair.front().count();
  const Bytes size = pair.back().size();
  bool found = false;
  for (PublishedRow& row : rows) {
    if (row.ranks != ranks || row.size != size) continue;
    if (row.fitted) node.fail("is repeated", "each row once");
    row.fitted = found = true;
  }
  if (!found) {
    node.fail(fmt::format("no row of {} and {}", counted(ranks, "rank"), to_text(size)),
              "ranks and size of one under rows");
  }
}

}  // namespace

void read_fit_on(const InputNode& node, PublishedSet& set) {
  node.allow_keys_of("fit_on");
  set.fitted_numbers =
      read_fitted_numbers(node.require("numbers", "a list of {name, from}: what was fitted"),
                          input_numbers(set.scenario));
  for (const InputNode& item : node.require("rows", "a list of [ranks, size]").items()) {
    mark_fitted(item, set.rows);
  }
}

}  // namespace ringcast
