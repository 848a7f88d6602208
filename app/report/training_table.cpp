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

/// Four digits at least, so that thousands and tenths of a sample are both readable.
std::string rate(double per_second) {
  return fmt::format("{:.{}f}", per_second, per_second < 1000 ? 2 : 0);
}

std::string band(const Row& row) {
  return row.iteration->repetitions > 1
             ? fmt::format("{} .. {}", milliseconds(row.time_min), milliseconds(row.time_max))
             : "";
}

/// To add a column, add a line.
std::vector<Column<Row>> training_columns(const std::string& samples) {
  using Shown = Column<Row>::Shown;
  const auto of_training = [](auto text) {
    return [text](const Row& row) { return std::string{text(*row.cell.training)}; };
  };
  return {
      {"GPUs", [](const Row& row) { return fmt::format("{}", row.cell.ranks); }},
      {"scaling", of_training([](const auto& cell) { return name_of(cell.scaling); }),
       Shown::if_varied},
      {"algorithm", [](const Row& row) { return row.cell.algorithm; }, Shown::if_varied},
      {"ring order", [](const Row& row) { return row.cell.ring_order; }, Shown::if_varied},
      {"channels",
       [](const Row& row) {
         return row.cell.channels ? fmt::format("{}", *row.cell.channels) : std::string{};
       },
       Shown::if_varied},
      {"buckets", of_training([](const auto& cell) { return buckets_text(cell.rule); }),
       Shown::if_varied},
      {"overlap", of_training([](const auto& cell) { return cell.overlap ? "on" : "off"; }),
       Shown::if_varied},
      {"batch", of_training([](const auto& cell) { return fmt::format("{}", cell.batch_per_gpu); }),
       Shown::if_varied},
      {"iteration ms", [](const Row& row) { return milliseconds(row.time); }},
      {"5-95 % ms", band, Shown::if_known},
      {"compute ms", [](const Row& row) { return milliseconds(row.iteration->compute); }},
      {"all-reduce ms", [](const Row& row) { return milliseconds(row.iteration->allreduce); }},
      {"exposed ms", [](const Row& row) { return milliseconds(row.exposed()); }},
      {samples + "/s", [](const Row& row) { return rate(row.samples_per_s()); }},
      {"speed-up", [](const Row& row) { return fmt::format("{:.2f}", row.speedup()); }},
      {"efficiency", [](const Row& row) { return percent(row.efficiency()); }},
      {"broadcast ms",
       [](const Row& row) {
         const std::optional<Seconds>& time = row.iteration->broadcast;
         return time ? milliseconds(*time) : "";
       },
       Shown::if_known},
      {"found by", [](const Row& row) { return tells_how_found(row) ? found_by_text(row) : ""; },
       Shown::if_known, true},
      {"busiest link",
       [](const Row& row) { return row.busiest.empty() ? "" : row.busiest.front().name; },
       Shown::if_known, true},
  };
}

/// The parameters that all rows share.
std::string training_conditions(const std::vector<Row>& rows) {
  const Cell& first = rows.front().cell;
  const TrainingCell& training = *first.training;
  std::string text = fmt::format("{}, {} of gradients as {}", training.model, to_text(first.size),
                                 name_of(first.reduction.type));
  const auto same = [&](const auto& part) {
    return std::ranges::all_of(
        rows, [&](const Row& row) { return part(*row.cell.training) == part(training); });
  };
  if (std::ranges::all_of(rows,
                          [&](const Row& row) { return row.cell.algorithm == first.algorithm; })) {
    text += ", " + first.algorithm;
  }
  if (same([](const TrainingCell& cell) { return cell.scaling; })) {
    text += fmt::format(", {} scaling", name_of(training.scaling));
  }
  if (same([](const TrainingCell& cell) { return cell.batch_per_gpu; })) {
    text += fmt::format(", {} {} a GPU", training.batch_per_gpu, training.samples);
  }
  if (training.accumulation > 1) {
    text += fmt::format(" and pass, {} passes", training.accumulation);
  }
  if (same([](const TrainingCell& cell) { return buckets_text(cell.rule); })) {
    text +=
        fmt::format(", {} ({})", counted(training.buckets, "bucket"), buckets_text(training.rule));
  }
  if (same([](const TrainingCell& cell) { return cell.overlap; })) {
    text += fmt::format(", overlap {}", training.overlap ? "on" : "off");
  }
  return training.weights_before_forward ? text + ", weights before forward" : text;
}

std::string compute_source(const TrainingCell& cell) {
  if (cell.fitted_on) {
    return fmt::format("# computation: {}, fitted on {}\n", cell.gpu.value_or("?"),
                       *cell.fitted_on);
  }
  return cell.gpu ? fmt::format("# computation: {}\n", *cell.gpu) : "";
}

/// All rows that launch ahead share the number: that of the first one.
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
  return fmt::format("# {}\n{}{}{}", training_conditions(rows), compute_source(training),
                     launch_ahead(rows), table_of(training_columns(training.samples), rows));
}

}  // namespace ringcast
