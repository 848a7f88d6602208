#include "app/predict/refit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "app/calibrate/fit.hpp"
#include "app/common/counted.hpp"
#include "app/common/signal_watch.hpp"
#include "app/predict/predict_each.hpp"
#include "app/report/text_table.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;

/// A row to fit on, and its set.
struct FitRow {
  const PublishedSet& set;
  const PublishedRow& row;
};

std::vector<FitRow> rows_to_fit_on(const std::vector<PublishedSet>& sets) {
  std::vector<FitRow> rows;
  for (const PublishedSet& set : sets) {
    for (const PublishedRow& row : set.rows) {
      if (row.fitted) rows.push_back({set, row});
    }
  }
  return rows;
}

std::vector<RefittedNumber> numbers_to_fit(const std::vector<PublishedSet>& sets) {
  std::vector<RefittedNumber> numbers;
  for (const PublishedSet& set : sets) {
    const std::vector<InputNumber> known = input_numbers(set.scenario);
    for (const FittedInput& wanted : set.fitted_numbers) {
      const fs::path file = file_of(wanted.name, set);
      const bool is_new = std::ranges::none_of(numbers, [&](const RefittedNumber& number) {
        return number.stored.name == wanted.name && number.file == file;
      });
      const auto stored = std::ranges::find(known, wanted.name, &InputNumber::name);
      expect(stored != known.end(), "no input number {}", wanted.name);
      if (is_new) numbers.push_back({*stored, file, stored->value, false, false, std::nullopt});
    }
  }
  if (numbers.empty()) {
    throw ScenarioError{"--refit: no set names a number to fit (expected the key fit_on)"};
  }
  return numbers;
}

Scenario scenario_with(const FitRow& fit_row, const std::vector<RefittedNumber>& numbers,
                       const std::vector<double>& values) {
  Scenario scenario = scenario_of(fit_row.set, fit_row.row);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string& name = numbers[i].stored.name;
    const bool is_other_software = is_of_transport(name) && !fit_row.row.transport.empty();
    if (!is_other_software && file_of(name, fit_row.set) == numbers[i].file) {
      set_input_number(scenario, name, values[i]);
    }
  }
  return scenario;
}

std::vector<Seconds> times(const std::vector<FitRow>& rows,
                           const std::vector<RefittedNumber>& numbers,
                           const std::vector<double>& values, const PredictOptions& options) {
  std::vector<Scenario> scenarios;
  scenarios.reserve(rows.size());
  for (const FitRow& row : rows)
    scenarios.push_back(scenario_with(row, numbers, values));
  std::vector<Seconds> all;
  const std::vector<Prediction> predictions =
      predict_each(scenarios, topologies_of(scenarios), options);
  SignalWatch::throw_if_noted();
  for (const Prediction& prediction : predictions) {
    if (const auto* failed = std::get_if<FailedCell>(&prediction)) {
      throw TransportError{fmt::format("{}: {}", to_text(failed->cell), failed->error)};
    }
    all.push_back(std::get<Row>(prediction).time);
  }
  return all;
}

FitNumber start_of(const RefittedNumber& number) {
  constexpr double widest = 100;
  const double value = number.stored.value;
  const double most = number.stored.unit == Unit::fraction ? 1 : value * widest;
  return {number.stored.name, value, value / widest, most};
}

double mean_absolute(const std::vector<double>& errors) {
  const double sum = std::accumulate(errors.begin(), errors.end(), 0.0,
                                     [](double a, double b) { return a + std::abs(b); });
  return sum / static_cast<double>(errors.size());
}

std::string refitted_text(const RefittedNumber& number) {
  InputNumber found = number.stored;
  found.value = number.value;
  return to_text(found);
}

}  // namespace

Refit refit(const std::vector<PublishedSet>& sets, const PredictOptions& options) {
  Refit result;
  result.numbers = numbers_to_fit(sets);
  const std::vector<FitRow> rows = rows_to_fit_on(sets);
  result.rows = rows.size();
  std::vector<Seconds> measured;
  measured.reserve(rows.size());
  for (const FitRow& row : rows)
    measured.push_back(row.row.measured);
  std::vector<FitNumber> starts;
  std::vector<double> stored;
  for (const RefittedNumber& number : result.numbers) {
    starts.push_back(start_of(number));
    stored.push_back(number.stored.value);
  }
  const auto predict = [&](const std::vector<double>& values) {
    return times(rows, result.numbers, values, options);
  };

  std::vector<double> errors;
  const std::vector<Seconds> with_stored = predict(stored);
  for (std::size_t i = 0; i < rows.size(); ++i)
    errors.push_back((with_stored[i] - measured[i]) / measured[i]);
  result.error_stored = mean_absolute(errors);

  const Fit found = fit(starts, predict, measured);
  for (std::size_t i = 0; i < result.numbers.size(); ++i) {
    const FittedNumber& number = found.numbers[i];
    result.numbers[i].value = number.value;
    result.numbers[i].determined = number.determined;
    result.numbers[i].at_bound = number.at_bound;
    result.numbers[i].uncertainty = number.uncertainty;
  }
  result.error_refitted = mean_absolute(found.residuals);
  result.converged = found.converged;
  return result;
}

std::string to_table(const Refit& refit) {
  using Number = RefittedNumber;
  const std::vector<Column<Number>> columns{
      {"number", [](const Number& number) { return number.stored.name; }, Hidden::never, true},
      {"stored", [](const Number& number) { return to_text(number.stored); }},
      {"refitted", refitted_text},
      {"difference %",
       [](const Number& number) { return signed_percent(number.value / number.stored.value - 1); }},
      {"+- %",
       [](const Number& number) {
         return number.uncertainty ? fmt::format("{:.1f}", 100 * *number.uncertainty) : "-";
       }},
      {"remark",
       [](const Number& number) {
         return !number.determined ? "not determined" : number.at_bound ? "at its bound" : "-";
       },
       Hidden::never, true},
      {"file", [](const Number& number) { return number.file.filename().string(); }, Hidden::never,
       true}};
  return fmt::format(
             "# refit on {}: mean absolute error {:.1f} % with the stored values, {:.1f} % "
             "refitted{}\n",
             counted(refit.rows, "row"), 100 * refit.error_stored, 100 * refit.error_refitted,
             refit.converged ? "" : " (the search did not converge)") +
         table_of(columns, refit.numbers);
}

}  // namespace ringcast
