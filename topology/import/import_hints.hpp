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
/// `hints.sockets`, if there are any.
void apply_hints(const ImportHints& hints, HostHardware& host);

}  // namespace ringcast
