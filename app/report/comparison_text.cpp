#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/comparison.hpp"
#include "app/report/json_text.hpp"
#include "app/report/provenance.hpp"
#include "app/report/text_table.hpp"
#include "app/report/unit_json.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

/// Empty for a training.
std::string busbw_text(const ComparedCell& cell, Seconds time) {
  return cell.cell.training ? "" : gigabytes_per_s(bus_bandwidth_of(cell.cell, time));
}

std::string error_text(const ComparedCell& cell) {
  return signed_percent(cell.error()) + " %";
}

/// `tree`, or of a cell for which the two sides chose differently `tree/LL128, ring/Simple`
std::string algorithms_of(const ComparedCell& cell) {
  return cell.has_two_algorithms()
             ? fmt::format("{}, {}", algorithm_text(cell.cell), cell.measured_algorithm)
             : algorithm_text(cell.cell);
}

/// Empty if they were chosen, as they may then differ between the sides.
std::string given_channels(const Cell& cell) {
  return cell.channels_are_chosen ? "" : channels_text(cell);
}

std::string band_text(const std::vector<Band>& band) {
  return band.empty() ? "" : to_text(band.front());
}

/// The names of the two sides in the table, and of their difference.
struct SideNames {
  std::string_view first = "predicted";
  std::string_view second = "measured";
  std::string_view apart = "error";
};

SideNames names_of_sides(const Comparison& comparison) {
  if (!comparison.is_of_one_kind()) return {};
  return {"first", "second", "difference"};
}

/// To add a column, add a line.
std::vector<Column<ComparedCell>> comparison_columns(const Comparison& comparison,
                                                     const SideNames& names) {
  const bool differ = std::ranges::any_of(comparison.cells, &ComparedCell::has_two_algorithms);
  return {
      {"ranks", &Cell::ranks},
      {"size", [](const Cell& cell) { return to_text(cell.size); }},
      {"data type", [](const Cell& cell) { return name_of(cell.reduction.type); },
       Hidden::if_alike},
      {"operation", [](const Cell& cell) { return name_of(cell.reduction.operation); },
       Hidden::if_alike},
      {"algorithm", algorithms_of, differ ? Hidden::never : Hidden::if_alike},
      {"ring order", &Cell::ring_order, Hidden::if_alike},
      {"channels", given_channels, Hidden::if_alike},
      {"scaling", [](const TrainingCell& cell) { return name_of(cell.scaling); }, Hidden::if_alike},
      {"overlap", [](const TrainingCell& cell) { return cell.overlap ? "on" : "off"; },
       Hidden::if_alike},
      {"buckets", [](const TrainingCell& cell) { return buckets_text(cell.rule); },
       Hidden::if_alike},
      {fmt::format("{} ms", names.first),
       [](const ComparedCell& cell) { return milliseconds(cell.predicted); }},
      {fmt::format("{} band ms", names.first),
       [](const ComparedCell& cell) { return band_text(cell.predicted_band); }, Hidden::if_empty},
      {fmt::format("{} ms", names.second),
       [](const ComparedCell& cell) { return milliseconds(cell.measured); }},
      {fmt::format("{} band ms", names.second),
       [](const ComparedCell& cell) { return band_text(cell.measured_band); }, Hidden::if_empty},
      {std::string{names.apart}, error_text},
      {fmt::format("{} busbw GB/s", names.first),
       [](const ComparedCell& cell) { return busbw_text(cell, cell.predicted); }, Hidden::if_empty},
      {fmt::format("{} busbw GB/s", names.second),
       [](const ComparedCell& cell) { return busbw_text(cell, cell.measured); }, Hidden::if_empty},
  };
}

std::string source(const std::string& name, const Provenance& from) {
  return fmt::format("{} ({})", name, how(from));
}

/// `A (predicted) against B (measured)`; sides with equal names by their files.
std::string sources(const Comparison& of) {
  const std::string first = source(of.predicted.scenario, of.predicted);
  const std::string second = source(of.measured.scenario, of.measured);
  if (first != second) return fmt::format("{} against {}", first, second);
  return fmt::format("{}: {} against {}", of.predicted.scenario,
                     source(of.predicted_file, of.predicted),
                     source(of.measured_file, of.measured));
}

