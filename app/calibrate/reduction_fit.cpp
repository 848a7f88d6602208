#include "app/calibrate/reduction_fit.hpp"

#include <algorithm>
#include <cmath>

#include "app/common/median.hpp"

namespace ringcast {

ReductionFit fit_reduction(std::span<const CombiningReceive> receives, BytesPerSecond alone) {
  double off_as_one = 0;
  double off_as_two = 0;
  double fastest = 0;
  double fastest_plain = 0;
  std::vector<double> rest;
  rest.reserve(receives.size());
  for (const auto& [plain, combining] : receives) {
    off_as_one += std::abs(std::log(combining * std::max(1 / plain, 1 / alone.value())));
    off_as_two += std::abs(std::log(combining * (1 / plain + 1 / alone.value())));
    rest.push_back(1 / combining - 1 / plain);
    fastest = std::max(fastest, combining);
    fastest_plain = std::max(fastest_plain, plain);
  }
  if (off_as_one >= off_as_two) {
    const double each = median(std::move(rest));
    return {false, each > 0 ? BytesPerSecond{1 / each} : alone};
  }
  // A receive that combining does not slow gives only a lower bound of the rate.
  const bool tells = fastest < hindered_below * fastest_plain;
  return {true, tells ? BytesPerSecond{fastest} : std::max(alone, BytesPerSecond{fastest})};
}

}  // namespace ringcast
