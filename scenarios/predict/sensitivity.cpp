#include "scenarios/predict/sensitivity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "engine/error.hpp"
#include "scenarios/input_numbers.hpp"
#include "scenarios/predict/cell_pool.hpp"
#include "scenarios/reader/input_node.hpp"
#include "scenarios/sensitivity_table.hpp"
#include "topology/topology.hpp"

namespace ringcast {
namespace {

/// One row's simulation with one number changed.
struct Variant {
  AllreduceRow* row = nullptr;
  InputNumber number;
  double factor = 1;
};

std::vector<AllreduceRow*> explained_rows(Result& result) {
  const std::size_t rows = result.rows.size();
  std::vector<AllreduceRow*> explained;
  for (std::size_t i = rows > most_explained_rows ? rows - 1 : 0; i < rows; ++i) {
    if (result.rows[i].time > Seconds{0}) explained.push_back(&result.rows[i]);
  }
  return explained;
}

/// Two after each other for each row and number: raised, lowered.
std::vector<Variant> variants_of(Result& result, const Scenario& scenario, double change) {
  const std::vector<InputNumber> numbers = input_numbers(scenario);
  std::vector<Variant> variants;
  for (AllreduceRow* const row : explained_rows(result)) {
    for (const InputNumber& number : numbers) {
      variants.push_back({row, number, 1 + change});
      variants.push_back({row, number, 1 - change});
    }
  }
  return variants;
}

/// The row's point of the sweep. Its text tells it from the others, since no value of a sweep comes
/// twice.
PlannedCell planned_cell_of(const AllreduceRow& row, const std::vector<PlannedCell>& cells) {
  const auto found = std::ranges::find_if(cells, [&](const PlannedCell& planned) {
    return to_text(planned.cell) == to_text(row.cell);
  });
  expect(found != cells.end(), "{} is no cell of the scenario", to_text(row.cell));
  return *found;
}

std::string simulated(const Variant& variant, const PlannedCell& planned, Scenario scenario,
                      const ReportProgress& report) {
  set_input_number(scenario, variant.number.name, variant.factor * variant.number.value);
  const Topology topology{build_cluster(scenario.cluster)};
  return to_json(simulate(planned, scenario, topology, {}, report));
}

/// By how much of its time the row would take longer.
double effect(const Variant& variant, const CellOutcome& outcome) {
  return row_from_json(outcome.text).time / variant.row->time - 1;
}

/// Greatest effect first; what is as good as equal stays in the order of the input numbers.
void sort_by_effect(std::vector<Sensitivity>& sensitivities) {
  constexpr double rounding = 1e-9;
  const auto key = [](const Sensitivity& each) {
    return has_effect(each) ? std::round(greatest_effect(each) / rounding) : 0.0;
  };
  std::ranges::stable_sort(sensitivities, std::greater{}, key);
}

FailedCell failure_of(const Variant& variant, const CellOutcome& outcome) {
  return {variant.row->cell,
          fmt::format("with {} of {} times its value: {}", variant.number.name, variant.factor,
                      outcome.text),
          outcome.exit_code};
}

}  // namespace

void add_sensitivity(Result& result, const Scenario& scenario, double change,
                     const PredictOptions& options) {
  expect(change > 0 && change < 1, "numbers changed by {} of themselves", change);
  const std::vector<Variant> variants = variants_of(result, scenario, change);
  const std::vector<PlannedCell> cells = plan(scenario, Topology{build_cluster(scenario.cluster)});
  std::vector<PlannedCell> planned;
  planned.reserve(variants.size());
  for (const Variant& variant : variants) {
    planned.push_back(planned_cell_of(*variant.row, cells));
  }
  const auto work = [&](std::size_t i, const ReportProgress& report) {
    return simulated(variants[i], planned[i], scenario, report);
  };
  const std::vector<CellOutcome> outcomes =
      run_cells(variants.size(), options.jobs, work, progress_of(planned, options));
  for (std::size_t i = 0; i < variants.size(); i += 2) {
    const std::array pair{i, i + 1};
    const auto failed =
        std::ranges::find_if(pair, [&](std::size_t each) { return !outcomes[each].succeeded; });
    if (failed != pair.end()) {
      result.failures.push_back(failure_of(variants[*failed], outcomes[*failed]));
      continue;
    }
    variants[i].row->sensitivity.push_back({variants[i].number, change,
                                            effect(variants[i], outcomes[i]),
                                            effect(variants[i + 1], outcomes[i + 1])});
  }
  for (AllreduceRow& row : result.rows) {
    sort_by_effect(row.sensitivity);
  }
}

double read_change(std::string_view text) {
  return InputNode::from_option("--change", text).percentage(1, 50);
}

}  // namespace ringcast
