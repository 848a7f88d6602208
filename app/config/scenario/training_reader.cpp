#include "app/config/scenario/training_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/config/scenario/model_reader.hpp"
#include "app/config/scenario/result_cell.hpp"
#include "app/config/scenario/scenario_reader.hpp"
#include "app/config/scenario/sweep_reader.hpp"
#include "app/config/yaml/sourced_value.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr std::int64_t largest_global_batch = 1'000'000'000;
constexpr Seconds most_optimizer{3600};

InputNode model_node(const InputNode& training, const std::filesystem::path& folder) {
  training.allow_keys_of("training");
  return resolved(training.require("model", "a model file, e.g. models/vgg16.yaml"), folder);
}

/// Reads the gpu file, if there is one; it must be for this model.
std::optional<GpuCompute> read_gpu(const InputNode& training, const std::filesystem::path& folder,
                                   const std::string& model) {
  const auto node = training.find("gpu");
  if (!node) return std::nullopt;
  GpuCompute read = read_gpu_compute(resolved(*node, folder));
  if (read.model && *read.model != model) {
    node->fail(fmt::format("{} is for the model {}", in_quotes(read.name), in_quotes(*read.model)),
               fmt::format("a file for {}, or for any", in_quotes(model)));
  }
  return read;
}

std::vector<BatchChoice> read_batches(const InputNode& node, const Training& training,
                                      const std::vector<int>& ranks) {
  std::vector<BatchChoice> batches;
  if (const auto weak = node.find("batch_per_gpu")) {
    // Its product with the greatest numbers of ranks and passes fits 64 bits.
    batches.push_back({Scaling::weak, weak->count()});
  }
  if (const auto strong = node.find("global_batch")) {
    batches.push_back({Scaling::strong, strong->integer(1, largest_global_batch)});
    const int fewest = *std::ranges::min_element(ranks);
    if (const auto problem = batch_problem(training, batches.back(), fewest)) {
      strong->fail(*problem, expected_batch);
    }
  }
  if (batches.empty()) {
    static_cast<void>(node.require("batch_per_gpu", "a number of samples; or global_batch"));
  }
  return batches;
}

Bytes read_bucket_size(const InputNode& node, ElementType type) {
  const Bytes size = node.size();
  if (size < size_of(type)) {
    node.fail(
        fmt::format("{} is less than one element", printable(node.text())),
        fmt::format("at least {} bytes, the size of a {}", size_of(type).count(), name_of(type)));
  }
  return size;
}

void refuse_beside(const std::optional<InputNode>& size, Bucketing bucketing,
                   std::string_view expected) {
  if (size) {
    size->fail(fmt::format("nothing to buckets that are {}", name_of(bucketing)), expected);
  }
}

std::vector<BucketRule> read_buckets(const InputNode& node, ElementType type,
                                     const ScenarioOverrides& overrides) {
  BucketRule rule;
  if (const auto bucketing = node.find("bucketing")) {
    rule.bucketing = bucketing->one_of("bucketing", all_bucketings);
  }
  if (rule.bucketing != Bucketing::ddp) {
    refuse_beside(node.find("first_bucket_size"), rule.bucketing, "bucketing: ddp");
  }
  const auto list = chosen_list(node, "bucket_size", "--bucket-size", overrides.bucket_size);
  if (!has_size(rule)) {
    refuse_beside(list, rule.bucketing, "bucketing: fusion or ddp");
    return {rule};
  }
  if (const auto first = node.find("first_bucket_size")) {
    rule.first_size = read_bucket_size(*first, type);
  }
  std::vector<Bytes> sizes{rule.bucketing == Bucketing::ddp ? ddp_bucket_size : fusion_bucket_size};
  if (list) {
    sizes = distinct_values(*list,
                            [type](const InputNode& item) { return read_bucket_size(item, type); });
  }
  std::vector<BucketRule> rules;
  for (const Bytes size : sizes) {
    rule.size = size;
    rules.push_back(rule);
  }
  return rules;
}

std::vector<bool> read_overlaps(const InputNode& node, const ScenarioOverrides& overrides) {
  const auto overlap = chosen(node, "overlap", "--overlap", overrides.overlap);
  if (!overlap) return {true};
  return overlap->one_of(
      "overlap", {NamedValue{"on", std::vector{true}}, {"off", {false}}, {"both", {true, false}}});
}

LaunchAhead read_launch_ahead(const InputNode& node) {
  constexpr int most = 100'000;
  const SourcedValue read = sourced_value(node);
  return {read.value.integer(0, most), read.source};
}

