#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringcast::detail {

/// The relation of two devices in the matrix of `nvidia-smi topo -m`.
struct DeviceRelation {
  enum class Kind { unknown, self, nvlink, pix, pxb, phb, node, sys };
  Kind kind = Kind::unknown;
  int links = 0;  // of nvlink
  friend bool operator==(const DeviceRelation&, const DeviceRelation&) = default;
};
/// `NV12`, `PIX`, `SYS`, ...
[[nodiscard]] std::string name_of(const DeviceRelation& relation);

/// Reads such a word; also SOC, the old name of SYS. Empty for any other.
[[nodiscard]] std::optional<DeviceRelation> relation_of(std::string_view word);

}  // namespace ringcast::detail
