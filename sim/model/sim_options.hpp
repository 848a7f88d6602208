#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// Progress reports of a running simulation, and the records that it keeps.
struct TrafficOptions {
  bool record_messages = false;
  /// Called after every 4,096th message with the number delivered so far.
  std::function<void(std::uint64_t messages)> progress;
  /// Called before that, with the part of the ranks whose programs are recorded.
  std::function<void(double part)> recorded = {};
};

/// What a simulation does beside its rank programs.
struct SimOptions {
  bool with_data = false;  // carry and combine real bytes, so that sums can be checked
  TrafficOptions traffic;
  /// The vertices of ranks that are no GPUs: parameter servers.
  std::vector<int> hosts = {};
  /// How long each GPU's buffer is, for a profile that copies it to the host as a whole.
  Bytes buffer{0};
  /// Delays messages by up to a nanosecond, at random (random_delay()); absent: not.
  std::optional<std::uint64_t> delay_seed = {};
  /// False: the program makes calls itself, through with_call_costs().
  bool program_is_a_call = true;
};

}  // namespace ringcast
