#include <charconv>

#include <fmt/format.h>

#include "app/config/scenario/model_reader.hpp"
#include "app/config/yaml/file_kind.hpp"

namespace ringcast {
namespace {

/// `10.6 TFLOP/s`, in operations per second.
double read_operation_rate(const InputNode& node) {
  static constexpr std::string_view expected = "a rate such as 10.6 TFLOP/s";
  const std::string text = node.text(expected);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  std::string_view unit{rest, static_cast<std::size_t>(end - rest)};
  if (unit.starts_with(' ')) {
    unit.remove_prefix(1);
  }
  for (const auto& [prefix, factor] :
       {std::pair{'G', 1e9}, std::pair{'T', 1e12}, std::pair{'P', 1e15}}) {
    if (error == std::errc{} && unit.starts_with(prefix) &&
        (unit.substr(1) == "FLOP/s" || unit.substr(1) == "FLOPS")) {
      // Wider than the range of processors; times from rates outside would be implausible.
      constexpr double least = 1e6;
      constexpr double most = 1e21;
      return node.within(number * factor, least, most,
                         "0.001 GFLOP/s to 1e6 PFLOP/s, e.g. 10.6 TFLOP/s");
    }
  }
  node.fail(fmt::format("{} is no rate of operations", in_quotes(text)), expected);
}

/// Exactly one of the keys that say how long the GPU takes.
std::string_view timing_key_of(const InputNode& node) {
  static constexpr std::string_view keys[] = {"throughput", "iteration_time", "peak", "layers"};
  const std::string expected = fmt::format("one of {}", listed(keys, "or"));
  std::string_view found;
  for (const std::string_view key : keys) {
    const auto value = node.find(key);
    if (value && !found.empty()) value->fail(fmt::format("given beside {}", found), expected);
    found = value ? key : found;
  }
  if (found.empty()) node.fail("does not say how long the GPU takes", expected);
  return found;
}

Seconds read_positive_time(const InputNode& node) {
  const Seconds time = node.time();
  if (time <= Seconds{0}) {
    node.fail("no time at all", "more than 0");
  }
  return time;
}

void read_layers(const InputNode& list, GpuCompute& gpu) {
  for (const InputNode& node : list.items()) {
    node.allow_keys_of("measured layer");
    const InputNode name = node.require("name", "a layer of the model");
    const LayerWork work{node.require("forward", "a time, e.g. 1.2 ms").time(),
                         node.require("backward", "a time, e.g. 2.4 ms").time()};
    if (!gpu.layers.emplace(name.text(), work).second) {
      name.fail(fmt::format("{} is repeated", in_quotes(name.text())), "each name once");
    }
  }
}

void read_timing(const InputNode& node, GpuCompute& gpu) {
  const std::string_view key = timing_key_of(node);
  if (key == "peak") {
    gpu.flops_per_s = read_operation_rate(*node.find("peak")) *
                      node.require("achieved", "a percentage of the peak").percentage(0.01, 100);
    return;
  }
  gpu.batch = node.require("batch", "the samples of the pass that was measured").count();
  if (key == "throughput") {
    gpu.iteration = Seconds{gpu.batch / node.find("throughput")->number(1e-9, 1e12)};
  } else if (key == "iteration_time") {
    gpu.iteration = read_positive_time(*node.find("iteration_time"));
  } else {
    read_layers(*node.find("layers"), gpu);
  }
}

}  // namespace

GpuCompute read_gpu_compute(const InputNode& node) {
  expect_kind(node, "GPU compute");
  GpuCompute gpu{node};
  gpu.name = node.require("name", "a text").name();
  gpu.source = node.require("source", "who measured or published it").text();
  if (const auto model = node.find("model")) gpu.model = model->text();
  if (const auto fitted = node.find("fitted_on")) gpu.fitted_on = fitted->text();
  if (const auto overhead = node.find("iteration_overhead")) gpu.pass_overhead = overhead->time();
  if (node.find("achieved") && !node.find("peak")) {
    node.find("achieved")->fail("a part of what", "peak beside it");
  }
  read_timing(node, gpu);
  return gpu;
}

}  // namespace ringcast
