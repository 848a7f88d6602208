#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/config/scenario/scenario.hpp"
#include "app/config/yaml/input_node.hpp"
#include "engine/numbers/element.hpp"

namespace ringcast {

/// The option if its text is given, else the file's key; absent: the default applies.
[[nodiscard]] std::optional<InputNode> chosen(const InputNode& file, std::string_view key,
                                              const std::string& option,
                                              const std::optional<std::string>& text);
/// The same of an option with a list.
[[nodiscard]] std::optional<InputNode> chosen_list(const InputNode& file, std::string_view key,
                                                   const std::string& option,
                                                   const std::optional<std::string>& text);

// The lists of a scenario. A repeated value is refused: it would run, or serve, twice.

/// What `read` makes of each item.
template <typename Read>
[[nodiscard]] auto distinct_values(const InputNode& list, const Read& read) {
  std::vector<std::invoke_result_t<const Read&, const InputNode&>> values;
  for (const InputNode& item : list.one_or_more()) {
    auto value = read(item);
    if (std::ranges::find(values, value) != values.end()) {
      item.fail(fmt::format("{} is repeated", printable(item.text())), "each value once");
    }
    values.push_back(std::move(value));
  }
  return values;
}

/// Rank counts, 1 to `most` each, as many as `owner` has.
[[nodiscard]] std::vector<int> read_ranks(const InputNode& node, int most,
                                          std::string_view owner = "the cluster");

/// Sizes, or a map {min, max, factor} for a geometric series; each a multiple of the element size.
[[nodiscard]] std::vector<Bytes> read_sizes(const InputNode& node, ElementType type);

/// Numbers of channels, 1 to 1024 each.
[[nodiscard]] std::vector<int> read_channels(const InputNode& node);

/// Stores the position of each value of a key in Scenario::positions.
void keep_positions(const InputNode& node, const std::string& key, Scenario& scenario);

/// Names of algorithms, of all-reduces or of training.
[[nodiscard]] std::vector<std::string> read_algorithms(const InputNode& node, Purpose purpose,
                                                       bool trains);

/// One value of such a list.
[[nodiscard]] int read_rank_count(const InputNode& node, int most,
                                  std::string_view owner = "the cluster");
[[nodiscard]] Bytes read_whole_elements(const InputNode& node, ElementType type);
/// `auto` if the transport has a tuner, else the ring.
[[nodiscard]] std::string default_algorithm(const TransportProfile& transport, Purpose purpose);
/// NCCL's rings if the transport has a tuner, else by rank.
[[nodiscard]] RingChoice default_ring_order(const TransportProfile& transport, Purpose purpose);
/// An algorithm of a published set: also a transfer between two ranks.
[[nodiscard]] std::string read_measured_algorithm(const InputNode& node);

/// Numbers of nodes, 0 to `nodes` - 1 each.
[[nodiscard]] std::vector<int> read_nodes(const InputNode& node, int nodes);

/// `4 MiB`, a multiple of the size of the scenario's elements, or `whole`.
void read_segment_size(const InputNode& node, Scenario& scenario);

}  // namespace ringcast
