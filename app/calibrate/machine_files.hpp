#pragma once

#include <string>

#include "app/calibrate/machine_model.hpp"

namespace ringcast {

/// Host and time of a measurement, for the files' sources.
struct MeasuredAt {
  std::string host;
  std::string time;  // as a person reads it
};

/// The cluster and the transport as files that `predict` takes, each value with its source.
[[nodiscard]] std::string cluster_yaml(const MachineModel& model, const MeasuredAt& at);
[[nodiscard]] std::string transport_yaml(const MachineModel& model, const MeasuredAt& at);
/// The same in short, for a terminal.
[[nodiscard]] std::string machine_table(const MachineModel& model);

}  // namespace ringcast
