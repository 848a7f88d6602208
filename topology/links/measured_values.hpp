#pragma once

#include "topology/links/measured_constants.hpp"

namespace ringcast::detail {

/// What machines showed of link classes.
[[nodiscard]] std::vector<MeasuredConstant> values_of_links();
/// What they showed of libraries and their plugins.
[[nodiscard]] std::vector<MeasuredConstant> values_of_libraries();

}  // namespace ringcast::detail
