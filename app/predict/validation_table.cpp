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

/// The properties that set the row apart from the others of its set.
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

/// Each reason once, with the number of its rows and how far off they are.
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
  using Shown = Column<ValidatedRow>::Shown;
  const bool compared = std::ranges::any_of(set.rows, &ValidatedRow::is_compared);
  const std::vector<Column<ValidatedRow>> columns{
      {"ranks", [](const auto& row) { return fmt::format("{}", row.published.ranks); }},
      {"size", [](const auto& row) { return to_text(row.published.size); }},
      {"algorithm", [](const auto& row) { return row.algorithm; },
       compared ? Shown::always : Shown::if_varied},
      {"measured ms", [](const auto& row) { return milliseconds(row.published.measured, digits); }},
      {"predicted ms", [](const auto& row) { return milliseconds(row.predicted, digits); }},
      {"band ms", [](const auto& row) { return to_text(row.band, digits); }},
      {"error %", [](const auto& row) { return signed_percent(relative_error(row)); }},
      {"best", [](const auto& row) { return row.best ? row.best->algorithm : ""; },
       Shown::if_known},
      {"best ms",
       [](const auto& row) { return row.best ? milliseconds(row.best->predicted, digits) : ""; },
       Shown::if_known},
      {"mark", [&set](const auto& row) { return mark_of(row.published, set.published); },
       Shown::always, true}};
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

/// How often another algorithm than the chosen one is predicted to be faster, and by how much.
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

/// That of all rows, which then have no column for it.
std::string common_algorithm(const ValidatedSet& set) {
  const bool alike = std::ranges::adjacent_find(set.rows, std::ranges::not_equal_to{},
                                                &ValidatedRow::algorithm) == set.rows.end();
  const std::string name = alike && !set.rows.empty() ? set.rows.front().algorithm : "";
  return name.empty() ? "" : ", " + name;
}

std::string set_text(const ValidatedSet& set) {
  const Scenario& scenario = set.published.scenario;
  std::string text =
      fmt::format("# {}: cluster {}, transport {}{}\n", scenario.name, scenario.cluster.name,
                  scenario.transport.name, common_algorithm(set));
  text += rows_table(set);
  text += summary_line(summary_of({&set, 1}), "judged");
  text += summary_line(summary_of({&set, 1}, is_apart), "of other software, apart");
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

std::string percent_or_dash(std::optional<double> error) {
  return error ? fmt::format("{:.1f}", 100 * *error) : "-";
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

std::string summary_lines(const Validation& validation) {
  TableColumn name{"set", {}, true};
  TableColumn rows{"rows", {}};
  TableColumn fitted{"fitted", {}};
  TableColumn judged{"judged", {}};
  TableColumn large{fmt::format("from {}: mean %", to_text(large_from)), {}};
  TableColumn small{"below: median %", {}};
  TableColumn left_large{"left out: mean %", {}};
  TableColumn left_small{"left out: median %", {}};
  TableColumn covered{"in band", {}};
  TableColumn worst{"worst %", {}};
  TableColumn at{"at", {}, true};
  const auto add = [&](const std::string& title, const ErrorSummary& summary, bool of_all) {
    name.texts.push_back(title);
    rows.texts.push_back(fmt::format("{}", summary.rows));
    fitted.texts.push_back(fmt::format("{}", summary.fitted));
    judged.texts.push_back(fmt::format("{}", summary.judged));
    const bool any = summary.worst.has_value();
    large.texts.push_back(percent_or_dash(summary.mean_of_large));
    small.texts.push_back(percent_or_dash(summary.median_of_small));
    left_large.texts.push_back(percent_or_dash(summary.left_out_of_large));
    left_small.texts.push_back(percent_or_dash(summary.left_out_of_small));
    covered.texts.push_back(summary.judged == 0 ? "-"
                                                : percent(static_cast<double>(summary.in_band) /
                                                              static_cast<double>(summary.judged),
                                                          0));
    worst.texts.push_back(any ? signed_percent(relative_error(*summary.worst)) : "-");
    at.texts.push_back(!any ? "-" : of_all ? summary.worst_set : to_text(summary.worst->published));
  };
  for (const ValidatedSet& set : validation.sets)
    add(set.published.scenario.name, summary_of({&set, 1}), false);
  if (validation.sets.size() > 1) {
    add("in a node", summary_of(rows_that(false, validation.sets)), true);
    add("across nodes", summary_of(rows_that(true, validation.sets)), true);
    add("all", summary_of(validation.sets), true);
  }
  std::vector<TableColumn> columns{name, rows, fitted, judged, large, small};
  if (validation.leaves_one_out) columns.insert(columns.end(), {left_large, left_small});
  columns.insert(columns.end(), {covered, worst, at});
  return laid_out(columns) + (validation.leaves_one_out ? constants_text() : "");
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
