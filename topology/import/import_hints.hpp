#pragma once

#include <string>

#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// What a user says about a machine beside the file of a tool.
struct ImportHints {
  std::string gpu = {};      // "H100 SXM": contains a chip of gpu_models(); may be empty
  std::string network = {};  // link class of the cards' ports; may be empty
  std::string sockets = {};  // link class between sockets by the processors' model; may be empty
};

/// The rate of PCIe links of a class, as tools report it: after line coding.
[[nodiscard]] BytesPerSecond reported_rate(std::string_view link_class);

/// Gives all network cards the ports of `hints.network` and all sockets the link of
/// `hints.sockets`, if there are any, and superchips NVLink-C2C where the tool did not see it.
void apply_hints(const ImportHints& hints, HostHardware& host);

/// Gives all GPUs the model of `hints`, and PCIe links of unknown rate that model's. GPUs of
/// servers without NVLinks get those that `assume_nvswitch` below assumes, as `tool` did not see
/// them.
void assume_gpus(const ImportHints& hints, const std::string& tool, HostHardware& host);

/// True for GPUs that servers join by NVLinks: if a tool shows none, its file may lack them.
[[nodiscard]] bool has_nvlinks_in_servers(const std::string& gpu);

/// For a host whose description lacks NVLinks: a board of eight GPUs, "A100 SXM" or later, has
/// NVSwitches; for others a remark says that NVLinks are left out. `missing`: why they are unknown.
void assume_nvswitch(const std::string& gpu, const std::string& missing, HostHardware& host);

}  // namespace ringcast
