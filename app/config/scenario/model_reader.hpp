#pragma once

#include "app/config/scenario/training.hpp"
#include "app/config/yaml/input_node.hpp"

namespace ringcast {

struct ReadModel {
  TrainingModel model;
  std::vector<InputNode> places;  // of the layers, for messages
};
[[nodiscard]] ReadModel read_model(const InputNode& node);

struct ReadGpuCompute {
  GpuCompute gpu;
  InputNode place;  // of the file, for messages
};
[[nodiscard]] ReadGpuCompute read_gpu_compute(const InputNode& node);

/// The model's layers with their times; a layer with a count is repeated. Without `gpu` the model
/// must have the times. `optimizer`: the part of a measured iteration that belongs to no layer.
[[nodiscard]] std::vector<TrainedLayer> timed_layers(const ReadModel& model,
                                                     const std::optional<ReadGpuCompute>& gpu,
                                                     Seconds optimizer);

}  // namespace ringcast
