#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/common/median.hpp"
#include "app/predict/leave_one_out.hpp"
#include "app/predict/validate.hpp"
#include "app/report/text_table.hpp"

namespace ringcast {
namespace {

/// The properties of a row that differ from other rows of its set.
std::string mark_of(const PublishedRow& row, const PublishedSet& set) {
  std::string mark;
  const auto add = [&mark](const std::string& word) { mark += (mark.empty() ? "" : ", ") + word; };
  if (!row.transport.empty()) add(row.transport);
  if (row.algorithm != set.scenario.algorithms.front()) add("given");
  if (row.fitted) {
    add("fit");
  } else if (row.not_judged) {
    add("not judged");
  }
  return mark;
}

/// Each reason for not judging rows, with the number of its rows and their error.
std::string reasons(const ValidatedSet& set) {
  struct Reason {
    std::string why;
    std::vector<double> errors;
  };
  std::vector<Reason> reasons;
  for (const ValidatedRow& row : set.rows) {
    if (!row.published.not_judged) continue;
    auto known = std::ranges::find(reasons, *row.published.not_judged, &Reason::why);
    if (known == reasons.end()) {
      known = reasons.insert(known, {*row.published.not_judged, {}});
    }
    known->errors.push_back(std::abs(relative_error(row)));
  }
  std::string text;
  for (auto& [why, errors] : reasons) {
    const std::size_t rows = errors.size();
    text += fmt::format("# {} not judged: {}; median error {:.1f} %\n", counted(rows, "row"), why,
                        100 * median(std::move(errors)));
  }
  return text;
}

std::string rows_table(const ValidatedSet& set) {
  constexpr int digits = 4;  // small all-reduces take microseconds
  const bool compared = std::ranges::any_of(set.rows, &ValidatedRow::is_compared);
  const std::vector<Column<ValidatedRow>> columns{
      {"ranks", [](const ValidatedRow& row) { return fmt::format("{}", row.published.ranks); }},
      {"size", [](const ValidatedRow& row) { return to_text(row.published.size); }},
      {"algorithm", [](const ValidatedRow& row) { return row.algorithm; },
       compared ? Hidden::never : Hidden::if_alike},
      {"measured ms",
       [](const ValidatedRow& row) { return milliseconds(row.published.measured, digits); }},
      {"predicted ms", [](const ValidatedRow& row) { return milliseconds(row.predicted, digits); }},
      {"band ms", [](const ValidatedRow& row) { return to_text(row.band, digits); }},
      {"error %", [](const ValidatedRow& row) { return signed_percent(relative_error(row)); }},
      {"best", [](const ValidatedRow& row) { return row.best ? row.best->algorithm : ""; },
       Hidden::if_empty},
      {"best ms",
       [](const ValidatedRow& row) {
         return row.best ? milliseconds(row.best->predicted, digits) : "";
       },
       Hidden::if_empty},
      {"mark", [&set](const ValidatedRow& row) { return mark_of(row.published, set.published); },
       Hidden::never, true}};
  return table_of(columns, set.rows);
}

std::string summary_line(const ErrorSummary& summary, std::string_view of) {
  if (!summary.worst) return "";
  std::string text = fmt::format("# {} {}:", summary.judged, of);
  if (summary.mean_of_large) {
    text += fmt::format(" from {} mean absolute error {:.1f} %,", to_text(large_from),
                        100 * *summary.mean_of_large);
  }
  if (summary.median_of_small) {
    text += fmt::format(" below {} median {:.1f} %,", to_text(large_from),
                        100 * *summary.median_of_small);
  }
  return text + fmt::format(" worst {} % ({})\n", signed_percent(relative_error(*summary.worst)),
                            to_text(summary.worst->published));
}

/// The number of rows in which an algorithm other than the chosen one is predicted to be faster,
/// and the loss.
std::string choice_line(const ValidatedSet& set) {
  std::size_t compared = 0;
  std::vector<double> losses;
  for (const ValidatedRow& row : set.rows) {
    if (!row.best) continue;
    ++compared;
    if (row.best->predicted < row.predicted) {
      losses.push_back(row.predicted / row.best->predicted - 1);
    }
  }
  if (compared == 0) return "";
  if (losses.empty()) {
    return fmt::format("# the chosen algorithm is the fastest predicted one in all {}\n",
                       counted(compared, "row"));
  }
  const std::size_t slower = losses.size();
  return fmt::format(
      "# the chosen algorithm is not the fastest predicted one in {} of {}: median loss {:.1f} %\n",
      slower, counted(compared, "row"), 100 * median(std::move(losses)));
}

std::string set_text(const ValidatedSet& set) {
  const Scenario& scenario = set.published.scenario;
  // That of all rows, which then have no column for it.
  const std::string algorithm = common(set.rows, &ValidatedRow::algorithm);
  std::string text =
      fmt::format("# {}: cluster {}, transport {}{}\n", scenario.name, scenario.cluster.name,
                  scenario.transport.name, algorithm.empty() ? "" : ", " + algorithm);
  text += rows_table(set);
  text += summary_line(summary_of({&set, 1}), "judged");
  text += summary_line(summary_of({&set, 1}, is_of_other_transport), "of other software, apart");
  text += choice_line(set);
  text += reasons(set);
  if (!set.published.note.empty()) text += fmt::format("# note: {}\n", set.published.note);
  return text + '\n';
}

std::string heading(const Validation& validation) {
  const Provenance& from = validation.provenance;
  return fmt::format("# ringcast {}: {}, measured by others and predicted\n", from.program_version,
                     from.scenario);
}

/// The rows on one node, or on several.
std::vector<ValidatedSet> rows_that(bool cross_nodes, const std::vector<ValidatedSet>& sets) {
  std::vector<ValidatedSet> chosen;
  for (const ValidatedSet& set : sets) {
    chosen.push_back(set);
    std::erase_if(chosen.back().rows,
                  [&](const ValidatedRow& row) { return row.across_nodes != cross_nodes; });
  }
  return chosen;
}

/// A line of the summary: a set, or several together.
struct SummaryLine {
  std::string name;
  ErrorSummary errors;
  bool of_several;
};

std::string in_band_text(const SummaryLine& line) {
  const auto judged = static_cast<double>(line.errors.judged);
  return judged == 0 ? "-" : percent(static_cast<double>(line.errors.in_band) / judged, 0);
}

std::string worst_place(const SummaryLine& line) {
  if (!line.errors.worst) return "-";
  return line.of_several ? line.errors.worst_set : to_text(line.errors.worst->published);
}

std::vector<Column<SummaryLine>> summary_columns(bool leaves_one_out) {
  const auto number = [](std::size_t ErrorSummary::*member) {
    return [=](const SummaryLine& line) { return fmt::format("{}", line.errors.*member); };
  };
  const auto error = [](std::optional<double> ErrorSummary::*member) {
    return [=](const SummaryLine& line) {
      const std::optional<double> value = line.errors.*member;
      return value ? fmt::format("{:.1f}", 100 * *value) : "-";
    };
  };
  std::vector<Column<SummaryLine>> columns{
      {"set", &SummaryLine::name, Hidden::never, true},
      {"rows", number(&ErrorSummary::rows)},
      {"fitted", number(&ErrorSummary::fitted)},
      {"judged", number(&ErrorSummary::judged)},
      {fmt::format("from {}: mean %", to_text(large_from)), error(&ErrorSummary::mean_of_large)},
      {"below: median %", error(&ErrorSummary::median_of_small)}};
  if (leaves_one_out) {
    columns.push_back({"left out: mean %", error(&ErrorSummary::left_out_of_large)});
    columns.push_back({"left out: median %", error(&ErrorSummary::left_out_of_small)});
  }
  columns.push_back({"in band", in_band_text});
  columns.push_back({"worst %", [](const SummaryLine& line) {
                       const auto& worst = line.errors.worst;
                       return worst ? signed_percent(relative_error(*worst)) : "-";
                     }});
  columns.push_back({"at", worst_place, Hidden::never, true});
  return columns;
}

std::string summary_lines(const Validation& validation) {
  std::vector<SummaryLine> lines = mapped(validation.sets, [](const ValidatedSet& set) {
    return SummaryLine{set.published.scenario.name, summary_of({&set, 1}), false};
  });
  if (validation.sets.size() > 1) {
    lines.push_back({"in a node", summary_of(rows_that(false, validation.sets)), true});
    lines.push_back({"across nodes", summary_of(rows_that(true, validation.sets)), true});
    lines.push_back({"all", summary_of(validation.sets), true});
  }
  return table_of(summary_columns(validation.leaves_one_out), lines) +
         (validation.leaves_one_out ? constants_text() : "");
}

}  // namespace

std::string summary_table(const Validation& validation) {
  return heading(validation) + summary_lines(validation);
}

std::string to_table(const Validation& validation) {
  std::string text = heading(validation) + '\n';
  for (const ValidatedSet& set : validation.sets)
    text += set_text(set);
  return text + summary_lines(validation);
}

}  // namespace ringcast
