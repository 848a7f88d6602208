// Rows of training for people.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/report/text_table.hpp"
#include "app/report/training_result.hpp"

namespace ringcast {

double TrainingRow::samples_per_s() const {
  return static_cast<double>(cell.global_batch) / iteration.count();
}

double TrainingRow::speedup() const {
  return one_gpu_samples_per_s > 0 ? samples_per_s() / one_gpu_samples_per_s : 0;
}

double TrainingRow::efficiency() const {
  return speedup() / cell.cell.ranks;
}

namespace {

/// One column of the table. To add one, add a line to columns().
struct Column {
  std::string title;
  std::function<std::string(const TrainingRow&)> text;
  enum class Shown { always, if_varied, if_known } shown = Shown::always;
  bool from_left = false;
};

std::string milliseconds(Seconds time) {
  return fmt::format("{:.3f}", time.count() / 1e-3);
}

/// Four digits at least, so that thousands and tenths of a sample are both readable.
std::string rate(double per_second) {
  return fmt::format("{:.{}f}", per_second, per_second < 1000 ? 2 : 0);
}

std::string band(const TrainingRow& row) {
  return row.repetitions > 1 ? fmt::format("{} .. {}", milliseconds(row.iteration_low),
                                           milliseconds(row.iteration_high))
                             : "";
}

std::vector<Column> columns(const std::string& samples) {
  using Shown = Column::Shown;
  return {
      {"GPUs", [](const auto& row) { return fmt::format("{}", row.cell.cell.ranks); }},
      {"scaling", [](const auto& row) { return std::string{name_of(row.cell.scaling)}; },
       Shown::if_varied},
      {"algorithm", [](const auto& row) { return row.cell.cell.algorithm; }, Shown::if_varied},
      {"ring order", [](const auto& row) { return row.cell.cell.ring_order; }, Shown::if_varied},
      {"buckets", [](const auto& row) { return buckets_text(row.cell.rule); }, Shown::if_varied},
      {"overlap", [](const auto& row) { return std::string{row.cell.overlap ? "on" : "off"}; },
       Shown::if_varied},
      {"batch", [](const auto& row) { return fmt::format("{}", row.cell.batch_per_gpu); },
       Shown::if_varied},
      {"iteration ms", [](const auto& row) { return milliseconds(row.iteration); }},
      {"5-95 % ms", band, Shown::if_known},
      {"compute ms", [](const auto& row) { return milliseconds(row.compute); }},
      {"all-reduce ms", [](const auto& row) { return milliseconds(row.allreduce); }},
      {"exposed ms", [](const auto& row) { return milliseconds(row.exposed()); }},
      {samples + "/s", [](const auto& row) { return rate(row.samples_per_s()); }},
      {"speed-up", [](const auto& row) { return fmt::format("{:.2f}", row.speedup()); }},
      {"efficiency",
       [](const auto& row) { return fmt::format("{:.1f} %", 100 * row.efficiency()); }},
      {"broadcast ms",
       [](const auto& row) { return row.broadcast ? milliseconds(*row.broadcast) : ""; },
       Shown::if_known},
      {"busiest link",
       [](const auto& row) { return row.busiest.empty() ? "" : row.busiest.front().name; },
       Shown::if_known, true},
  };
}

/// What is the same for all rows.
std::string conditions(const std::vector<TrainingRow>& rows) {
  const TrainingCell& cell = rows.front().cell;
  std::string text = fmt::format("{}, {} of gradients as {}", cell.model, to_text(cell.cell.size),
                                 name_of(cell.cell.reduction.type));
  const auto same = [&](const auto& part) {
    return std::ranges::all_of(
        rows, [&](const TrainingRow& row) { return part(row) == part(rows.front()); });
  };
  if (same([](const TrainingRow& row) { return row.cell.cell.algorithm; })) {
    text += ", " + cell.cell.algorithm;
  }
  if (same([](const TrainingRow& row) { return row.cell.scaling; })) {
    text += fmt::format(", {} scaling", name_of(cell.scaling));
  }
  if (same([](const TrainingRow& row) { return row.cell.batch_per_gpu; })) {
    text += fmt::format(", {} {} a GPU", cell.batch_per_gpu, cell.samples);
  }
  if (cell.accumulation > 1) {
    text += fmt::format(" and pass, {} passes", cell.accumulation);
  }
  if (same([](const TrainingRow& row) { return buckets_text(row.cell.rule); })) {
    text += fmt::format(", {} ({})", counted(cell.buckets, "bucket"), buckets_text(cell.rule));
  }
  if (same([](const TrainingRow& row) { return row.cell.overlap; })) {
    text += fmt::format(", overlap {}", cell.overlap ? "on" : "off");
  }
  return cell.weights_before_forward ? text + ", weights before forward" : text;
}

std::string compute_source(const TrainingCell& cell) {
  if (cell.fitted_on) {
    return fmt::format("# computation: {}, fitted on {}\n", cell.gpu.value_or("?"),
                       *cell.fitted_on);
  }
  return cell.gpu ? fmt::format("# computation: {}\n", *cell.gpu) : "";
}

/// Of the first row that has one: all that do have the same.
std::string launch_ahead(const std::vector<TrainingRow>& rows) {
  const auto found = std::ranges::find_if(
      rows, [](const TrainingRow& row) { return row.cell.launch_ahead.layers > 0; });
  if (found == rows.end()) {
    return "";
  }
  const LaunchAhead& ahead = found->cell.launch_ahead;
  return fmt::format("# launch_ahead: an all-reduce waits for {} more{}\n",
                     counted(ahead.layers, "layer"),
                     ahead.source ? fmt::format(", {}", *ahead.source) : "");
}

}  // namespace

std::string to_table(const std::vector<TrainingRow>& rows) {
  std::vector<TableColumn> shown;
  for (const Column& column : columns(rows.front().cell.samples)) {
    TableColumn filled{column.title, {}, column.from_left};
    for (const TrainingRow& row : rows) {
      filled.texts.push_back(column.text(row));
    }
    const bool nothing = std::ranges::all_of(filled.texts, &std::string::empty);
    if ((column.shown == Column::Shown::if_varied && all_alike(filled.texts)) ||
        (column.shown == Column::Shown::if_known && nothing)) {
      continue;
    }
    shown.push_back(std::move(filled));
  }
  return fmt::format("# {}\n{}{}{}", conditions(rows), compute_source(rows.front().cell),
                     launch_ahead(rows), laid_out(shown));
}

}  // namespace ringcast
