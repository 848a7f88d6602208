#include "app/predict/until_efficiency.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/common/signal_watch.hpp"
#include "app/predict/iteration_bound.hpp"
#include "app/predict/machine_of_scenario.hpp"
#include "app/report/provenance.hpp"
#include "engine/numbers/error.hpp"
#include "topology/cluster/part_of_cluster.hpp"

namespace ringcast {
namespace {

/// Efficiency is not always monotonic: with strong scaling a batch may be divided unevenly, and
/// some algorithms are best for powers of two. Up to this number of GPUs all numbers are tried.
constexpr int each_up_to = 64;

/// The fraction of a search after which the time of the rest can be estimated: more GPUs take
/// longer.
constexpr double least_estimable = 0.1;

/// Splits each scenario into one per value.
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

/// The scenario split by configuration, in the order of its plan.
std::vector<Scenario> configurations_of(const Scenario& scenario) {
  std::vector<Scenario> configurations{scenario};
  configurations = split(
      configurations, [](auto&& each) -> auto& { return each.training->batches; });
  configurations = split(
      configurations, [](auto&& each) -> auto& { return each.algorithms; });
  configurations = split(
      configurations, [](auto&& each) -> auto& { return each.ring_orders; });
  for (Scenario& configuration : configurations) {
    if (configuration.algorithms.front() == asynchronous_algorithm) {  // the plan lists it once
      configuration.training->buckets.resize(1);
      configuration.training->overlaps = {false};
    }
  }
  configurations = split(
      configurations, [](auto&& each) -> auto& { return each.training->buckets; });
  return split(
      configurations, [](auto&& each) -> auto& { return each.training->overlaps; });
}

int most_gpus(const Scenario& configuration, int gpus) {
  const BatchChoice& batch = configuration.training->batches.front();
  if (batch.scaling == Scaling::weak) {
    return gpus;
  }
  return static_cast<int>(
      std::min<std::int64_t>(gpus, batch.samples / configuration.training->accumulation));
}

/// The numbers of GPUs that fill nodes, ascending, and finally `most`, which may not.
std::vector<int> whole_nodes(const ClusterSpec& cluster, int most) {
  const std::vector<int> nodes = nodes_of_ranks(cluster);
  std::vector<int> numbers;
  for (std::size_t rank = 1; rank < static_cast<std::size_t>(most); ++rank) {
    if (nodes[rank] != nodes[rank - 1]) numbers.push_back(static_cast<int>(rank));
  }
  numbers.push_back(most);
  return numbers;
}

/// Tries numbers of GPUs for one configuration, each once.
class Search {
 public:
  /// `report` receives the estimated progress of the search.
  Search(Scenario configuration, double target, PredictOptions options, WorkProgress report)
      : configuration_{std::move(configuration)},
        target_{target},
        options_{std::move(options)},
        report_{std::move(report)} {}

  [[nodiscard]] EfficiencyLimit find(int most) {
    if (most < 2) throw ScenarioError{"the batch is for one GPU only (expected more samples)"};
    most_ = most;
    std::vector<int> numbers = whole_nodes(configuration_.cluster, most);
    try_one(numbers.front());
    if (!keeps(numbers.front()) && numbers.front() > 1) {
      numbers.resize(static_cast<std::size_t>(numbers.front()));
      std::iota(numbers.begin(), numbers.end(), 1);
    }
    EfficiencyLimit limit = first_miss(numbers);
    if (limit.next) add_dividing(numbers, limit);
    return limit;
  }

