#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/comparison.hpp"
#include "app/report/json_text.hpp"
#include "app/report/provenance.hpp"
#include "app/report/text_table.hpp"
#include "engine/schedule/ring_cost.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

BytesPerSecond busbw(const ComparedCell& cell, Seconds time) {
  return bus_bandwidth(cell.cell.ranks, cell.cell.size, time);
}

std::string milliseconds(Seconds time) {
  return fmt::format("{:.3f}", time.count() / 1e-3);
}

std::string gigabytes(BytesPerSecond rate) {
  return fmt::format("{:.3f}", rate.value() / 1e9);
}

std::string percent(double error) {
  return signed_percent(error) + " %";
}

/// What a row of training says of itself; nothing of an all-reduce.
template <typename Text>
auto of_training(const Text& text) {
  return [text](const ComparedCell& cell) {
    return cell.training ? std::string{text(*cell.training)} : std::string{};
  };
}

struct Column {
  std::string_view title;
  std::function<std::string(const ComparedCell&)> text;
  bool only_if_varied = false;
  bool of_allreduces = false;
};

/// To add a column, add a line.
std::vector<Column> columns() {
  return {
      {"ranks", [](const auto& cell) { return fmt::format("{}", cell.cell.ranks); }},
      {"size", [](const auto& cell) { return to_text(cell.cell.size); }},
      {"data type", [](const auto& c) { return std::string{name_of(c.cell.reduction.type)}; },
       true},
      {"operation", [](const auto& c) { return std::string{name_of(c.cell.reduction.operation)}; },
       true},
      {"algorithm", [](const auto& cell) { return cell.cell.algorithm; }, true},
      {"ring order", [](const auto& cell) { return cell.cell.ring_order; }, true},
      {"scaling", of_training([](const auto& cell) { return name_of(cell.scaling); }), true},
      {"overlap", of_training([](const auto& cell) { return cell.overlap ? "on" : "off"; }), true},
      {"buckets", of_training([](const auto& cell) { return buckets_text(cell.rule); }), true},
      {"predicted ms", [](const auto& cell) { return milliseconds(cell.predicted); }},
      {"measured ms", [](const auto& cell) { return milliseconds(cell.measured); }},
      {"error", [](const auto& cell) { return percent(cell.error()); }},
      {"predicted busbw GB/s",
       [](const auto& cell) { return gigabytes(busbw(cell, cell.predicted)); }, false, true},
      {"measured busbw GB/s",
       [](const auto& cell) { return gigabytes(busbw(cell, cell.measured)); }, false, true},
  };
}

std::string source(const Provenance& from) {
  return fmt::format("{} ({} with {})", from.scenario, from.simulated ? "predicted" : "measured",
                     from.backend);
}

Json row_json(const ComparedCell& compared) {
  const Cell& cell = compared.cell;
  Json json;
  json["kind"] = "comparison";
  json["ranks"] = cell.ranks;
  json["size_bytes"] = cell.size.count();
  json["algorithm"] = cell.algorithm.empty() ? Json{} : Json(cell.algorithm);
  json["data_type"] = name_of(cell.reduction.type);
  json["reduction"] = name_of(cell.reduction.operation);
  json["ring_order"] = cell.ring_order.empty() ? Json{} : Json(cell.ring_order);
  json["channels"] = cell.channels ? Json(*cell.channels) : Json{};
  json["predicted_time_s"] = compared.predicted.count();
  json["measured_time_s"] = compared.measured.count();
  json["relative_error"] = compared.error();
  if (compared.training) {
    const TrainingCell& training = *compared.training;
    json["model"] = training.model;
    json["scaling"] = name_of(training.scaling);
    json["batch_per_gpu"] = training.batch_per_gpu;
    json["overlap"] = training.overlap;
    json["bucketing"] = name_of(training.rule.bucketing);
    json["bucket_size_bytes"] = has_size(training.rule) ? Json(training.rule.size.count()) : Json{};
    return json;
  }
  json["predicted_busbw_bytes_per_s"] = busbw(compared, compared.predicted).value();
  json["measured_busbw_bytes_per_s"] = busbw(compared, compared.measured).value();
  return json;
}

Json rows_json(const Comparison& comparison) {
  Json rows = Json::array();
  for (const ComparedCell& cell : comparison.cells) {
    rows.push_back(row_json(cell));
  }
  return rows;
}

}  // namespace

std::string to_table(const Comparison& comparison) {
  const bool trains = comparison.cells.front().training.has_value();
  std::vector<TableColumn> shown;
  for (const Column& column : columns()) {
    TableColumn filled{std::string{column.title}, {}};
    for (const ComparedCell& cell : comparison.cells) {
      filled.texts.push_back(column.text(cell));
    }
    if (column.of_allreduces && trains) {
      continue;
    }
    if (!column.only_if_varied || !all_alike(filled.texts)) {
      shown.push_back(std::move(filled));
    }
  }
  const ComparedCell& worst = comparison.worst();
  return fmt::format(
      "# ringcast {}: {} against {}\n{}# mean absolute error {:.1f} %, worst {} at {}\n",
      program_version(), source(comparison.predicted), source(comparison.measured), laid_out(shown),
      100 * comparison.mean_absolute_error(), percent(worst.error()),
      to_text(worst.cell, worst.training));
}

std::string to_csv(const Comparison& comparison) {
  return csv_of(rows_json(comparison));
}

std::string to_json(const Comparison& comparison) {
  Json json;
  json["schema_version"] = Result::schema_version;
  json["program_version"] = program_version();
  json["predicted"] = json_of(comparison.predicted);
  json["measured"] = json_of(comparison.measured);
  json["mean_absolute_error"] = comparison.mean_absolute_error();
  json["worst"] = row_json(comparison.worst());
  json["only_predicted"] = comparison.only_predicted.size();
  json["only_measured"] = comparison.only_measured.size();
  json["rows"] = rows_json(comparison);
  return text_of(json, 2) + "\n";
}

}  // namespace ringcast
