// The table of training rows.
#include <algorithm>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/report/found_by.hpp"
#include "app/report/result.hpp"
#include "app/report/text_table.hpp"

namespace ringcast {

double Row::samples_per_s() const {
  return static_cast<double>(cell.training.value().global_batch) / time.count();
}

double Row::speedup() const {
  const double one_gpu = iteration.value().one_gpu_samples_per_s;
  return one_gpu > 0 ? samples_per_s() / one_gpu : 0;
}

double Row::efficiency() const {
  return speedup() / cell.ranks;
}

namespace {

/// At least four significant digits, for thousands as well as for tenths of a sample.
std::string rate(double per_second) {
  return fmt::format("{:.{}f}", per_second, per_second < 1000 ? 2 : 0);
}

bool is_repeated(const Row& row) {
  return row.iteration->repetitions > 1;
}

std::string iteration_range(const Row& row) {
  return is_repeated(row) || !row.range_reason.empty()
             ? milliseconds_between(row.time_min, row.time_max)
             : "";
}

/// `87.5 % (70-91 %)`
std::string efficiency_text(const Row& row) {
  std::string text = percent(row.efficiency());
  for (const Band& band : row.band) {
    text += fmt::format(" ({:.0f}-{:.0f} %)", 100 * row.efficiency() * (row.time / band.high),
                        100 * row.efficiency() * (row.time / band.low));
  }
  return text;
}

std::string overlap_text(const TrainingCell& cell) {
  return cell.overlap ? "on" : "off";
}

/// To add a column, add a line.
std::vector<Column<Row>> training_columns(const std::vector<Row>& rows) {
  const std::string& samples = rows.front().cell.training->samples;
  return {
      {"GPUs", &Cell::ranks},
      {"scaling", [](const TrainingCell& cell) { return name_of(cell.scaling); }, Hidden::if_alike},
      {"algorithm",
       [partly = is_partly_chosen(rows)](const Cell& cell) {
         return algorithm_text(cell) + (partly && cell.is_chosen ? " (auto)" : "");
       },
       Hidden::if_alike},
      {"ring order", &Cell::ring_order, Hidden::if_alike},
      {"channels", channels_text, Hidden::if_alike},
      {"buckets", [](const TrainingCell& cell) { return buckets_text(cell.rule); },
       Hidden::if_alike},
      {"overlap", overlap_text, Hidden::if_alike},
      {"batch", &TrainingCell::batch_per_gpu, Hidden::if_alike},
      {"iteration ms", time_text},
      {std::ranges::any_of(rows, is_repeated) ? "5-95 % ms" : "range ms", iteration_range,
       Hidden::if_empty},
      {"compute ms", [](const Row& row) { return milliseconds(row.iteration->compute); }},
      {"all-reduce ms", [](const Row& row) { return milliseconds(row.iteration->allreduce); }},
      {"exposed ms", [](const Row& row) { return milliseconds(row.exposed()); }},
      {samples + "/s", [](const Row& row) { return rate(row.samples_per_s()); }},
      {"speed-up", [](const Row& row) { return fmt::format("{:.2f}", row.speedup()); }},
      {"efficiency", efficiency_text},
      {"broadcast ms",
       [](const Row& row) {
         const std::optional<Seconds>& time = row.iteration->broadcast;
         return time ? milliseconds(*time) : "";
       },
       Hidden::if_empty},
      {"found by", [](const Row& row) { return tells_how_found(row) ? found_by_text(row) : ""; },
       Hidden::if_empty, true},
      {"busiest link",
       [](const Row& row) { return row.busiest.empty() ? "" : row.busiest.front().name; },
       Hidden::if_empty, true},
  };
}

/// The parameters that all rows share.
std::string training_conditions(const std::vector<Row>& rows) {
  const Cell& first = rows.front().cell;
  const TrainingCell& training = *first.training;
  const std::string batch = common(rows, [](const TrainingCell& cell) {
    std::string_view samples = cell.samples;
    if (cell.batch_per_gpu == 1 && samples.ends_with('s')) samples.remove_suffix(1);
    return fmt::format(", {} {} a GPU", cell.batch_per_gpu, samples);
  });
  const std::string passes =
      training.accumulation > 1
          ? fmt::format("{}, {} passes", batch.empty() ? "" : " and pass", training.accumulation)
          : "";
  const std::string buckets = common(rows, [](const TrainingCell& cell) {
    return fmt::format(", {} ({})", counted(cell.buckets, "bucket"), buckets_text(cell.rule));
  });
  return fmt::format(
      "{}, {} of gradients as {}{}{}{}{}{}{}{}", training.model, to_text(first.size),
      name_of(first.reduction.type),
      common(rows, [](const Cell& cell) { return ", " + algorithm_text(cell); }),
      common(rows,
             [](const TrainingCell& cell) {
               return fmt::format(", {} scaling", name_of(cell.scaling));
             }),
      batch, passes, buckets,
      common(rows, [](const TrainingCell& cell) { return ", overlap " + overlap_text(cell); }),
      training.weights_before_forward ? ", weights before forward" : "");
}

std::string compute_source(const TrainingCell& cell) {
  if (cell.fitted_on) {
    return fmt::format("# computation: {}, fitted on {}\n", cell.gpu.value_or("?"),
                       *cell.fitted_on);
  }
  return cell.gpu ? fmt::format("# computation: {}\n", *cell.gpu) : "";
}

std::string stragglers(const TrainingCell& cell) {
  return cell.stragglers.empty() ? "" : fmt::format("# stragglers: {}\n", cell.stragglers);
}

/// That of the first row which launches ahead; all of them have the same.
std::string launch_ahead(const std::vector<Row>& rows) {
  const auto found = std::ranges::find_if(
      rows, [](const Row& row) { return row.cell.training->launch_ahead.layers > 0; });
  if (found == rows.end()) {
    return "";
  }
  const LaunchAhead& ahead = found->cell.training->launch_ahead;
  return fmt::format("# launch_ahead: an all-reduce waits for {} more{}\n",
                     counted(ahead.layers, "layer"),
                     ahead.source ? fmt::format(", {}", *ahead.source) : "");
}

}  // namespace

std::string training_table(const std::vector<Row>& rows) {
  const TrainingCell& training = rows.front().cell.training.value();
  return fmt::format("# {}\n{}{}{}{}", training_conditions(rows), compute_source(training),
                     stragglers(training), launch_ahead(rows),
                     table_of(training_columns(rows), rows));
}

}  // namespace ringcast
