#include "app/config/scenario/ring_choice_reader.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/config/scenario/scenario_reader.hpp"

namespace ringcast {

namespace {

constexpr std::string_view name_of_unnamed = "explicit";

/// True for [3, 1, ...]: a list of choices has names, lists or maps in it.
bool is_order(const InputNode& node) {
  if (!node.is_list()) return false;
  const InputNode first = node.items().front();
  return first.is_scalar() && first.text().find_first_not_of("-+0123456789") == std::string::npos;
}

std::vector<Rank> read_order(const InputNode& node) {
  const std::vector<InputNode> items = node.items();
  const int size = static_cast<int>(items.size());
  const std::string expected = fmt::format("each of 0 to {} once", size - 1);
  std::vector<bool> seen(items.size(), false);
  std::vector<Rank> order;
  for (const InputNode& item : items) {
    const int rank = item.index();
    // If one rank is too large, another is missing from the order.
    if (rank >= size) {
      item.fail(fmt::format("rank {} in an order of {}", rank, size), expected);
    }
    const auto index = static_cast<std::size_t>(rank);
    if (seen[index]) item.fail(fmt::format("rank {} is repeated", rank), expected);
    seen[index] = true;
    order.push_back(Rank{rank});
  }
  return order;
}

void check_ranks(const InputNode& node, const std::vector<Rank>& order,
                 const RingDemands& demands) {
  for (const int ranks : demands.ranks) {
    if (static_cast<std::size_t>(ranks) == order.size()) continue;
    if (demands.ranks_option) {
      demands.ranks_option->fail(
          fmt::format("{}, but the ring order is one of {}", counted(ranks, "rank"), order.size()),
          fmt::format("{}, or another --ring", order.size()));
    }
    node.fail(
        fmt::format("an order of {} in a scenario of {}", counted(order.size(), "rank"), ranks),
        fmt::format("an order of {}, or ranks: {}", ranks, order.size()));
  }
}

/// Reads the order and checks it against the scenario's ranks.
std::vector<Rank> read_fitting_order(const InputNode& node, const RingDemands& demands) {
  std::vector<Rank> order = read_order(node);
  check_ranks(node, order, demands);
  return order;
}

/// An order for each channel, all of the same ranks.
std::vector<std::vector<Rank>> read_orders(const std::vector<InputNode>& nodes) {
  std::vector<std::vector<Rank>> orders;
  for (const InputNode& node : nodes) {
    orders.push_back(read_order(node));
    if (orders.back().size() == orders.front().size()) continue;
    node.fail(fmt::format("{}, but channels[0] has {}", counted(orders.back().size(), "rank"),
                          orders.front().size()),
              "the same ranks in every channel");
  }
  return orders;
}

std::vector<std::vector<Rank>> read_channels(const InputNode& node, const RingDemands& demands) {
  const std::vector<InputNode> items = node.items();
  std::vector<std::vector<Rank>> given = read_orders(items);
  check_ranks(items.front(), given.front(), demands);
  const std::size_t orders = given.size();
  for (const int channels : demands.channels) {
    if (orders == static_cast<std::size_t>(channels)) continue;
    if (demands.channels_option) {
      demands.channels_option->fail(
          fmt::format("{}, but the ring order is one for {}", channels, orders),
          fmt::format("{}, or another --ring", orders));
    }
    node.fail(fmt::format("ring orders for {} channels in a scenario of {}", orders, channels),
              fmt::format("orders for {}, or channels: {}", channels, orders));
  }
  return given;
}

/// `unnamed`: the name of an order that has none; empty: it must have one.
RingChoice read_named(const InputNode& node, const RingDemands& demands,
                      const std::string& unnamed) {
  node.allow_keys_of("ring order");
  const bool has_name = unnamed.empty() || node.find("name");
  const InputNode name = has_name ? node.require("name", "a name for the results") : node;
  RingChoice choice{has_name ? name.text() : unnamed, {}};
  if (std::ranges::find(ring_rules(), choice.name) != ring_rules().end()) {
    name.fail(fmt::format("{} is the name of a rule", in_quotes(choice.name)), "a name of its own");
  }
  const auto channels = node.find("channels");
  const auto order = node.find("order");
  if (channels && order) node.fail("order together with channels", "one of the two");
  choice.given = channels
                     ? read_channels(*channels, demands)
                     : std::vector<std::vector<Rank>>{read_fitting_order(
                           node.require("order", "a list of all ranks, or channels"), demands)};
  return choice;
}

/// A name with a suffix: no rule has one.
bool is_file(const InputNode& node) {
  return node.is_scalar() && std::filesystem::path{node.text()}.has_extension();
}

RingChoice read_choice(const InputNode& node, const RingDemands& demands,
                       const std::filesystem::path& folder) {
  if (is_file(node)) {
    return read_named(resolved(node, folder), demands, std::filesystem::path{node.text()}.stem());
  }
  if (node.is_map()) return read_named(node, demands, "");
  if (node.is_list()) {
    return {std::string{name_of_unnamed}, {read_fitting_order(node, demands)}};
  }
  return {node.one_of("rule", names_of(ring_rules(), std::identity{})), {}};
}

}  // namespace

std::vector<RingChoice> read_ring_choices(const InputNode& node, const RingDemands& demands,
                                          const std::filesystem::path& folder) {
  const bool is_one = is_order(node);
  std::vector<RingChoice> choices;
  for (const InputNode& item : is_one ? std::vector<InputNode>{node} : node.one_or_more()) {
    RingChoice choice = read_choice(item, demands, folder);
    if (std::ranges::find(choices, choice.name, &RingChoice::name) != choices.end()) {
      item.fail(fmt::format("a second order named {}", in_quotes(choice.name)),
                "a name of its own: {name: ..., order: [...]}");
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace ringcast
