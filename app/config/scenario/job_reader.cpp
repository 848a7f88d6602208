#include "app/config/scenario/job_reader.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "topology/cluster/index.hpp"
#include "topology/cluster/part_of_cluster.hpp"

namespace ringcast {
namespace {

using detail::index;

/// The numbers of GPUs of each node.
std::vector<int> gpus_by_node(const ClusterSpec& cluster) {
  std::vector<int> counts(index(count_nodes(cluster)));
  for (const int node : nodes_of_ranks(cluster))
    ++counts[index(node)];
  return counts;
}

/// The first and the last number of `4-7`; of `3` both are 3.
std::pair<int, int> ends_of(const InputNode& item) {
  const std::string text = item.text("a whole number from 0 on, or a range as 4-7");
  const std::size_t dash = text.find('-');
  if (dash == text.npos) return {item.index(), item.index()};
  std::pair<int, int> ends;
  const auto is_number = [&text](std::size_t begin, std::size_t end, int& number) {
    const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + end, number);
    return error == std::errc{} && rest == text.data() + end && number >= 0;
  };
  if (!is_number(0, dash, ends.first) || !is_number(dash + 1, text.size(), ends.second) ||
      ends.first > ends.second) {
    item.fail(in_quotes(text), "a whole number from 0 on, or a range as 4-7");
  }
  return ends;
}

std::string interval(int numbers) {
  return numbers == 1 ? "0, the only one" : fmt::format("0 to {}", numbers - 1);
}

/// Numbers of `what` (node, GPU) below `numbers`, as many as `owner` has, each once.
std::vector<int> read_numbers(const InputNode& list, std::string_view what, int numbers,
                              std::string_view owner) {
  std::vector<int> found;
  std::unordered_set<int> known;
  for (const InputNode& item : list.one_or_more()) {
    const auto [first, last] = ends_of(item);
    if (last >= numbers) {
      item.fail(fmt::format("{} {}, but {} has {}", what, last, owner, numbers), interval(numbers));
    }
    for (int number = first; number <= last; ++number) {
      if (!known.insert(number).second) {
        item.fail(fmt::format("{} {} is repeated", what, number), "each number once");
      }
      found.push_back(number);
    }
  }
  return found;
}

std::vector<int> up_to(int count) {
  std::vector<int> numbers(index(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// The GPUs of the nodes `on`, which have `counts` of them.
std::vector<int> gpus_of(const std::vector<int>& on, const std::optional<InputNode>& gpus,
                         const std::vector<int>& counts) {
  const auto count_of = [&counts](int node) { return counts[index(node)]; };
  std::vector<int> of_each;
  if (gpus) {
    const int fewest = *std::ranges::min_element(on, {}, count_of);
    of_each = read_numbers(*gpus, "GPU", count_of(fewest), fmt::format("node{}", fewest));
  }
  std::vector<int> first(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), first.begin(), 0);
  std::vector<int> found;
  for (const int node : on) {
    for (const int gpu : gpus ? of_each : up_to(count_of(node)))
      found.push_back(first[index(node)] + gpu);
  }
  return found;
}

}  // namespace

std::vector<int> read_job_gpus(const std::optional<InputNode>& job,
                               const ScenarioOverrides& overrides, const ClusterSpec& cluster) {
  if (job) job->allow_keys_of("job");
  const auto list = [&job](std::string_view key, const std::string& option,
                           const std::optional<std::string>& text) {
    if (text) return std::optional{InputNode::from_option_list(option, *text)};
    return job ? job->find(key) : std::nullopt;
  };
  const auto nodes = list("nodes", "--nodes", overrides.nodes);
  const auto gpus = list("gpus", "--gpus", overrides.gpus);
  if (!nodes && !gpus) return {};

  const std::vector<int> counts = gpus_by_node(cluster);
  const int all = static_cast<int>(counts.size());
  const std::vector<int> on = nodes ? read_numbers(*nodes, "node", all, "the cluster") : up_to(all);
  std::vector<int> found = gpus_of(on, gpus, counts);
  const bool is_all = found == up_to(std::accumulate(counts.begin(), counts.end(), 0));
  return is_all ? std::vector<int>{} : found;
}

}  // namespace ringcast
