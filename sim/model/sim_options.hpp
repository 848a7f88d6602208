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
  /// Called during the dry run before the simulation, with the fraction of ranks recorded so far.
  std::function<void(double part)> recorded = {};
};

/// The options of a simulation.
struct SimOptions {
  bool with_data = false;  // carry and combine real bytes, so that sums can be checked
  TrafficOptions traffic;
  /// The vertices of the ranks without GPUs: parameter servers.
  std::vector<int> hosts = {};
  /// The size of each GPU's buffer, for a profile that copies it to the host as a whole.
  Bytes buffer{0};
  /// Delays messages by up to a nanosecond, at random (random_delay()); absent: no delays.
  std::optional<std::uint64_t> delay_seed = {};
  /// True: the program is one call. False: it makes its calls through with_call_costs().
  bool program_is_a_call = true;
};

}  // namespace ringcast
