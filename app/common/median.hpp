#pragma once

#include <vector>

namespace ringcast {

/// The middle one, or the mean of the two; needs one at least.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace ringcast
