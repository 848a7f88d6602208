#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "app/report/result.hpp"

namespace ringcast {

/// One measurement of an all-reduce: a line of a log.
struct Sample {
  int ranks = 1;
  Bytes size;
  Reduction reduction;
  Seconds time{0};
  Seconds time_min{0};
  Seconds time_max{0};
  bool verified = false;
  std::optional<int> nodes = {};  // on which the ranks were, if it is known
};

/// What the samples of one row have in common.
using SampleCell = std::tuple<int, Bytes, ElementType, Operation>;
[[nodiscard]] SampleCell cell_of(const Sample& sample);

/// A row per cell, in the order of the samples. A cell with several samples gets the median, the
/// least and the greatest time, and is verified if all of them are.
[[nodiscard]] std::vector<Row> rows_of(const std::vector<Sample>& samples,
                                       const std::string& transport);

}  // namespace ringcast
