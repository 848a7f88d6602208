#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/config/scenario/training.hpp"
#include "app/config/yaml/input_node.hpp"
#include "engine/numbers/element.hpp"

namespace ringcast {

/// One entry of a model file.
struct ModelLayer {
  InputNode place;  // for messages
  std::string name = {};
  int count = 1;                 // identical consecutive layers
  std::uint64_t parameters = 0;  // of each
  /// Floating-point operations of forward for one sample; a multiply-add counts as 2.
  std::optional<double> flops = {};
  double backward_flops = 0;
  /// The times of a pass with the model's batch.
  std::optional<LayerWork> time = {};
};

/// The contents of a model file.
struct TrainingModel {
  std::string name;
  std::string source;
  std::uint64_t parameters = 0;  // the sum of the layers'
  ElementType gradient_type = ElementType::float32;
  std::string samples = "samples";  // the noun for them: `images`
  int batch = 0;                    // of the layers' times; 0 where they have none
  std::vector<ModelLayer> layers;   // in forward order, each name once
};

/// The contents of a GPU compute file: the time of a model on one GPU, as exactly one of
/// `iteration`, `flops_per_s` and `layers`.
struct GpuCompute {
  InputNode place;  // for messages
  std::string name = {};
  std::string source = {};
  std::optional<std::string> model = {};  // absent: for any model
  std::optional<std::string> fitted_on = {};
  int batch = 0;                          // of `iteration` and `layers`
  std::optional<Seconds> iteration = {};  // with the optimizer; divided among layers by their flops
  std::optional<double> flops_per_s = {};
  std::map<std::string, LayerWork> layers = {};
  Seconds pass_overhead{0};  // of each forward pass, whatever its batch
};

[[nodiscard]] TrainingModel read_model(const InputNode& node);
[[nodiscard]] GpuCompute read_gpu_compute(const InputNode& node);

/// The model's layers with their times; a layer with a count is repeated. Without `gpu` the model
/// must have the times. `optimizer`: the part of a measured iteration that belongs to no layer.
[[nodiscard]] std::vector<TrainedLayer> timed_layers(const TrainingModel& model,
                                                     const std::optional<GpuCompute>& gpu,
                                                     Seconds optimizer);

}  // namespace ringcast
