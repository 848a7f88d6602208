#pragma once

#include <string>
#include <string_view>

#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// The user's information about a machine, in addition to the file of a tool.
struct ImportHints {
  std::string gpu = {};      // contains a product of gpu_models(): "H100 SXM"; may be empty
  std::string network = {};  // link class of the NICs' ports; may be empty
  std::string sockets = {};  // link class between sockets; may be empty
  std::string cpu = {};      // "EPYC 7763"; may be empty
};

/// The rate of PCIe links of a class after line coding, as tools report it.
[[nodiscard]] BytesPerSecond reported_rate(std::string_view link_class);

/// Sets the port class of all NICs to `hints.network`, and the link class of all sockets
/// to `hints.sockets`, and their processor to `hints.cpu`, unless empty; adds NVLink-C2C to
/// superchips if the tool did not report it.
void apply_hints(const ImportHints& hints, HostHardware& host);

/// The remark about PCIe links of other devices than GPUs to which --gpu gives a rate.
inline constexpr std::string_view links_as_of_gpus =
    "PCIe switches and NICs are taken to be as fast as the GPUs' PCIe links";

/// Sets unknown rates of PCIe links to that of a GPU's model, if that is known.
void assume_pcie_links(const std::string& gpu, HostHardware& host);

/// Sets the model of all GPUs and unknown rates of PCIe links to those of `hints`. For GPUs whose
/// NVLinks `tool` does not report, calls assume_nvlinks().
void assume_gpus(const ImportHints& hints, const std::string& tool, HostHardware& host);

/// Whether servers connect such GPUs by NVLinks or xGMI. If a tool shows none, its file may lack
/// them.
[[nodiscard]] bool has_nvlinks_in_servers(const std::string& gpu);

/// For a host of several GPUs whose description lacks NVLinks: adds NVSwitches to a board of eight,
/// "A100 SXM" or later, and xGMI between all of eight MI300X or later; for others, a remark that
/// they are omitted. `missing`: why they are unknown.
void assume_nvlinks(const std::string& gpu, const std::string& missing, HostHardware& host);

}  // namespace ringcast
