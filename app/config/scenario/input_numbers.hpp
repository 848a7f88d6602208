#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

struct Scenario;

enum class Unit { rate, time, bytes, fraction };

/// One input parameter of a prediction.
struct InputNumber {
  /// From the names and keys of the files: `link ib bandwidth`, `transport message_overhead`. A
  /// cable described in place is named by its keys: `link fabric.link latency`; a socket by its
  /// node type: `node type gpu-node memory`, `node type host caches 4 MiB bandwidth`. The
  /// computation of all layers of a training is one number, `training time_per_sample`.
  std::string name;
  double value = 0;  // bytes per second, seconds, bytes, or a part of 1; above zero
  Unit unit = Unit::rate;
  std::string source;  // by the files
};

/// The rates and costs of the scenario's cluster, transport and training, in this order. A number
/// that several cables share is listed once. Zeros (absent parameters), counts, and the choices of
/// the scenario (sizes, channels, segments) are left out.
[[nodiscard]] std::vector<InputNumber> input_numbers(const Scenario& scenario);

/// Changes a number, to a value above zero, wherever it is used; bytes are rounded. Throws
/// ScenarioError `unknown number "...", did you mean ...? (expected ...)`.
void set_input_number(Scenario& scenario, std::string_view name, double value);

/// Multiplies each number by its factor, wherever it is used. All at once: after a change, numbers
/// that were different may be one.
void scale_input_numbers(Scenario& scenario,
                         const std::function<double(const InputNumber&)>& factor);

/// Whether a number is an efficiency, which is at most 1.
[[nodiscard]] bool is_efficiency(const InputNumber& number);

/// For people: `6 GB/s`, `7 us`, `64 KiB`, `0.8`.
[[nodiscard]] std::string to_text(const InputNumber& number);

}  // namespace ringcast
