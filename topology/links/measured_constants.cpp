#include "topology/links/measured_constants.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/numbers/error.hpp"
#include "topology/links/measured_values.hpp"

namespace ringcast {
namespace {

double geometric_mean(const std::vector<double>& values) {
  double logarithms = 0;
  for (const double value : values)
    logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

}  // namespace

double MeasuredConstant::value() const {
  return std::round(steps * without({})) / steps;
}

double MeasuredConstant::without(std::string_view set) const {
  std::vector<double> values;
  for (const MachineSample& sample : samples)
    if (set.empty() || sample.set != set) values.push_back(sample.value);
  return values.empty() ? by_default : geometric_mean(values);
}

bool MeasuredConstant::comes_from(std::string_view set) const {
  return std::ranges::find(samples, set, &MachineSample::set) != samples.end();
}

std::span<const MeasuredConstant> measured_constants() {
  static const std::vector<MeasuredConstant> constants = [] {
    std::vector<MeasuredConstant> all = detail::values_of_links();
    std::ranges::move(detail::values_of_libraries(), std::back_inserter(all));
    return all;
  }();
  return constants;
}

double measured_constant(std::string_view name, std::string_view left_out) {
  const auto found = std::ranges::find(measured_constants(), name, &MeasuredConstant::name);
  expect(found != measured_constants().end(), "no constant {}", name);
  return !left_out.empty() && found->comes_from(left_out) ? found->without(left_out)
                                                          : found->value();
}

}  // namespace ringcast
