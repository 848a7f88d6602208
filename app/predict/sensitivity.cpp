#include "app/predict/sensitivity.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "app/config/scenario/input_numbers.hpp"
#include "app/config/yaml/input_node.hpp"
#include "app/predict/cell_identity.hpp"
#include "app/predict/machine_of_scenario.hpp"
#include "app/predict/predict_training.hpp"
#include "app/predict/training_calls.hpp"
#include "app/predict/training_messages.hpp"
#include "app/predict/tuned_cells.hpp"
#include "app/report/json_text.hpp"
#include "app/report/sensitivity_table.hpp"
#include "engine/numbers/error.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {
namespace {

/// A row to explain, of an all-reduce or of a training.
struct Explained {
  FailedCell cell;  // the cell that failures name
  std::vector<Sensitivity>* sensitivity = nullptr;
  Seconds work{0};  // expected
  /// The row under the scenario, or one with other parameters.
  std::function<Row(const Scenario&, const ReportProgress&)> simulated = {};
};

/// One simulation of a row, with one number changed or none.
struct Variant {
  std::size_t row = 0;
  std::optional<InputNumber> number = {};
  double factor = 1;
};

/// The place of a row's cell in the plan, which is unique: a sweep has no repeated values.
template <typename Planned>
std::size_t place_of(const Row& row, const std::vector<Planned>& plan) {
  const std::string key = key_of(row.cell);
  const auto found =
      std::ranges::find(plan, key, [](const Planned& planned) { return key_of(planned.cell); });
  expect(found != plan.end(), "{} is no cell of the scenario", to_text(row.cell));
  return static_cast<std::size_t>(found - plan.begin());
}

/// The rows that are explained: all of a few, the last of many.
std::span<Row> last_of(std::vector<Row>& rows) {
  const std::span<Row> all{rows};
  return all.size() > most_explained_rows ? all.last(1) : all;
}

/// The row, from the cache or by a simulation in this process. The plan of the cell, which may take
/// long, is made here only.
Row found_row(const Cell& cell, const std::string& identity, CellCache* cache,
              const std::function<Row()>& simulate_it) {
  if (const auto text = cache != nullptr ? cache->find(identity) : std::nullopt) {
    return row_from_outcome(cell, *text);
  }
  const auto begin = std::chrono::steady_clock::now();
  Row row = simulate_it();
  if (cache != nullptr) {
    cache->keep(identity, checked_outcome(row), std::chrono::steady_clock::now() - begin);
  }
  return row;
}

std::vector<Explained> explained_allreduces(Result& result, const Scenario& scenario,
                                            CellCache* cache) {
  const Topology unchanged{machine_of_jobs(scenario)};
  TunedJobs found{scenario, unchanged};
  const std::vector<PlannedCell> cells = plan(scenario, unchanged, found);
  std::vector<Explained> explained;
  for (Row& row : last_of(result.rows)) {
    if (row.time == Seconds{0}) {
      continue;
    }
    const std::size_t place = place_of(row, cells);
    explained.push_back({{row.cell, "", 1},
                         &row.sensitivity,
                         expected_work(cells[place], {}),
                         [place, cache, searched = found.searched()](const Scenario& changed,
                                                                     const ReportProgress& report) {
                           const Topology topology{machine_of_jobs(changed)};
                           TunedJobs jobs{changed, topology, searched};
                           const PlannedCell planned = plan(changed, topology, jobs).at(place);
                           const CellIdentities identities{changed, Fidelity::cheapest};
                           return found_row(planned.cell, identities.of(planned), cache, [&] {
                             return simulate(planned, changed, topology, {}, report);
                           });
                         }});
  }
  return explained;
}

std::vector<Explained> explained_trainings(Result& result, const Scenario& scenario,
                                           CellCache* cache) {
  const Topology unchanged{machine_of_jobs(scenario)};
  TunedJobs found{scenario, unchanged};
  const std::vector<PlannedTraining> cells = plan_training(scenario, unchanged, found);
  std::vector<Explained> explained;
  for (Row& row : last_of(result.rows)) {
    const std::size_t place = place_of(row, cells);
    explained.push_back(
        {{row.cell, "", 1},
         &row.sensitivity,
         expected_work(cells[place], Fidelity::cheapest),
         [place, cache, searched = found.searched()](const Scenario& changed,
                                                     const ReportProgress& report) {
           const Topology topology{machine_of_jobs(changed)};
           TunedJobs jobs{changed, topology, searched};
           // The plan has the layers' times.
           const PlannedTraining planned = plan_training(changed, topology, jobs).at(place);
           const CellIdentities identities{changed, Fidelity::cheapest};
           const auto find = [&](const PlannedCell& call) {
             return found_row(call.cell, identities.of(call), cache,
                              [&] { return simulate(call, changed, topology, {}, report); });
           };
           const auto iterate = [&] {
             return find_iteration(planned, changed, topology, {}, 0, report, find);
           };
           return found_row(planned.cell, identities.of(planned, 0), cache, iterate);
         }});
  }
  return explained;
}

/// For each row the reference simulation, then two for each parameter: raised, lowered.
std::vector<Variant> variants_of(std::size_t rows, const std::vector<InputNumber>& numbers,
                                 double change) {
  std::vector<Variant> variants;
  for (std::size_t row = 0; row < rows; ++row) {
    variants.push_back({row});
    for (const InputNumber& number : numbers) {
      variants.push_back({row, number, 1 + change});
      variants.push_back({row, number, 1 - change});
    }
  }
  return variants;
}

std::string key_of(const Variant& variant, const std::vector<Explained>& rows) {
  return fmt::format("{} times {} of {}", variant.factor,
                     variant.number ? variant.number->name : "nothing",
                     key_of(rows[variant.row].cell.cell));
}

double changed_value(const InputNumber& number, double factor) {
  const double value = factor * number.value;
  return is_efficiency(number) ? std::min(1.0, value) : value;
}

/// The time in seconds, a blank, and the algorithm with its channels.
std::string simulated(const Explained& explained, const Variant& variant, Scenario scenario,
                      const ReportProgress& report) {
  if (variant.number) {
    set_input_number(scenario, variant.number->name,
                     changed_value(*variant.number, variant.factor));
  }
  const Row row = explained.simulated(scenario, report);
  return fmt::format("{} {}", row.time.count(), chosen_text(row.cell));
}

/// Greatest effect first; ties keep the order of the parameters.
void sort_by_effect(std::vector<Sensitivity>& sensitivities) {
  constexpr double rounding = 1e-9;
  const auto key = [](const Sensitivity& each) {
    return has_effect(each) ? std::round(greatest_effect(each) / rounding) : 0.0;
  };
  std::ranges::stable_sort(sensitivities, std::greater{}, key);
}

FailedCell failure_of(const Explained& row, const Variant& variant, const CellOutcome& outcome) {
  FailedCell failed = row.cell;
  failed.exit_code = outcome.exit_code;
  failed.error = variant.number ? fmt::format("with {} of {} times its value: {}",
                                              variant.number->name, variant.factor, outcome.text)
                                : outcome.text;
  return failed;
}

/// Reads the outcomes of one row's variants, the first of which has no number changed.
void explain(const Explained& row, std::span<const Variant> variants,
             std::span<const CellOutcome> outcomes, double change, Result& result) {
  if (any_interrupted(outcomes)) {
    result.failures.push_back({row.cell.cell, "not explained: interrupted", Interrupted::code});
    return;
  }
  const auto failed = [&](std::size_t i) {
    if (!outcomes[i].succeeded()) {
      result.failures.push_back(failure_of(row, variants[i], outcomes[i]));
    }
    return !outcomes[i].succeeded();
  };
  if (failed(0)) {
    return;
  }
  const auto time = [&](std::size_t i) { return std::stod(outcomes[i].text); };
  const auto effect = [&](std::size_t i) { return time(i) / time(0) - 1; };
  const auto algorithm = [&](std::size_t i) {
    return outcomes[i].text.substr(outcomes[i].text.find(' ') + 1);
  };
  const auto taken = [&](std::size_t i) {
    return algorithm(i) == algorithm(0) ? "" : algorithm(i);
  };
  for (std::size_t i = 1; i < variants.size(); i += 2) {
    if (!failed(i) && !failed(i + 1)) {
      row.sensitivity->push_back(
          {*variants[i].number, change, effect(i), effect(i + 1), taken(i), taken(i + 1)});
    }
  }
  sort_by_effect(*row.sensitivity);
}

}  // namespace

