#pragma once

#include <vector>

namespace ringcast {

/// The middle value, or the mean of the middle two; of one value or more.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace ringcast
