#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/common/counted.hpp"
#include "app/common/mapped.hpp"
#include "app/predict/until_efficiency.hpp"
#include "app/report/json_text.hpp"
#include "app/report/provenance.hpp"
#include "app/report/text_table.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

/// The busiest link, if any is in use.
std::string busiest(const Row& row) {
  if (row.busiest.empty()) {
    return "no link in use";
  }
  return fmt::format("busiest link {}, {}", row.busiest.front().name,
                     percent(row.busiest.front().utilisation));
}

/// The reason for an efficiency below the target: exposed communication.
std::string reason(const Row& row) {
  return fmt::format("{} of the iteration is exposed communication ({})",
                     percent(row.exposed() / row.time), busiest(row));
}

/// The effect of rounding on the limit, if there is one.
std::string rounding(const EfficiencyLimit& limit, double target) {
  if (!limit.rounded) return "";
  std::string text = fmt::format("; its shares are rounded up, to {} samples for a batch of {}",
                                 limit.rounded->computed, limit.rounded->samples);
  std::string_view separator = "; of larger numbers that divide the batch, ";
  for (const Row& row : limit.rounded->dividing) {
    text += fmt::format("{}{} {} {} %", separator, counted(row.cell.ranks, "GPU"),
                        keeps_target(row.efficiency(), target) ? "keep" : "reach",
                        percent_beside(row.efficiency(), target));
    separator = ", ";
  }
  return text;
}

std::string sentence(const EfficiencyLimit& limit, double target) {
  const Row& last = limit.last;
  const std::string cell = to_text(last.cell);
  const std::string name = cell.substr(cell.find(", ") + 2);
  const auto beside = [&](double part) { return percent_beside(part, target) + " %"; };
  if (!limit.next) {
    return fmt::format("# {}: all {} GPUs keep {:g} %: {}; {}\n", name, last.cell.ranks,
                       100 * target, beside(last.efficiency()), reason(last));
  }
  return fmt::format("# {}: {:g} % kept up to {} ({}); with {} ({}) {}{}\n", name, 100 * target,
                     counted(last.cell.ranks, "GPU"), beside(last.efficiency()),
                     limit.next->cell.ranks, beside(limit.next->efficiency()), reason(*limit.next),
                     rounding(limit, target));
}

std::vector<Row> rows_of(const UntilEfficiency& answer) {
  std::vector<Row> rows;
  for (const EfficiencyLimit& limit : answer.limits) {
    rows.push_back(limit.last);
    if (limit.next) {
      rows.push_back(*limit.next);
    }
    if (limit.rounded) std::ranges::copy(limit.rounded->dividing, std::back_inserter(rows));
  }
  return rows;
}

Json limit_json(const EfficiencyLimit& limit) {
  const Row& limiting = limit.next ? *limit.next : limit.last;
  Json json;
  json["ranks"] = limit.last.cell.ranks;
  json["efficiency"] = limit.last.efficiency();
  json["next_ranks"] = limit.next ? Json(limit.next->cell.ranks) : Json{};
  json["next_efficiency"] = limit.next ? Json(limit.next->efficiency()) : Json{};
  json["exposed_share"] = limiting.exposed() / limiting.time;
  json["bottleneck"] = limiting.busiest.empty() ? Json{} : Json(limiting.busiest.front().name);
  json["next_samples"] = limit.rounded ? Json(limit.rounded->computed) : Json{};
  json["dividing_rows"] = mapped(limit.rounded.value_or(RoundedShares{}).dividing,
                                 [](const Row& row) { return json_of(row); });
  json["row"] = json_of(limit.last);
  json["next_row"] = limit.next ? json_of(*limit.next) : Json{};
  return json;
}

}  // namespace

std::string percent_beside(double part, double target) {
  constexpr int most_digits = 6;
  int digits = 1;
  const auto rounded = [&] {
    const double scale = std::pow(10.0, digits + 2);
    return std::round(part * scale) / scale;
  };
  while (digits < most_digits && keeps_target(part, target) != keeps_target(rounded(), target)) {
    ++digits;
  }
  return fmt::format("{:.{}f}", 100 * rounded(), digits);
}

std::string percent_kept(double efficiency) {
  constexpr double scale = 1000;
  const double nearest = std::round(efficiency * scale);
  const double kept = keeps_target(efficiency, nearest / scale) ? nearest : nearest - 1;
  return fmt::format("{:.1f}", 100 * kept / scale);
}

std::string to_table(const UntilEfficiency& answer) {
  std::string text = fmt::format("# ringcast {}: {}, predicted\n",
                                 answer.provenance.program_version, answer.provenance.scenario);
  for (const EfficiencyLimit& limit : answer.limits) {
    text += sentence(limit, answer.target);
  }
  for (const std::string& refusal : answer.not_kept) {
    text += fmt::format("# {}\n", refusal);
  }
  return text + training_table(rows_of(answer));
}

std::string to_csv(const UntilEfficiency& answer) {
  return csv_of(mapped(rows_of(answer), [&answer](const Row& row) {
    Json json = json_of(row);
    json["until_efficiency"] = answer.target;
    json["keeps_target"] = keeps_target(row.efficiency(), answer.target);
    return json;
  }));
}

std::string to_json(const UntilEfficiency& answer) {
  Json json;
  json["schema_version"] = Result::schema_version;
  json["provenance"] = json_of(answer.provenance);
  json["until_efficiency"] = answer.target;
  json["limits"] = mapped(answer.limits, limit_json);
  json["not_kept"] = answer.not_kept;
  return text_of(json, 2) + "\n";
}

}  // namespace ringcast
