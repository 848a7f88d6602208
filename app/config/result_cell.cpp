#include "app/config/result_cell.hpp"

#include <fmt/format.h>

#include "app/common/counted.hpp"

namespace ringcast {

std::string to_text(const Cell& cell) {
  std::string text = fmt::format("{}, {}", counted(cell.ranks, "rank"), to_text(cell.size));
  for (const std::string& known : {cell.algorithm, cell.ring_order}) {
    text += known.empty() ? "" : ", " + known;
  }
  return text;
}

bool has_size(const BucketRule& rule) {
  return rule.bucketing == Bucketing::fusion || rule.bucketing == Bucketing::ddp;
}

std::string buckets_text(const BucketRule& rule) {
  return has_size(rule) ? to_text(rule.size) : std::string{name_of(rule.bucketing)};
}

std::string_view name_of_weights(bool before_forward) {
  return before_forward ? "before-forward" : "after-backward";
}

std::string to_text(const TrainingCell& cell) {
  std::string text = counted(cell.cell.ranks, "rank");
  for (const std::string& known : {cell.cell.algorithm, cell.cell.ring_order}) {
    text += known.empty() ? "" : ", " + known;
  }
  text += fmt::format(", {} scaling, {} a GPU, buckets {}, overlap {}", name_of(cell.scaling),
                      cell.batch_per_gpu, buckets_text(cell.rule), cell.overlap ? "on" : "off");
  if (cell.launch_ahead.layers > 0) {
    text += fmt::format(", launched {} ahead", counted(cell.launch_ahead.layers, "layer"));
  }
  return cell.weights_before_forward ? text + ", weights before forward" : text;
}

std::string to_text(const Cell& cell, const std::optional<TrainingCell>& training) {
  return training ? to_text(*training) : to_text(cell);
}

}  // namespace ringcast
