#include "app/config/scenario/result_cell.hpp"

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"

namespace ringcast {
namespace {

std::string training_text(const TrainingCell& training) {
  std::string text = fmt::format(", {} scaling, {} a GPU, buckets {}, overlap {}",
                                 name_of(training.scaling), training.batch_per_gpu,
                                 buckets_text(training.rule), training.overlap ? "on" : "off");
  if (training.launch_ahead.layers > 0) {
    text += fmt::format(", launched {} ahead", counted(training.launch_ahead.layers, "layer"));
  }
  return training.weights_before_forward ? text + ", weights before forward" : text;
}

}  // namespace

std::uint64_t element_count(const Cell& cell) {
  return cell.size.count() / size_of(cell.reduction.type).count();
}

std::string algorithm_text(const Cell& cell) {
  return cell.protocol.empty() ? cell.algorithm : cell.algorithm + "/" + cell.protocol;
}

bool uses_channels(const Cell& cell) {
  return cell.channels && divides_among_channels(cell.algorithm);
}

std::string chosen_text(const Cell& cell) {
  return algorithm_text(cell) + (uses_channels(cell) ? fmt::format(" x {}", *cell.channels) : "");
}

std::string channels_text(const Cell& cell) {
  return cell.channels ? fmt::format("{}", *cell.channels) : "";
}

std::string to_text(const Cell& cell) {
  std::string text = counted(cell.ranks, "rank");
  text += cell.training ? "" : ", " + to_text(cell.size);
  for (const std::string& known : {algorithm_text(cell), cell.ring_order}) {
    text += known.empty() ? "" : ", " + known;
  }
  return cell.training ? text + training_text(*cell.training) : text;
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

}  // namespace ringcast
