#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "topology/links/link_class.hpp"

namespace ringcast::detail {

/// A class that is not in the table, scaled from one of its classes: Ethernet of another rate,
/// `ethernet-30g`; PCIe of one or two lanes; UPI and QPI at lower rates. Absent for other names.
/// `left_out`: the published set whose measurements the table excludes.
[[nodiscard]] std::optional<LinkClass> derived_class(std::span<const LinkClass> table,
                                                     std::string_view name,
                                                     std::string_view left_out = {});

}  // namespace ringcast::detail
