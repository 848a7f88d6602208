#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/report/json_text.hpp"
#include "app/report/result.hpp"
#include "engine/schedule/bus_bandwidth.hpp"

namespace ringcast {

// The keys of result files, in their order: to add one, add a line. CSV follows JSON, and
// docs/result.schema.json is generated from these (result_schema_test.cpp).
//
// A struct's keys are listed once, in a function template `fields(json, part)`. Its `json` is
// JsonWriter (result_json.cpp), which writes the part, or JsonReader (result_reader.cpp), which
// reads it; a test has one that describes it as a JSON Schema. They have:
//   constant       a text that says what the object is
//   field          a member; null for an optional without a value, which a file may leave out
//   text_or_null   a text, null where it is empty
//   text_if_any    the same, which a file may leave out
//   signed_number  a number of either sign; those of field are 0 or more
//   one_of         a value by its name
//   derived        written, but not read: it follows from other fields
//   objects        a list of parts that have fields of their own
//   group          keys that are null together, or missing in a file of an older version
//   input_value    that of an input parameter, whose key depends on its unit

template <typename T, typename Part>
concept PartOf = std::same_as<std::remove_const_t<T>, Part>;

template <typename T>
concept Optional = requires(T value) {
  value.has_value();
};

/// Whether a list without items is written.
enum class List { always, if_any };

/// The values of a type that JSON represents by names, and the function of their names.
template <typename T>
using Values = std::type_identity_t<std::span<const T>>;
template <typename T>
using NameOf = std::type_identity_t<std::string_view (*)(T)>;

inline constexpr Scaling all_scalings[] = {Scaling::weak, Scaling::strong};
inline constexpr bool both_truths[] = {false, true};

/// The key of an input parameter's value ends in its unit.
struct ValueKey {
  Unit unit;
  const char* key;
};
inline constexpr ValueKey value_keys[] = {{Unit::rate, "value_bytes_per_s"},
                                          {Unit::time, "value_s"},
                                          {Unit::bytes, "value_bytes"},
                                          {Unit::fraction, "value"}};

[[nodiscard]] constexpr std::string_view name_of_lane(bool communicates) {
  return communicates ? "communication" : "compute";
}

void fields(auto&& json, PartOf<Provenance> auto& from) {
  json.field("program_version", from.program_version);
  json.field("scenario", from.scenario);
  json.field("scenario_file", from.scenario_file);
  json.field("scenario_sha256", from.scenario_sha256);
  json.field("cluster", from.cluster);
  json.field("backend", from.backend);
  json.field("host", from.host);
  json.field("gpus", from.gpus);
  json.field("started_at", from.started_at);
  json.field("simulated", from.simulated);
}

void fields(auto&& json, PartOf<LinkLoad> auto& link) {
  json.field("name", link.name);
  json.field("link_class", link.link_class);
  json.field("bandwidth_bytes_per_s", link.bandwidth);
  json.field("carried_bytes", link.carried);
  json.field("utilisation", link.utilisation);
}

void fields(auto&& json, PartOf<IdleNics> auto& nics) {
  json.field("idle", nics.idle, 1);
  json.field("cards", nics.nics, 1);
  json.field("in_each_node", nics.in_each_node);
  json.text_or_null("remedy", nics.remedy);
}

void fields(auto&& json, PartOf<TimelineSpan> auto& span) {
  json.one_of("lane", span.communicates, both_truths, name_of_lane);
  json.field("name", span.name);
  json.field("begin_s", span.time.begin);
  json.field("end_s", span.time.end);
}

void fields(auto&& json, PartOf<Band> auto& band) {
  json.field("low_s", band.low);
  json.field("high_s", band.high);
  json.field("widest", band.widest);
}

void fields(auto&& json, PartOf<Sensitivity> auto& sensitivity) {
  json.field("name", sensitivity.number.name);
  json.input_value(sensitivity.number);
  json.field("change", sensitivity.change);
  json.signed_number("time_change_when_raised", sensitivity.when_raised);
  json.signed_number("time_change_when_lowered", sensitivity.when_lowered);
  json.field("source", sensitivity.number.source);
  json.text_if_any("algorithm_when_raised", sensitivity.taken_when_raised);
  json.text_if_any("algorithm_when_lowered", sensitivity.taken_when_lowered);
}

void fields(auto&& json, PartOf<TrainingCell> auto& cell, auto& gradients) {
  json.field("model", cell.model);
  json.field("samples", cell.samples);
  json.field("gradient_bytes", gradients);
  json.field("gpu", cell.gpu);
  json.field("fitted_on", cell.fitted_on);
  json.one_of("scaling", cell.scaling, all_scalings, name_of);
  json.field("batch_per_gpu", cell.batch_per_gpu, 1);
  json.field("accumulation", cell.accumulation, 1);
  json.field("global_batch", cell.global_batch, 1);
  json.field("overlap", cell.overlap);
  json.group("launch_ahead", true, [&] { json.field("launch_ahead", cell.launch_ahead.layers); });
  json.field("launch_ahead_source", cell.launch_ahead.source);
  json.group("weights", true, [&] {
    json.one_of("weights", cell.weights_before_forward, both_truths, name_of_weights);
  });
  json.one_of("bucketing", cell.rule.bucketing, all_bucketings, name_of);
  json.group("bucket_size_bytes", has_size(cell.rule),
             [&] { json.field("bucket_size_bytes", cell.rule.size, 1); });
  json.field("buckets", cell.buckets);
  json.field("compression", cell.compression);
  json.field("jitter", cell.jitter);
  json.text_if_any("stragglers", cell.stragglers);
}

/// The kind is in cell.training, which a reader has set.
void fields(auto&& json, PartOf<Cell> auto& cell) {
  json.constant("kind", cell.training ? "training" : "allreduce");
  json.field("ranks", cell.ranks, 1);
  if (!cell.training) {
    json.field("size_bytes", cell.size);
  }
  json.text_or_null("algorithm", cell.algorithm);
  json.one_of("data_type", cell.reduction.type, all_element_types, name_of);
  json.one_of("reduction", cell.reduction.operation, all_operations, name_of);
  json.text_or_null("transport", cell.transport);
  json.text_or_null("ring_order", cell.ring_order);
  json.field("channels", cell.channels, 1);
  json.field("segment_bytes", cell.segment_size, 1);
  if (cell.training) {
    fields(json, *cell.training, cell.size);
  }
}

void allreduce_fields(auto&& json, PartOf<Row> auto& row) {
  json.field("time_s", row.time);
  json.field("time_min_s", row.time_min);
  json.field("time_max_s", row.time_max);
  json.derived("algbw_bytes_per_s", row.algbw());
  json.derived("busbw_bytes_per_s", row.busbw());
  json.field("verified", row.verified);
  json.group("lower_bound_s", !row.lower_bound_reason.empty(), [&] {
    json.field("lower_bound_s", row.lower_bound);
    json.field("lower_bound_reason", row.lower_bound_reason);
  });
  json.group("messages", row.messages > 0 || !row.lower_bound_reason.empty(), [&] {
    json.field("messages", row.messages);
    json.field("sent_per_rank_bytes", row.sent_per_rank);
  });
}

void training_fields(auto&& json, PartOf<Row> auto& row, auto& iteration) {
  json.field("repetitions", iteration.repetitions, 1);
  json.field("iteration_s", row.time);
  json.field("iteration_low_s", row.time_min);
  json.field("iteration_high_s", row.time_max);
  json.field("compute_s", iteration.compute);
  json.field("allreduce_s", iteration.allreduce);
  json.derived("exposed_communication_s", row.exposed());
  json.derived("samples_per_s", row.samples_per_s());
  json.field("one_gpu_samples_per_s", iteration.one_gpu_samples_per_s);
  json.derived("speedup", row.speedup());
  json.derived("efficiency", row.efficiency());
  json.field("broadcast_s", iteration.broadcast);
  json.field("verified", row.verified);
}

/// Separate from the outcome, which is shared by cells that differ in these fields only.
void choice_fields(auto&& json, PartOf<Cell> auto& cell) {
  json.group("algorithm_chosen", true, [&] {
    json.field("algorithm_chosen", cell.is_chosen);
    json.field("channels_chosen", cell.channels_are_chosen);
  });
  json.group("nodes", cell.nodes.has_value(), [&] { json.field("nodes", cell.nodes, 1); });
}

/// All fields of a row except those of its cell and its choices.
void outcome_fields(auto&& json, PartOf<Row> auto& row) {
  row.iteration ? training_fields(json, row, *row.iteration) : allreduce_fields(json, row);
  const bool any = !row.busiest.empty();
  json.derived("bottleneck", any ? std::optional{row.busiest.front().name} : std::nullopt);
  json.derived("bottleneck_utilisation",
               any ? std::optional{row.busiest.front().utilisation} : std::nullopt);
  if (!row.iteration) json.text_if_any("protocol", row.cell.protocol);
  json.text_if_any("range_reason", row.range_reason);
  json.group("found_by", !row.found_by.empty(), [&] {
    json.field("found_by", row.found_by);
    json.field("time_error_bound", row.time_error_bound);
  });
  json.objects("links", row.busiest);
  if (row.iteration) {
    json.objects("timeline", row.iteration->timeline, List::if_any);
  } else {
    json.objects("idle_cards", row.idle_nics, List::if_any);
  }
  json.objects("band", row.band, List::if_any);
  json.objects("sensitivity", row.sensitivity, List::if_any);
}

}  // namespace ringcast
