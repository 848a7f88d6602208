#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config/cluster/link_names.hpp"

namespace ringcast {

/// A name as a link class is written: `PCIe 4.0_x32` is `pcie-4.0-x32`.
[[nodiscard]] std::string as_class_name(std::string_view name);

/// What a reader of an unknown name should write, the likeliest first and not more than six: `a, b,
/// c or 9 more`. `names`: what the name may mean.
[[nodiscard]] std::string likely_classes(std::string_view name, const LinkNames& names);

}  // namespace ringcast
