#pragma once

#include <string>

#include "app/calibrate/machine_model.hpp"

namespace ringcast {

/// Host and time of a measurement, for the file's sources.
struct MeasuredAt {
  std::string host;
  std::string time;  // RFC 3339
};

/// A scenario that contains the cluster and the transport, each value with its source.
[[nodiscard]] std::string scenario_yaml(const MachineModel& model, const MeasuredAt& at);
/// A summary for a terminal.
[[nodiscard]] std::string machine_table(const MachineModel& model);

}  // namespace ringcast
