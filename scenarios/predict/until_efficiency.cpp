#include "scenarios/predict/until_efficiency.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/error.hpp"
#include "scenarios/counted.hpp"
#include "scenarios/provenance.hpp"

namespace ringcast {
namespace {

/// Each of the scenarios with one of its values only: as many as there are values.
template <typename Values>
std::vector<Scenario> split(const std::vector<Scenario>& scenarios, const Values& values) {
  std::vector<Scenario> parts;
  for (const Scenario& scenario : scenarios) {
    for (const auto& value : values(scenario)) {
      parts.push_back(scenario);
      values(parts.back()) = {value};
    }
  }
  return parts;
}

/// The scenario with one way to train only, as its plan lists them.
std::vector<Scenario> ways_of(const Scenario& scenario) {
  std::vector<Scenario> ways{scenario};
  ways = split(
      ways, [](auto&& each) -> auto& { return each.training->batches; });
  ways = split(
      ways, [](auto&& each) -> auto& { return each.algorithms; });
  ways = split(
      ways, [](auto&& each) -> auto& { return each.ring_orders; });
  for (Scenario& way : ways) {
    if (way.algorithms.front() == asynchronous_algorithm) {  // the plan lists it once
      way.training->buckets.resize(1);
      way.training->overlaps = {false};
    }
  }
  ways = split(
      ways, [](auto&& each) -> auto& { return each.training->buckets; });
  return split(
      ways, [](auto&& each) -> auto& { return each.training->overlaps; });
}

int most_gpus(const Scenario& way, int gpus) {
  const BatchChoice& batch = way.training->batches.front();
  if (batch.scaling == Scaling::weak) {
    return gpus;
  }
  return static_cast<int>(std::min<std::int64_t>(gpus, batch.samples / way.training->accumulation));
}

/// Tries numbers of GPUs for one way, each once.
class Search {
 public:
  Search(Scenario way, double target, const TrainingOptions& options)
      : way_{std::move(way)}, target_{target}, options_{options} {}

  [[nodiscard]] EfficiencyLimit find(int most) {
    std::vector<int> numbers;
    for (int ranks = 1; ranks < most; ranks *= 2) {
      numbers.push_back(ranks);
    }
    numbers.push_back(most);
    try_all(numbers);
    const auto below = std::ranges::find_if(numbers, [&](int ranks) { return !keeps(ranks); });
    if (below == numbers.end()) {
      return {rows_.at(most), std::nullopt};
    }
    if (below == numbers.begin()) {
      refuse_target();
    }
    return between(*(below - 1), *below);
  }

 private:
  void try_all(const std::vector<int>& numbers) {
    way_.ranks = numbers;
    Result result = predict_training(way_, options_);
    if (!result.failures.empty()) {
      throw ScenarioError{result.failures.front().error};
    }
    for (TrainingRow& row : result.training) {
      rows_.insert_or_assign(row.cell.cell.ranks, std::move(row));
    }
  }
  [[nodiscard]] bool keeps(int ranks) const {
    constexpr double rounding = 1e-9;
    return rows_.at(ranks).efficiency() >= target_ - rounding;
  }
  [[nodiscard]] EfficiencyLimit between(int keeping, int below) {
    while (below - keeping > 1) {
      const int middle = keeping + (below - keeping) / 2;
      try_all({middle});
      (keeps(middle) ? keeping : below) = middle;
    }
    if (keeping == 1) {
      refuse_target();
    }
    return {rows_.at(keeping), rows_.at(below)};
  }
  [[noreturn]] void refuse_target() const {
    // One GPU is what the others are held against, and no answer.
    const auto several = std::ranges::max_element(rows_, {}, [](const auto& entry) {
      return entry.first > 1 ? entry.second.efficiency() : -1;
    });
    const TrainingRow& best = several->second;
    throw ScenarioError{fmt::format(
        "--until-efficiency: {} never keep {:g}% (expected {:.1f}% at most, the best, of {})",
        to_text(best.cell), 100 * target_, 100 * best.efficiency(),
        counted(best.cell.cell.ranks, "GPU"))};
  }

  Scenario way_;
  double target_;
  TrainingOptions options_;
  std::map<int, TrainingRow> rows_;
};

}  // namespace

UntilEfficiency until_efficiency(const Scenario& scenario, double target,
                                 const TrainingOptions& options) {
  for (const RingChoice& ring : scenario.ring_orders) {
    if (!ring.given.empty()) {
      throw ScenarioError{fmt::format(
          "--until-efficiency: the ring order {} is of one number of ranks (expected a rule)",
          ring.name)};
    }
  }
  const int gpus = Topology{build_cluster(scenario.cluster)}.ranks();
  if (gpus < 2) {
    throw ScenarioError{"--until-efficiency: the cluster has one GPU (expected two or more)"};
  }
  UntilEfficiency answer{provenance_of(scenario, "simgrid", true), target, {}};
  for (Scenario& way : ways_of(scenario)) {
    const int most = most_gpus(way, gpus);
    answer.limits.push_back(Search{std::move(way), target, options}.find(most));
  }
  return answer;
}

}  // namespace ringcast