 private:
  /// The first of the numbers keeps the target, or is 1.
  [[nodiscard]] EfficiencyLimit first_miss(const std::vector<int>& numbers) {
    for (std::size_t keeping = 0; keeping + 1 < numbers.size();) {
      // Next: up to twice as many, each of them or the last only.
      const std::size_t last = std::min(2 * keeping + 1, numbers.size() - 1);
      const std::size_t first = numbers[last] <= each_up_to ? keeping + 1 : last;
      try_all({numbers.begin() + static_cast<std::ptrdiff_t>(first),
               numbers.begin() + static_cast<std::ptrdiff_t>(last + 1)},
              fmt::format("trying {} GPUs", numbers[last]), left_by_doubling(numbers[last]));
      for (std::size_t i = first; i <= last; ++i) {
        if (!keeps(numbers[i])) return between(keeping, i, numbers);
        keeping = i;
      }
    }
    return {rows_.at(numbers.back()), std::nullopt};
  }
  /// `left`: the sum of the numbers that are expected to be tried later. A simulation's time is
  /// about proportional to its number of GPUs.
  void try_all(std::vector<int> numbers, const std::string& doing, double left) {
    std::erase_if(numbers, [&](int ranks) { return rows_.contains(ranks); });
    if (numbers.empty()) return;
    configuration_.ranks = numbers;
    const double tries = std::accumulate(numbers.begin(), numbers.end(), 0.0);
    double part = 0;  // of the search that is done
    options_.progress = [&](WorkDone done) {
      // predict_training() begins again with the iterations once the calls are done.
      part = std::max(part, (tried_ + done.fraction * tries) / (tried_ + tries + left));
      done.fraction = part;
      done.doing = doing;
      report_(done);
    };
    Result result = predict_training(configuration_, options_);
    tried_ += tries;
    SignalWatch::throw_if_noted();
    if (!result.failures.empty()) {
      const FailedCell& failed = result.failures.front();
      throw_error(failed.exit_code, fmt::format("{}: {}", to_text(failed.cell), failed.error));
    }
    for (Row& row : result.rows) {
      rows_.insert_or_assign(row.cell.ranks, std::move(row));
    }
  }
  [[nodiscard]] bool keeps(int ranks) const {
    return keeps_target(rows_.at(ranks).efficiency(), target_);
  }
  void try_one(int ranks) {
    try_all({ranks}, fmt::format("trying {}", counted(ranks, "GPU")), left_by_doubling(ranks));
  }
  /// n + 2n + 4n + ..., up to the most.
  [[nodiscard]] double left_by_doubling(int tried) const { return 2.0 * (most_ - tried); }
  [[nodiscard]] EfficiencyLimit between(std::size_t keeping, std::size_t below,
                                        const std::vector<int>& numbers) {
    while (below - keeping > 1) {
      const std::size_t middle = keeping + (below - keeping) / 2;
      const auto later = std::bit_width(below - keeping - 1) - 1;
      try_all({numbers[middle]},
              fmt::format("looking between {} and {} GPUs", numbers[keeping], numbers[below]),
              static_cast<double>(later) * numbers[middle]);
      (keeps(numbers[middle]) ? keeping : below) = middle;
    }
    if (numbers[keeping] == 1) refuse_target();
    return {rows_.at(numbers[keeping]), rows_.at(numbers[below])};
  }
  /// Where the limit is one of rounding, larger numbers of GPUs may keep the target.
  void add_dividing(const std::vector<int>& numbers, EfficiencyLimit& limit) {
    const Training& training = *configuration_.training;
    const BatchChoice& batch = training.batches.front();
    const auto computed = [&](int gpus) {
      return batch_per_gpu(training, batch, gpus) * training.accumulation * gpus;
    };
    const int next = limit.next->cell.ranks;
    if (batch.scaling == Scaling::weak || computed(next) == batch.samples) return;
    const double rounding =
        static_cast<double>(computed(next)) / static_cast<double>(batch.samples);
    if (!keeps_target(rounding * limit.next->efficiency(), target_)) return;  // it communicates
    limit.rounded = {batch.samples, computed(next)};
    for (const int gpus : numbers) {
      if (gpus <= next || computed(gpus) != batch.samples) continue;
      if (!may_reach(target_, gpus)) return;
      try_one(gpus);
      limit.rounded->dividing.push_back(rows_.at(gpus));
      if (!keeps(gpus)) return;
    }
  }
  [[noreturn]] void refuse_target() {
    // Two GPUs do not reach the target: try whether more do.
    for (int ranks = 4; ranks < most_; ranks *= 2) {
      try_unless_worse(ranks);
    }
    try_unless_worse(most_);
    const Row& best = best_of_several();
    const int gpus = best.cell.ranks;
    if (keeps(gpus)) {
      const Row& two = rows_.at(2);
      throw ScenarioError{fmt::format(
          "2 GPUs already fall below {:g}%, to {}%, though {} keep {}%: {} (expected a target of "
          "{}% or less)",
          100 * target_, percent(two), counted(gpus, "GPU"), percent(best), to_text(two.cell),
          percent_kept(two.efficiency()))};
    }
    throw ScenarioError{fmt::format(
        "no number of GPUs keeps {:g}%; the best keeps {}%: {} (expected a target of {}% or less)",
        100 * target_, percent(best), to_text(best.cell), percent_kept(best.efficiency()))};
  }
  /// One GPU is the reference, not an answer.
  [[nodiscard]] const Row& best_of_several() const {
    const auto best = std::ranges::max_element(rows_, {}, [](const auto& entry) {
      return entry.first > 1 ? entry.second.efficiency() : -1;
    });
    return best->second;
  }
  /// Simulating many workers takes minutes, and a bound often shows that they are no better than
  /// few.
  void try_unless_worse(int ranks) {
    if (may_reach(best_of_several().efficiency(), ranks)) try_one(ranks);
  }
  /// Whether a bound of the iteration allows the efficiency.
  [[nodiscard]] bool may_reach(double efficiency, int ranks) {
    configuration_.ranks = {ranks};
    const Topology topology{machine_of_jobs(configuration_)};
    const PlannedTraining planned = plan_training(configuration_, topology).front();
    if (planned.refusal) return true;
    Row fastest;
    fastest.cell = planned.cell;
    fastest.time = iteration_bound(planned, configuration_, topology);
    fastest.iteration.emplace().one_gpu_samples_per_s = planned.one_gpu_samples_per_s;
    return keeps_target(fastest.efficiency(), efficiency);
  }
  [[nodiscard]] std::string percent(const Row& row) const {
    return percent_beside(row.efficiency(), target_);
  }

