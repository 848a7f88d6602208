#include <algorithm>
#include <map>
#include <random>

#include "app/common/mapped.hpp"
#include "app/config/scenario/scenario.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

namespace {

/// The inputs of a rule. The random generator continues from channel to channel.
struct Placement {
  int ranks;
  const std::vector<int>& node_of;
  std::mt19937_64& random;
};

std::vector<Rank> by_rank(const Placement& placement) {
  std::vector<Rank> order;
  order.reserve(static_cast<std::size_t>(placement.ranks));
  for (int rank = 0; rank < placement.ranks; ++rank)
    order.push_back(Rank{rank});
  return order;
}

std::vector<Rank> reversed(const Placement& placement) {
  std::vector<Rank> order = by_rank(placement);
  std::ranges::reverse(order);
  return order;
}

std::vector<Rank> interleaved(const Placement& placement) {
  std::map<int, int> seen;
  std::vector<std::pair<int, Rank>> turns;  // a rank's number within its node, and the rank
  for (const Rank rank : by_rank(placement)) {
    const int node = placement.node_of[static_cast<std::size_t>(index_of(rank))];
    turns.emplace_back(seen[node]++, rank);
  }
  std::ranges::stable_sort(turns, {}, &std::pair<int, Rank>::first);
  return mapped(turns, &std::pair<int, Rank>::second);
}

/// A number below `limit`, all equally likely. Not std::uniform_int_distribution: its results
/// differ between standard libraries, and a seed should mean the same ring everywhere.
std::uint64_t random_below(std::uint64_t limit, std::mt19937_64& random) {
  const std::uint64_t accepted = std::mt19937_64::max() / limit * limit;
  std::uint64_t drawn = random();
  while (drawn >= accepted)
    drawn = random();
  return drawn % limit;
}

std::vector<Rank> shuffled(const Placement& placement) {
  std::vector<Rank> order = by_rank(placement);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[random_below(left, placement.random)]);
  }
  return order;
}

struct Rule {
  std::string_view name;
  std::vector<Rank> (*order)(const Placement& placement);
};

constexpr Rule rule_table[] = {{"by-rank", by_rank},         {"reversed", reversed},
                               {"interleaved", interleaved}, {"shuffled", shuffled},
                               {nccl_rings, by_rank},        {searched_rings, by_rank}};

std::vector<RingOrder> given_orders(const RingChoice& choice, int ranks, int channels) {
  const bool is_one_for_all = choice.given.size() == 1;
  expect(is_one_for_all || choice.given.size() == static_cast<std::size_t>(channels),
         "{} ring orders for {} channels", choice.given.size(), channels);
  std::vector<RingOrder> orders;
  for (int channel = 0; channel < channels; ++channel) {
    const std::size_t index = is_one_for_all ? 0 : static_cast<std::size_t>(channel);
    orders.emplace_back(choice.given[index]);
    expect(orders.back().size() == ranks, "a ring order of {} for {} ranks", orders.back().size(),
           ranks);
  }
  return orders;
}

}  // namespace

std::vector<RingOrder> orders(const RingChoice& choice, int ranks, int channels,
                              const std::vector<int>& node_of, std::uint64_t seed) {
  if (!choice.given.empty()) return given_orders(choice, ranks, channels);
  const auto* const rule = std::ranges::find(rule_table, choice.name, &Rule::name);
  expect(rule != std::end(rule_table), "no ring rule named {}", choice.name);
  expect(node_of.size() >= static_cast<std::size_t>(ranks), "the nodes of {} of {} ranks",
         node_of.size(), ranks);
  std::mt19937_64 random{seed};
  std::vector<RingOrder> made;
  made.reserve(static_cast<std::size_t>(channels));
  for (int channel = 0; channel < channels; ++channel) {
    made.emplace_back(rule->order({ranks, node_of, random}));
  }
  return made;
}

const std::vector<std::string>& ring_rules() {
  static const std::vector<std::string> names =
      mapped(rule_table, [](const Rule& rule) { return std::string{rule.name}; });
  return names;
}

}  // namespace ringcast
