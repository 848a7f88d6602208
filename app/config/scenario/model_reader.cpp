#include "app/config/scenario/model_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/common/mapped.hpp"
#include "app/config/scenario/sweep_reader.hpp"
#include "app/config/yaml/file_kind.hpp"

namespace ringcast {
namespace {

// Ten times the largest existing models; sums still fit 64 bits.
constexpr std::uint64_t most_parameters = 10'000'000'000'000;
constexpr double most_flops = 1e18;
constexpr std::size_t most_layers = 10'000;

LayerWork read_work(const InputNode& node) {
  return {node.require("forward", "a time, e.g. 1.2 ms").time(),
          node.require("backward", "a time, as the layer has forward").time()};
}

ModelLayer read_layer(const InputNode& node) {
  node.allow_keys_of("layers entry");
  ModelLayer layer{node};
  layer.name = node.require("name", "a text").name();
  layer.count = node.count("count");
  layer.parameters = node.require("parameters", "a whole number, 0 for a layer without any")
                         .integer(0, most_parameters);
  if (const auto flops = node.find("flops")) {
    layer.flops = flops->number(0, most_flops);
    // The gradients with respect to inputs and to weights each cost as much as forward.
    layer.backward_flops = 2 * *layer.flops;
  }
  if (const auto flops = node.find("backward_flops")) {
    static_cast<void>(node.require("flops", "those of forward, as there are backward_flops"));
    layer.backward_flops = flops->number(0, most_flops);
  }
  if (node.find("forward") || node.find("backward")) {
    layer.time = read_work(node);
  }
  return layer;
}

void expect_new(const std::vector<ModelLayer>& layers, const ModelLayer& layer) {
  if (std::ranges::find(layers, layer.name, &ModelLayer::name) != layers.end()) {
    layer.place.fail(fmt::format("{} is repeated", in_quotes(layer.name)),
                     "each name once, and a count for layers that are alike");
  }
}

void expect_batch_for_times(const InputNode& node, TrainingModel& model) {
  if (const auto batch = node.find("batch")) {
    model.batch = batch->count();
  } else if (std::ranges::any_of(model.layers,
                                 [](const ModelLayer& layer) { return layer.time.has_value(); })) {
    static_cast<void>(
        node.require("batch", "the samples of the pass that the layers' times are of"));
  }
}

/// The layers' parameters, and their number.
void expect_right_sums(const InputNode& total, const TrainingModel& model) {
  std::uint64_t sum = 0;
  std::size_t layers = 0;
  for (const ModelLayer& layer : model.layers) {
    layers += static_cast<std::size_t>(layer.count);
    if (layers > most_layers) {
      total.fail(fmt::format("{} or more layers", layers), fmt::format("at most {}", most_layers));
    }
    sum += static_cast<std::uint64_t>(layer.count) * layer.parameters;
  }
  if (sum != model.parameters) {
    total.fail(fmt::format("{} are not the sum of the layers'", model.parameters),
               fmt::format("{}, or other layers", sum));
  }
}

}  // namespace

TrainingModel read_model(const InputNode& node) {
  expect_kind(node, "model");
  TrainingModel model;
  model.name = node.require("name", "a text").name();
  model.source = node.require("source", "where the architecture is published").text();
  if (const auto type = node.find("gradient_type")) {
    model.gradient_type = type->one_of("data type", all_element_types);
  }
  if (const auto samples = node.find("samples")) {
    model.samples = samples->text();
  }
  for (const InputNode& item :
       node.require("layers", "a list of layers, in forward order").items()) {
    ModelLayer layer = read_layer(item);
    expect_new(model.layers, layer);
    model.layers.push_back(std::move(layer));
  }
  expect_batch_for_times(node, model);
  const InputNode total = node.require("parameters", "those of all layers together");
  model.parameters = total.integer(1, most_parameters);
  expect_right_sums(total, model);
  return model;
}

namespace {

TrainedLayer timed(const ModelLayer& layer, Seconds forward, Seconds backward) {
  return {layer.name, layer.parameters, {forward, backward}};
}

/// The time of each layer for one sample. `s_per_flop`: seconds per floating-point operation.
std::vector<TrainedLayer> by_flops(const TrainingModel& model, double s_per_flop) {
  return mapped(model.layers, [s_per_flop](const ModelLayer& layer) {
    return timed(layer, Seconds{s_per_flop * *layer.flops},
                 Seconds{s_per_flop * layer.backward_flops});
  });
}

double flops_of(const TrainingModel& model, const GpuCompute& gpu) {
  double sum = 0;
  for (const ModelLayer& layer : model.layers) {
    if (!layer.flops) {
      layer.place.fail(
          fmt::format("{} has {}no flops, from which {} computes its time", in_quotes(layer.name),
                      layer.time ? "times but " : "", in_quotes(gpu.name)),
          layer.time ? "flops, or no gpu under training, if all layers have times"
                     : "flops, or a gpu file with the times of all layers");
    }
    sum += layer.count * (*layer.flops + layer.backward_flops);
  }
  return sum;
}

std::vector<TrainedLayer> by_iteration(const TrainingModel& model, const GpuCompute& gpu,
                                       Seconds optimizer) {
  const double flops = flops_of(model, gpu);
  if (flops == 0) {
    model.layers.front().place.fail("no layer has any flops to share the time out by",
                                    "flops above 0");
  }
  const Seconds layers = *gpu.iteration - gpu.pass_overhead - optimizer;
  if (layers <= Seconds{0}) {
    gpu.place.fail(
        fmt::format("{} of an iteration leave nothing for the layers", to_text(*gpu.iteration)),
        fmt::format("more than the {} of iteration_overhead and optimizer",
                    to_text(gpu.pass_overhead + optimizer)));
  }
  return by_flops(model, layers.count() / gpu.batch / flops);
}

std::vector<TrainedLayer> by_name(const TrainingModel& model, const GpuCompute& gpu) {
  std::vector<TrainedLayer> layers;
  for (const ModelLayer& layer : model.layers) {
    const auto found = gpu.layers.find(layer.name);
    if (found == gpu.layers.end()) {
      gpu.place.fail(fmt::format("no time of {}", in_quotes(layer.name)),
                     fmt::format("every layer of {}", model.name));
    }
    layers.push_back(
        timed(layer, found->second.forward / gpu.batch, found->second.backward / gpu.batch));
  }
  return layers;
}

std::vector<TrainedLayer> by_own_times(const TrainingModel& model) {
  std::vector<TrainedLayer> layers;
  for (const ModelLayer& layer : model.layers) {
    if (!layer.time) {
      layer.place.fail(
          fmt::format(
              "{} has {}", in_quotes(layer.name),
              layer.flops ? "flops but no time, and training has no gpu to compute it" : "no time"),
          "forward and backward, or a gpu file in the scenario's training");
    }
    layers.push_back(
        timed(layer, layer.time->forward / model.batch, layer.time->backward / model.batch));
  }
  return layers;
}

std::vector<TrainedLayer> timed_once(const TrainingModel& model,
                                     const std::optional<GpuCompute>& gpu, Seconds optimizer) {
  if (!gpu) return by_own_times(model);
  if (gpu->iteration) return by_iteration(model, *gpu, optimizer);
  if (!gpu->flops_per_s) return by_name(model, *gpu);
  static_cast<void>(flops_of(model, *gpu));
  return by_flops(model, 1 / *gpu->flops_per_s);
}

}  // namespace

std::vector<TrainedLayer> timed_layers(const TrainingModel& model,
                                       const std::optional<GpuCompute>& gpu, Seconds optimizer) {
  std::vector<TrainedLayer> repeated;
  const std::vector<TrainedLayer> once = timed_once(model, gpu, optimizer);
  for (std::size_t i = 0; i < once.size(); ++i) {
    const int count = model.layers[i].count;
    for (int copy = 1; copy <= count; ++copy) {
      repeated.push_back(once[i]);
      if (count > 1) {
        repeated.back().name += fmt::format(" {}", copy);
      }
    }
  }
  return repeated;
}

}  // namespace ringcast
