#include "app/config/scenario/job_reader.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "app/config/cluster/host_reader.hpp"
#include "engine/numbers/ascii.hpp"
#include "topology/cluster/index.hpp"
#include "topology/cluster/part_of_cluster.hpp"

namespace ringcast {
namespace {

using detail::index;

/// What a list may name.
struct Numbered {
  std::string_view what;  // node, GPU
  int count;
  std::string owner;               // has them
  std::vector<std::string> hosts;  // names of them; empty: none

  [[nodiscard]] std::string name_of(int number) const {
    return hosts.empty() ? fmt::format("{} {}", what, number) : hosts[index(number)];
  }
};

/// The hosts by their names and, where these are clear, their names without a domain.
std::unordered_map<std::string, int> numbers_of(const std::vector<std::string>& hosts) {
  std::unordered_map<std::string, int> numbers;
  std::unordered_map<std::string, int> labels;  // how often each is there
  for (const std::string& host : hosts) {
    numbers.emplace(host, static_cast<int>(numbers.size()));
    ++labels[host.substr(0, host.find('.'))];
  }
  for (const std::string& host : hosts) {
    const std::string label = host.substr(0, host.find('.'));
    if (labels[label] == 1) numbers.emplace(label, numbers.at(host));
  }
  return numbers;
}

/// The first and the last number of `4-7`; of `3` both are 3. Nothing for another text.
std::optional<std::pair<int, int>> ends_of(std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto first = number_of<int>(text.substr(0, dash));
  const auto last = dash == text.size() ? first : number_of<int>(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *first > *last) return std::nullopt;
  return std::pair{*first, *last};
}

/// Reads a list of numbers, ranges of them and hosts, each number once.
class NumberList {
 public:
  explicit NumberList(const Numbered& all) : all_{all}, number_of_{numbers_of(all.hosts)} {
    expected_ = all.hosts.empty() ? std::string{"numbers from 0 on, e.g. 0-3,6"}
                                  : fmt::format("hosts, e.g. {}, or numbers from 0 on, e.g. 0-3,6",
                                                all.hosts.front());
  }

  std::vector<int> read(const InputNode& list) {
    for (const InputNode& item : list.one_or_more()) {
      for (const std::string& part : read_host_list(item, expected_))
        add(part, item);
    }
    if (found_.empty()) list.fail(fmt::format("no {}", all_.what), expected_);
    return std::move(found_);
  }

 private:
  void add(const std::string& spaced, const InputNode& item) {
    const std::string part{trimmed(spaced)};
    const auto host = number_of_.find(part);
    const auto ends =
        host == number_of_.end() ? ends_of(part) : std::pair{host->second, host->second};
    if (!ends) {
      item.fail(all_.hosts.empty() ? in_quotes(part)
                                   : fmt::format("{} is no host of the cluster", in_quotes(part)),
                expected_);
    }
    const auto [first, last] = *ends;
    if (last >= all_.count) {
      item.fail(fmt::format("{} {}, but {} has {}", all_.what, last, all_.owner, all_.count),
                all_.count == 1 ? "0, the only one" : fmt::format("0 to {}", all_.count - 1));
    }
    for (int number = first; number <= last; ++number) {
      if (!known_.insert(number).second) {
        item.fail(fmt::format("{} is repeated", all_.name_of(number)), "each once");
      }
      found_.push_back(number);
    }
  }

  const Numbered& all_;
  std::string expected_;
  std::unordered_map<std::string, int> number_of_;
  std::vector<int> found_;
  std::unordered_set<int> known_;
};

std::vector<int> up_to(int count) {
  std::vector<int> numbers(index(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// The numbers of GPUs of each node.
std::vector<int> gpus_by_node(const ClusterSpec& cluster) {
  std::vector<int> counts(index(count_nodes(cluster)));
  for (const int node : nodes_of_ranks(cluster))
    ++counts[index(node)];
  return counts;
}

/// The GPUs of the nodes `on`, which have `counts` of them.
std::vector<int> gpus_of(const std::vector<int>& on, const std::optional<InputNode>& gpus,
                         const Numbered& nodes, const std::vector<int>& counts) {
  const auto count_of = [&counts](int node) { return counts[index(node)]; };
  std::vector<int> of_each;
  if (gpus) {
    const int fewest = *std::ranges::min_element(on, {}, count_of);
    of_each = NumberList{{"GPU", count_of(fewest), nodes.name_of(fewest), {}}}.read(*gpus);
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

/// The nodes of the list, which must have GPUs; without a list, all that have.
std::vector<int> nodes_of(const std::optional<InputNode>& list, const Numbered& nodes,
                          const std::vector<int>& counts) {
  std::vector<int> on = list ? NumberList{nodes}.read(*list) : up_to(nodes.count);
  const auto is_bare = [&counts](int node) { return counts[index(node)] == 0; };
  const auto bare = std::ranges::find_if(on, is_bare);
  if (list && bare != on.end()) {
    list->fail(fmt::format("{} has no GPU", nodes.name_of(*bare)), "nodes with GPUs");
  }
  std::erase_if(on, is_bare);
  return on;
}

}  // namespace

std::vector<int> read_job_gpus(const std::optional<InputNode>& job,
                               const ScenarioOverrides& overrides, const ClusterSpec& cluster) {
  if (job) job->allow_keys_of("job");
  const auto list = [&job](std::string_view key, const std::string& option,
                           const std::optional<std::string>& text) {
    if (text) return std::optional{InputNode::from_option(option, *text)};
    return job ? job->find(key) : std::nullopt;
  };
  const auto nodes = list("nodes", "--nodes", overrides.nodes);
  const auto gpus = list("gpus", "--gpus", overrides.gpus);
  if (!nodes && !gpus) return {};

  const std::vector<int> counts = gpus_by_node(cluster);
  const Numbered all{"node", static_cast<int>(counts.size()), "the cluster",
                     hosts_of_nodes(cluster)};
  std::vector<int> found = gpus_of(nodes_of(nodes, all, counts), gpus, all, counts);
  const bool is_all = found == up_to(std::accumulate(counts.begin(), counts.end(), 0));
  return is_all ? std::vector<int>{} : found;
}

}  // namespace ringcast