  Scenario configuration_;
  double target_;
  PredictOptions options_;
  WorkProgress report_;
  std::map<int, Row> rows_;
  double tried_ = 0;  // the sum of the numbers tried
  int most_ = 1;
};

}  // namespace

bool keeps_target(double efficiency, double target) {
  constexpr double rounding = 1e-9;
  return efficiency >= target - rounding;
}

UntilEfficiency until_efficiency(const Scenario& scenario, double target,
                                 const PredictOptions& options) {
  for (const RingChoice& ring : scenario.ring_orders) {
    if (!ring.given.empty()) {
      throw ScenarioError{fmt::format(
          "--until-efficiency: the ring order {} is of one number of ranks (expected a rule)",
          ring.name)};
    }
  }
  const int gpus = count_ranks(scenario.cluster);
  if (gpus < 2) {
    throw ScenarioError{"--until-efficiency: the cluster has one GPU (expected two or more)"};
  }
  UntilEfficiency answer{provenance_of(scenario, "simgrid", true), target, {}, {}};
  std::vector<Scenario> configurations = configurations_of(scenario);
  for (Scenario& configuration : configurations) {
    const std::size_t ended = answer.limits.size() + answer.not_kept.size();
    const auto report = [&](WorkDone done) {
      if (!options.progress) return;
      done.ended = ended;
      done.cells = configurations.size();
      done.fraction =
          (static_cast<double>(ended) + done.fraction) / static_cast<double>(done.cells);
      done.is_known = done.is_known && done.fraction >= least_estimable;
      options.progress(done);
    };
    const int most = most_gpus(configuration, gpus);
    try {
      answer.limits.push_back(Search{std::move(configuration), target, options, report}.find(most));
    } catch (const ScenarioError& refusal) {
      answer.not_kept.emplace_back(refusal.what());
    }
    report({1});
  }
  if (answer.limits.empty()) {
    throw ScenarioError{fmt::format("--until-efficiency: {}", fmt::join(answer.not_kept, "; "))};
  }
  return answer;
}

}  // namespace ringcast
