#include "app/common/median.hpp"

#include <algorithm>

namespace ringcast {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

}  // namespace ringcast
