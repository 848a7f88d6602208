#pragma once

#include <string>
#include <vector>

#include "topology/import/host_hardware.hpp"

namespace ringcast::detail {

/// NVLinks from a GPU to a target, both by address.
struct AddressedNvlinks {
  std::string gpu;
  std::string target;
  int count = 1;
  bool to_switch = false;
};

/// Adds NVLinks to a host whose GPUs have addresses and models. Links to GPUs that the host does
/// not have, or of a GPU to itself, are left out with a remark.
void add_nvlinks(const std::vector<AddressedNvlinks>& all, HostHardware& host);

/// The same for a file without GPU elements, as clouds provide: NCCL finds the NVLinks on the
/// machine. A board of eight GPUs, "A100 SXM" or later, has NVSwitches; for others a remark says
/// that NVLinks are left out.
void assume_nvswitch(const std::string& gpu, HostHardware& host);

}  // namespace ringcast::detail
