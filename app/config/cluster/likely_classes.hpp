#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config/cluster/link_names.hpp"

namespace ringcast {

/// A name in the spelling of link classes: `PCIe 4.0_x32` is `pcie-4.0-x32`.
[[nodiscard]] std::string as_class_name(std::string_view name);

/// The link classes that an unknown name may mean, for a message: the most likely first, at most
/// six, `a, b, c or 9 more`. `names`: link_names() of it.
[[nodiscard]] std::string likely_classes(std::string_view name, const LinkNames& names);

}  // namespace ringcast
