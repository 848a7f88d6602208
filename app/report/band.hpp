#pragma once

#include <string>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// Where a measurement is to be expected: as far from the predicted time as published machines of
/// the same classes were from theirs.
struct Band {
  Seconds low{0};
  Seconds high{0};
  std::string widest;  // what contributes most to the difference
};

/// `11.8-13.9`, in milliseconds
[[nodiscard]] std::string to_text(const Band& band, int digits = 3);

}  // namespace ringcast