void add_sensitivity(Result& result, const Scenario& scenario, double change, int jobs,
                     const WorkProgress& progress, KeptCells* kept, CellCache* cache) {
  expect(change > 0 && change < 1, "numbers changed by {} of themselves", change);
  const std::vector<Explained> rows = scenario.training
                                          ? explained_trainings(result, scenario, cache)
                                          : explained_allreduces(result, scenario, cache);
  std::vector<InputNumber> numbers = input_numbers(scenario);
  // An efficiency of 1 is no efficiency.
  std::erase_if(numbers,
                [](const InputNumber& each) { return is_efficiency(each) && each.value == 1; });
  const std::vector<Variant> variants = variants_of(rows.size(), numbers, change);
  std::vector<Seconds> expected;
  expected.reserve(variants.size());
  for (const Variant& variant : variants) {
    expected.push_back(rows[variant.row].work);
  }
  const auto work = [&](std::size_t i, const ReportProgress& report) {
    const Variant& variant = variants[i];
    return simulated(rows[variant.row], variant, scenario, report);
  };
  const CellMemory memory{kept, [&](std::size_t i) { return key_of(variants[i], rows); }};
  if (cache != nullptr) cache->close();  // each child opens its file itself
  const std::vector<CellOutcome> outcomes = run_cells(
      variants.size(), jobs, work, weighted_progress(std::move(expected), progress), memory);
  const std::size_t per_row = 1 + 2 * numbers.size();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    explain(rows[row], std::span{variants}.subspan(row * per_row, per_row),
            std::span{outcomes}.subspan(row * per_row, per_row), change, result);
  }
}

double read_change(std::string_view text) {
  return InputNode::from_option("--change", text).percentage(1, 50);
}

}  // namespace ringcast
