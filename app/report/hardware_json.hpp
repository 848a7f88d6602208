#pragma once

#include <string>
#include <string_view>

#include "topology/import/host_hardware.hpp"

namespace ringcast {

/// A host as text, for messages between processes, and back. Throws ContractViolation for a text
/// that to_json() did not write.
[[nodiscard]] std::string to_json(const HostHardware& host);
[[nodiscard]] HostHardware host_from_json(std::string_view text);

}  // namespace ringcast