/// The keys of the cell in a result file, but the algorithm with its protocol, as the table has it;
/// then the two times and bands.
Json compared_json(const ComparedCell& compared) {
  const Json cell = json_of(compared.cell);
  Json json{{"kind", "comparison"}, {"ranks", cell["ranks"]}, {"size_bytes", compared.cell.size}};
  for (const char* const key : {"algorithm", "data_type", "reduction", "ring_order", "channels"})
    json[key] = cell[key];
  if (!compared.cell.algorithm.empty()) json["algorithm"] = algorithm_text(compared.cell);
  json["predicted_time_s"] = compared.predicted;
  json["measured_time_s"] = compared.measured;
  json["relative_error"] = compared.error();
  json["measured_algorithm"] =
      compared.has_two_algorithms() ? Json(compared.measured_algorithm) : Json{};
  if (compared.cell.training) {
    for (const char* const key :
         {"model", "scaling", "batch_per_gpu", "overlap", "bucketing", "bucket_size_bytes"})
      json[key] = cell[key];
  } else {
    json["predicted_busbw_bytes_per_s"] = bus_bandwidth_of(compared.cell, compared.predicted);
    json["measured_busbw_bytes_per_s"] = bus_bandwidth_of(compared.cell, compared.measured);
  }
  add_band(json, "predicted_band", compared.predicted_band);
  add_band(json, "measured_band", compared.measured_band);
  return json;
}

/// A side's band; its time alone, if it has none.
Band band_or_time(const std::vector<Band>& band, Seconds time) {
  return band.empty() ? Band{time, time, ""} : band.front();
}

bool has_bands(const ComparedCell& cell) {
  return !cell.predicted_band.empty() || !cell.measured_band.empty();
}

bool bands_overlap(const ComparedCell& cell) {
  const Band first = band_or_time(cell.predicted_band, cell.predicted);
  const Band second = band_or_time(cell.measured_band, cell.measured);
  return first.low <= second.high && second.low <= first.high;
}

/// How many times of one side are in the bands of the other, or how many pairs of bands overlap;
/// empty without bands.
std::string summary_of_bands(const Comparison& comparison) {
  const std::vector<ComparedCell>& cells = comparison.cells;
  const auto with = std::ranges::count_if(cells, has_bands);
  if (with == 0) return "";
  const auto overlapping = std::ranges::count_if(
      cells, [](const ComparedCell& cell) { return has_bands(cell) && bands_overlap(cell); });
  const bool are_pairs = std::ranges::any_of(cells, [](const ComparedCell& cell) {
    return !cell.predicted_band.empty() && !cell.measured_band.empty();
  });
  return fmt::format(
      "# {} of {} {}\n", overlapping, with,
      are_pairs ? "pairs of bands overlap" : "times are in the band of the prediction");
}

}  // namespace

std::string to_table(const Comparison& comparison) {
  const SideNames names = names_of_sides(comparison);
  const ComparedCell& worst = comparison.worst();
  return fmt::format("# ringcast {}: {}\n{}# mean absolute {} {:.1f} %, worst {} at {}\n{}",
                     program_version(), sources(comparison),
                     table_of(comparison_columns(comparison, names), comparison.cells), names.apart,
                     100 * comparison.mean_absolute_error(), error_text(worst),
                     comparison.naming.name_of(worst.cell), summary_of_bands(comparison));
}

std::string worst_error(const Comparison& comparison) {
  const ComparedCell& worst = comparison.worst();
  const bool slow = worst.error() > 0;
  const std::string amount = fmt::format("{:.1f} %", 100 * std::abs(worst.error()));
  const std::string cell = comparison.naming.name_of(worst.cell);
  return comparison.is_of_one_kind()
             ? fmt::format("{}: the first is {} {} than the second", cell, amount,
                           slow ? "slower" : "faster")
             : fmt::format("{}: the prediction is {} too {}", cell, amount, slow ? "slow" : "fast");
}

std::string to_csv(const Comparison& comparison) {
  return csv_of(mapped(comparison.cells, compared_json));
}

std::string to_json(const Comparison& comparison) {
  Json json;
  json["schema_version"] = Result::schema_version;
  json["program_version"] = program_version();
  json["predicted"] = json_of(comparison.predicted);
  json["measured"] = json_of(comparison.measured);
  json["mean_absolute_error"] = comparison.mean_absolute_error();
  json["worst"] = compared_json(comparison.worst());
  json["only_predicted"] = comparison.only_predicted.size();
  json["only_measured"] = comparison.only_measured.size();
  json["rows"] = mapped(comparison.cells, compared_json);
  return text_of(json, 2) + "\n";
}

}  // namespace ringcast