bool read_weights_before_forward(const InputNode& node,
                                 const std::vector<std::string>& algorithms) {
  const bool before_forward = node.one_of(
      "weights", {NamedValue{name_of_weights(false), false}, {name_of_weights(true), true}});
  if (!before_forward) return false;
  const std::vector<std::string>& halved = names_with_halves();
  for (const std::string& algorithm : algorithms) {
    if (algorithm != auto_algorithm && std::ranges::find(halved, algorithm) == halved.end()) {
      node.fail(
          fmt::format("{} has no halves, of which one could come before forward", algorithm),
          fmt::format("algorithm {}, or {}", fmt::join(halved, " or "), name_of_weights(false)));
    }
  }
  return true;
}

void expect_tuner(const Scenario& scenario) {
  if (scenario.transport.tuner != Tuner::none ||
      std::ranges::find(scenario.algorithms, auto_algorithm) == scenario.algorithms.end()) {
    return;
  }
  throw ScenarioError{
      fmt::format("{}: auto, but {} has no tuner to choose for a training (expected an algorithm, "
                  "or a transport such as nccl)",
                  position_of(scenario, "algorithm", std::string{auto_algorithm}),
                  in_quotes(scenario.transport.name))};
}

/// `ranks`: of the largest job.
std::vector<Straggler> read_stragglers(const InputNode& node, int ranks) {
  node.allow_keys_of("stragglers");
  const double slowdown = node.require("slowdown", "a number, e.g. 1.3").number(1, 1000);
  std::vector<Straggler> stragglers;
  for (const InputNode& item : node.require("ranks", "a list of ranks").one_or_more()) {
    const Rank rank{item.index()};
    if (index_of(rank) >= ranks) {
      item.fail(fmt::format("rank {} of {}", index_of(rank), counted(ranks, "rank")),
                fmt::format("0 to {}", ranks - 1));
    }
    if (std::ranges::find(stragglers, rank, &Straggler::rank) != stragglers.end()) {
      item.fail(fmt::format("{} is repeated", index_of(rank)), "each rank once");
    }
    stragglers.push_back({rank, slowdown});
  }
  return stragglers;
}

/// An option may narrow the sweep to jobs without the straggler.
int ranks_with_stragglers(const Scenario& scenario, const ScenarioOverrides& overrides) {
  return overrides.ranks ? 1'000'000 : *std::ranges::max_element(scenario.ranks);
}

void read_noise(const InputNode& node, std::uint64_t seed, int ranks, Training& training) {
  training.noise.seed = seed;
  if (const auto jitter = node.find("jitter")) {
    training.noise.sigma = jitter->percentage(0, 100);
  }
  if (const auto stragglers = node.find("stragglers")) {
    training.noise.stragglers = read_stragglers(*stragglers, ranks);
  }
  // Enough that the 5th and 95th percentiles are not the minimum and maximum.
  constexpr int with_jitter = 20;
  training.repetitions = training.noise.sigma > 0 ? with_jitter : 1;
  if (const auto repetitions = node.find("repetitions")) {
    training.repetitions = repetitions->integer(1, 1000);
  }
}

void read_costs(const InputNode& node, Training& training) {
  training.accumulation = node.count("accumulation");
  if (const auto factor = node.find("compression")) {
    training.compression = factor->number(1, 10'000);
  }
  if (const auto optimizer = node.find("optimizer")) {
    training.optimizer =
        optimizer->within(optimizer->time(), Seconds{0}, most_optimizer, "0 to 1 h");
  }
  if (const auto broadcast = node.find("broadcast")) {
    training.broadcast = broadcast->truth();
  }
}

}  // namespace

ElementType gradient_type_of(const InputNode& training, const std::filesystem::path& folder) {
  return read_model(model_node(training, folder)).gradient_type;
}

Training read_training(const InputNode& node, const std::filesystem::path& folder,
                       const Scenario& scenario, const ScenarioOverrides& overrides) {
  expect_tuner(scenario);
  const TrainingModel model = read_model(model_node(node, folder));
  const std::optional<GpuCompute> gpu = read_gpu(node, folder, model.name);
  Training training;
  training.model = model.name;
  training.samples = model.samples;
  training.parameters = model.parameters;
  read_costs(node, training);
  read_noise(node, scenario.seed, ranks_with_stragglers(scenario, overrides), training);
  training.batches = read_batches(node, training, scenario.ranks);
  training.buckets = read_buckets(node, scenario.reduction.type, overrides);
  training.overlaps = read_overlaps(node, overrides);
  if (const auto ahead = node.find("launch_ahead")) {
    training.launch_ahead = read_launch_ahead(*ahead);
  }
  if (const auto weights = node.find("weights")) {
    training.weights_before_forward = read_weights_before_forward(*weights, scenario.algorithms);
  }
  training.layers = timed_layers(model, gpu, training.optimizer);
  training.compute_source = gpu ? gpu->source : model.source;
  if (gpu) {
    training.gpu = gpu->name;
    training.fitted_on = gpu->fitted_on;
    training.pass_overhead = gpu->pass_overhead;
  }
  return training;
}

}  // namespace ringcast
