#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "topology/links/link_class.hpp"

namespace ringcast::detail {

/// The class of a rate or width that a table of link classes leaves out, scaled from one of its
/// classes: Ethernet of another rate, `ethernet-30g`; PCIe of one or two lanes; UPI and QPI at the
/// lower rates that boards select. Nothing for other names. `left_out`: the published set whose
/// measurements the table lacks.
[[nodiscard]] std::optional<LinkClass> derived_class(std::span<const LinkClass> table,
                                                     std::string_view name,
                                                     std::string_view left_out = {});

}  // namespace ringcast::detail
