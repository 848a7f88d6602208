#include "app/config/scenario/sweep_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/collectives/transfers.hpp"
#include "engine/numbers/ascii.hpp"

namespace ringcast {

std::optional<InputNode> chosen(const InputNode& file, std::string_view key,
                                const std::string& option, const std::optional<std::string>& text) {
  return text ? InputNode::from_option(option, *text) : file.find(key);
}

std::optional<InputNode> chosen_list(const InputNode& file, std::string_view key,
                                     const std::string& option,
                                     const std::optional<std::string>& text) {
  return text ? InputNode::from_option_list(option, *text) : file.find(key);
}

namespace {

constexpr Bytes largest_size{std::uint64_t{1} << 50U};

/// The ends of a text such as `8..64`, `1-4MB` or `1MiB:64MiB`; empty for other texts.
std::optional<std::pair<std::string, std::string>> ends_of_range(const std::string& text) {
  for (const std::string_view between : {"...", "..", "-", ":"}) {
    const std::size_t at = text.find(between);
    const std::size_t after = at + between.size();
    if (at == text.npos || at == 0 || after >= text.size()) continue;
    if (is_digit(text.front()) && is_digit(text[after])) {
      return std::pair{text.substr(0, at), text.substr(after)};
    }
  }
  return std::nullopt;
}

void refuse_range_of_ranks(const InputNode& node) {
  const auto ends = ends_of_range(node.text("a whole number from 1 to 1000000"));
  if (!ends) return;
  const auto number = [](const std::string& text) {
    return std::min(std::strtoll(text.c_str(), nullptr, 10), 1'000'000LL);
  };
  std::string series = ends->first;
  // The example in the message doubles, as series of sizes do, from end to end of the user's range.
  for (auto ranks = 2 * number(ends->first); ranks > 0 && ranks < number(ends->second);
       ranks *= 2) {
    series += fmt::format(",{}", ranks);
  }
  series += "," + ends->second;
  node.fail(fmt::format("{} is a range", in_quotes(node.text())),
            node.is_option() ? fmt::format("each number: {}", series)
                             : fmt::format("each number: [{}]", series));
}

void refuse_range_of_sizes(const InputNode& node) {
  const auto ends = ends_of_range(node.text("a size, e.g. 64 MiB"));
  if (!ends) return;
  const auto& [first, last] = *ends;
  const std::size_t unit = last.find_first_not_of("0123456789.");
  const bool bare = first.find_first_not_of("0123456789.") == first.npos && unit != last.npos;
  const std::string min = bare ? first + last.substr(unit) : first;
  node.fail(fmt::format("{} is a range", in_quotes(node.text())),
            node.is_option() ? fmt::format("each size, {},{}; or a series: --min {} --max {}", min,
                                           last, min, last)
                             : fmt::format("each size, [{}, {}]; or a series: {{min: {}, max: {}}}",
                                           min, last, min, last));
}

}  // namespace

Bytes read_whole_elements(const InputNode& node, ElementType type) {
  const Bytes size = node.within(node.size(), Bytes{0}, largest_size, "0 to 1 PiB");
  const std::uint64_t element = size_of(type).count();
  if (size.count() % element != 0) {
    node.fail(fmt::format("{} is not a whole number of elements", printable(node.text())),
              fmt::format("a multiple of {} bytes, the size of a {}", element, name_of(type)));
  }
  return size;
}

namespace {

std::vector<Bytes> read_series(const InputNode& node, ElementType type) {
  node.allow_keys_of("sizes series");
  const InputNode min = node.require("min", "a size, e.g. 1 KiB");
  const InputNode max = node.require("max", "a size, e.g. 1 GiB");
  const Bytes least = read_whole_elements(min, type);
  const Bytes most = read_whole_elements(max, type);
  if (least == Bytes{}) min.fail("a series from 0 never grows", "more than 0");
  if (least > most) {
    max.fail("an empty series", fmt::format("at least the minimum, {}", min.text()));
  }
  const auto factor_node = node.find("factor");
  const std::uint64_t factor = factor_node ? factor_node->integer(2, std::uint64_t{1024}) : 2;
  std::vector<Bytes> sizes;
  for (Bytes size = least; size <= most; size = factor * size)
    sizes.push_back(size);
  return sizes;
}

}  // namespace

const std::vector<std::string>& measured_only_names() {
  static const std::vector<std::string> names{"mpi", "nccl"};
  return names;
}

int read_rank_count(const InputNode& node, int most, std::string_view owner) {
  const int count = node.count();
  if (count > most) {
    node.fail(fmt::format("{}, but {} has {}", counted(count, "rank"), owner, most),
              fmt::format("1 to {}", most));
  }
  return count;
}

std::vector<int> read_ranks(const InputNode& node, int most, std::string_view owner) {
  return distinct_values(node, [&](const InputNode& item) {
    refuse_range_of_ranks(item);
    return read_rank_count(item, most, owner);
  });
}

std::vector<int> read_channels(const InputNode& node) {
  return distinct_values(node, [](const InputNode& item) { return item.integer(1, 1024); });
}

void keep_positions(const InputNode& node, const std::string& key, Scenario& scenario) {
  for (const InputNode& item : node.one_or_more()) {
    scenario.positions[key + " " + item.text()] = item.position();
  }
}

std::string position_of(const Scenario& scenario, const std::string& key,
                        const std::string& value) {
  const auto known = scenario.positions.find(key + " " + value);
  return known == scenario.positions.end() ? key : known->second;
}

std::vector<Bytes> read_sizes(const InputNode& node, ElementType type) {
  if (node.is_map()) return read_series(node, type);
  return distinct_values(node, [type](const InputNode& item) {
    refuse_range_of_sizes(item);
    return read_whole_elements(item, type);
  });
}

namespace {

bool is_tuned(const TransportProfile& transport, Purpose purpose) {
  return transport.tuner != Tuner::none && purpose == Purpose::prediction;
}

}  // namespace

std::string default_algorithm(const TransportProfile& transport, Purpose purpose) {
  return is_tuned(transport, purpose) ? std::string{auto_algorithm} : allreduce_names().front();
}

RingChoice default_ring_order(const TransportProfile& transport, Purpose purpose) {
  return {is_tuned(transport, purpose) ? std::string{nccl_rings} : ring_rules().front(), {}};
}

namespace {

/// Refuses NCCL's names of algorithms that have one name here.
void refuse_names_of_nccl(const InputNode& node) {
  static constexpr std::array<std::string_view, 6> names{"nvls",          "nvlstree",     "collnet",
                                                         "collnetdirect", "collnetchain", "sharp"};
  const std::string text = node.is_scalar() ? lower_case(node.text()) : "";
  if (std::ranges::find(names, text) != names.end()) {
    node.fail(fmt::format("unknown algorithm {}", in_quotes(node.text())),
              "in-switch, where switches add");
  }
}

/// `known`: the names besides those of all-reduces.
std::string read_algorithm(const InputNode& node, Purpose purpose, bool trains,
                           std::vector<std::string_view> known) {
  known.insert(known.begin(), allreduce_names().begin(), allreduce_names().end());
  if (purpose == Purpose::prediction) known.push_back(auto_algorithm);
  const std::vector<std::string>& others = measured_only_names();
  if (purpose == Purpose::measurement) {
    known.insert(known.end(), others.begin(), others.end());
  } else if (node.is_scalar() && std::ranges::find(others, node.text()) != others.end()) {
    node.fail(fmt::format("{} can only be measured", in_quotes(node.text())),
              fmt::format("{}; or `ringcast measure`", listed(known, "or")));
  }
  refuse_names_of_nccl(node);
  const auto is_only_predicted = [](const std::string& name) {
    return name == auto_algorithm || name == asynchronous_algorithm;
  };
  if (purpose == Purpose::measurement && node.is_scalar() && is_only_predicted(node.text())) {
    node.fail(fmt::format("{} can only be predicted", in_quotes(node.text())), listed(known, "or"));
  }
  if (trains && purpose == Purpose::prediction) {
    known.push_back(asynchronous_algorithm);
  }
  return node.one_of("algorithm", known);
}

}  // namespace

std::string read_measured_algorithm(const InputNode& node) {
  return read_algorithm(node, Purpose::prediction, false,
                        {transfer_names().begin(), transfer_names().end()});
}

std::vector<std::string> read_algorithms(const InputNode& node, Purpose purpose, bool trains) {
  return distinct_values(
      node, [&](const InputNode& item) { return read_algorithm(item, purpose, trains, {}); });
}

std::vector<int> read_nodes(const InputNode& node, int nodes) {
  return distinct_values(node, [nodes](const InputNode& item) {
    const int number = item.index();
    if (number >= nodes) {
      item.fail(fmt::format("node {} does not exist", number),
                nodes == 1 ? "0, the only one" : fmt::format("0 to {}", nodes - 1));
    }
    return number;
  });
}

void read_segment_size(const InputNode& node, Scenario& scenario) {
  scenario.asks_for_whole_chunks = node.is_scalar() && node.text() == "whole";
  if (scenario.asks_for_whole_chunks) return;
  const Bytes size = read_whole_elements(node, scenario.reduction.type);
  if (size == Bytes{}) node.fail("a segment of nothing", "e.g. 4 MiB, or whole");
  scenario.segment_size = size;
}

}  // namespace ringcast
