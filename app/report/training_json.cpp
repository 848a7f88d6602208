// Rows of training as JSON, and back.
#include <limits>

#include <nlohmann/json.hpp>

#include "app/report/json_rows.hpp"
#include "app/report/json_text.hpp"
#include "app/report/training_result.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t most_samples = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t most_int = std::numeric_limits<int>::max();

Json text_or_null(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json{};
}

Json cell_json(const TrainingCell& cell) {
  Json json = Json::parse(to_json(cell.cell));
  json["kind"] = "training";
  json.erase("size_bytes");
  json["model"] = cell.model;
  json["samples"] = cell.samples;
  json["gradient_bytes"] = cell.cell.size.count();
  json["gpu"] = text_or_null(cell.gpu);
  json["fitted_on"] = text_or_null(cell.fitted_on);
  json["scaling"] = name_of(cell.scaling);
  json["batch_per_gpu"] = cell.batch_per_gpu;
  json["accumulation"] = cell.accumulation;
  json["global_batch"] = cell.global_batch;
  json["overlap"] = cell.overlap;
  json["launch_ahead"] = cell.launch_ahead.layers;
  json["launch_ahead_source"] = text_or_null(cell.launch_ahead.source);
  json["weights"] = name_of_weights(cell.weights_before_forward);
  json["bucketing"] = name_of(cell.rule.bucketing);
  json["bucket_size_bytes"] = has_size(cell.rule) ? Json(cell.rule.size.count()) : Json{};
  json["buckets"] = cell.buckets;
  json["compression"] = finite(cell.compression, "compression");
  json["jitter"] = finite(cell.jitter, "jitter");
  return json;
}

std::optional<Scaling> scaling_named(std::string_view name) {
  for (const Scaling scaling : {Scaling::weak, Scaling::strong}) {
    if (name_of(scaling) == name) {
      return scaling;
    }
  }
  return std::nullopt;
}

std::optional<bool> weights_named(std::string_view name) {
  for (const bool before_forward : {false, true}) {
    if (name_of_weights(before_forward) == name) {
      return before_forward;
    }
  }
  return std::nullopt;
}

std::optional<std::string> text_or_nothing(const JsonObject& json, const char* key) {
  return json.has(key) ? std::optional{json.text(key)} : std::nullopt;
}

}  // namespace

TrainingCell training_cell_of(const JsonObject& json) {
  TrainingCell cell;
  cell.cell = cell_of(json, "gradient_bytes");
  cell.model = json.text("model");
  cell.samples = json.text("samples");
  cell.gpu = text_or_nothing(json, "gpu");
  cell.fitted_on = text_or_nothing(json, "fitted_on");
  cell.scaling = json.one_of("scaling", scaling_named, "weak or strong");
  cell.batch_per_gpu = static_cast<std::int64_t>(json.count("batch_per_gpu", 1, most_samples));
  cell.accumulation = static_cast<int>(json.count("accumulation", 1, most_int));
  cell.global_batch = static_cast<std::int64_t>(json.count("global_batch", 1, most_samples));
  cell.overlap = json.truth("overlap");
  if (json.has("launch_ahead")) {
    cell.launch_ahead.layers = static_cast<int>(json.count("launch_ahead", 0, most_int));
  }
  cell.launch_ahead.source = text_or_nothing(json, "launch_ahead_source");
  if (json.has("weights")) {
    cell.weights_before_forward =
        json.one_of("weights", weights_named, "after-backward or before-forward");
  }
  cell.rule.bucketing =
      json.one_of("bucketing", bucketing_named, "fusion, ddp, per-layer or whole");
  if (json.has("bucket_size_bytes")) {
    cell.rule.size = Bytes{json.count("bucket_size_bytes", 1)};
  }
  cell.buckets = json.count("buckets");
  cell.compression = json.quantity("compression");
  cell.jitter = json.quantity("jitter");
  return cell;
}

namespace {

/// Rates are made of it: no time would make them infinite.
Seconds read_iteration(const JsonObject& json, const char* key) {
  const double time = json.quantity(key);
  if (time < 1e-15 || time > 1e15) {
    json.refuse(key, "1e-15 to 1e15");
  }
  return Seconds{time};
}

std::vector<TimelineSpan> timeline_of(const JsonObject& json) {
  std::vector<TimelineSpan> timeline;
  if (!json.has("timeline")) {
    return timeline;
  }
  for (const JsonObject& span : json.objects("timeline")) {
    const std::string lane = span.text("lane");
    if (lane != "compute" && lane != "communication") {
      span.refuse("lane", "\"compute\" or \"communication\"");
    }
    timeline.push_back({lane == "communication",
                        span.text("name"),
                        {Seconds{span.quantity("begin_s")}, Seconds{span.quantity("end_s")}}});
  }
  return timeline;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const TrainingCell& cell) {
  return text_of(cell_json(cell));
}

std::string to_json(const TrainingRow& row) {
  Json json = cell_json(row.cell);
  const auto seconds = [&json](const char* key, Seconds time) {
    json[key] = finite(time.count(), key);
  };
  json["repetitions"] = row.repetitions;
  seconds("iteration_s", row.iteration);
  seconds("iteration_low_s", row.iteration_low);
  seconds("iteration_high_s", row.iteration_high);
  seconds("compute_s", row.compute);
  seconds("allreduce_s", row.allreduce);
  seconds("exposed_communication_s", row.exposed());
  json["samples_per_s"] = finite(row.samples_per_s(), "samples_per_s");
  json["one_gpu_samples_per_s"] = finite(row.one_gpu_samples_per_s, "one_gpu_samples_per_s");
  json["speedup"] = finite(row.speedup(), "speedup");
  json["efficiency"] = finite(row.efficiency(), "efficiency");
  json["broadcast_s"] =
      row.broadcast ? Json(finite(row.broadcast->count(), "broadcast_s")) : Json{};
  json["verified"] = row.verified;
  json["bottleneck"] = row.busiest.empty() ? Json{} : Json(row.busiest.front().name);
  json["bottleneck_utilisation"] = row.busiest.empty() ? 0.0 : row.busiest.front().utilisation;
  json["links"] = Json::parse(to_json(row.busiest));
  for (const TimelineSpan& span : row.timeline) {
    json["timeline"].push_back({{"lane", span.communicates ? "communication" : "compute"},
                                {"name", span.name},
                                {"begin_s", finite(span.time.begin.count(), "begin_s")},
                                {"end_s", finite(span.time.end.count(), "end_s")}});
  }
  if (!row.sensitivity.empty()) {
    json["sensitivity"] = Json::parse(to_json(row.sensitivity));
  }
  return text_of(json);
}

TrainingRow training_row_of(const JsonObject& json) {
  TrainingRow row;
  row.cell = training_cell_of(json);
  row.repetitions = static_cast<int>(json.count("repetitions", 1, most_int));
  row.iteration = read_iteration(json, "iteration_s");
  row.iteration_low = read_iteration(json, "iteration_low_s");
  row.iteration_high = read_iteration(json, "iteration_high_s");
  row.compute = Seconds{json.quantity("compute_s")};
  row.allreduce = Seconds{json.quantity("allreduce_s")};
  row.one_gpu_samples_per_s = json.quantity("one_gpu_samples_per_s");
  if (json.has("broadcast_s")) {
    row.broadcast = Seconds{json.quantity("broadcast_s")};
  }
  row.verified = json.truth("verified");
  row.busiest = links_of(json);
  row.timeline = timeline_of(json);
  row.sensitivity = sensitivities_of(json);
  return row;
}

}  // namespace ringcast
