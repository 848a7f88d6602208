#pragma once

#include "topology/links/measured_constants.hpp"

namespace ringcast::detail {

/// The constants of link classes.
[[nodiscard]] std::vector<MeasuredConstant> values_of_links();
/// The constants of libraries and their plugins.
[[nodiscard]] std::vector<MeasuredConstant> values_of_libraries();

}  // namespace ringcast::detail
