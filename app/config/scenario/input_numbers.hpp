#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

struct Scenario;

enum class Unit { rate, time, bytes, fraction };

/// One input parameter of a prediction.
struct InputNumber {
  /// As the files have it: `link ib bandwidth`, `transport message_overhead`. A cable described in
  /// place goes by its keys: `link fabric.link latency`. Sockets go by their node:
  /// `node type gpu-node memory`, `node type host caches 4 MiB bandwidth`. What all layers of a
  /// training compute for a sample is one number, `training time_per_sample`.
  std::string name;
  double value = 0;  // bytes per second, seconds, bytes, or a part of 1; above zero
  Unit unit = Unit::rate;
  std::string source;  // where the files say that it comes from
};

/// The rates and costs of the scenario's cluster, transport and training, the cluster's first, each
/// once however many cables have it. Zeros, which stand for what is not there, are left out; so are
/// counts, and what the scenario chooses (sizes, channels, segments).
[[nodiscard]] std::vector<InputNumber> input_numbers(const Scenario& scenario);

/// Gives a number another value, above zero, wherever it is used; bytes are rounded. Throws
/// ScenarioError `unknown number "...", did you mean ...? (expected ...)`.
void set_input_number(Scenario& scenario, std::string_view name, double value);

/// For people: `6 GB/s`, `7 us`, `64 KiB`, `0.8`.
[[nodiscard]] std::string to_text(const InputNumber& number);

}  // namespace ringcast
