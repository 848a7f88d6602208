#pragma once

#include "app/config/scenario/training.hpp"
#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// A model, and where each layer of it stands in its file.
struct ReadModel {
  TrainingModel model;
  std::vector<InputNode> places;
};
[[nodiscard]] ReadModel read_model(const InputNode& node);

/// A GPU compute file, and where its own mistakes are reported.
struct ReadGpuCompute {
  GpuCompute gpu;
  InputNode place;
};
[[nodiscard]] ReadGpuCompute read_gpu_compute(const InputNode& node);

/// The model's layers, alike ones repeated, with the time of each. Without `gpu` they must have
/// times of their own. `optimizer` is part of a measured iteration and no layer's.
[[nodiscard]] std::vector<TrainedLayer> timed_layers(const ReadModel& model,
                                                     const std::optional<ReadGpuCompute>& gpu,
                                                     Seconds optimizer);

}  // namespace ringcast
