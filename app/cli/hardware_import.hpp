#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/program.hpp"

namespace ringcast {

/// The command-line options for a description of hardware, as texts.
struct HardwareArguments {
  std::string gpu;
  std::string cpu;
  std::string network;
  std::optional<int> nodes;
  std::string fabric;  // file of ibnetdiscover or of Slurm
};

/// Formats that describe a machine: `hwloc`, `nvidia-smi`, ...
[[nodiscard]] std::vector<std::string_view> hardware_formats();
/// True for a format that describes hosts, false for one that describes a network.
[[nodiscard]] bool is_host_format(std::string_view format);

void add_hardware_options(Command& command, HardwareArguments& arguments);
/// True if any of the options is given.
[[nodiscard]] bool any_given(const HardwareArguments& arguments);

/// Converts a tool's descriptions of hosts, or one of a network, to a cluster file. Throws
/// ScenarioError.
void import_hardware(const std::string& format, const std::vector<std::string>& files,
                     const HardwareArguments& arguments, const std::string& output);

}  // namespace ringcast
