#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "app/report/result.hpp"

namespace ringcast {

/// One line of a log: an all-reduce that was measured once.
struct Sample {
  int ranks = 1;
  Bytes size;
  Reduction reduction;
  Seconds time{0};
  Seconds time_min{0};
  Seconds time_max{0};
  bool verified = false;
};

/// What the samples of one row have in common.
using SampleCell = std::tuple<int, Bytes, ElementType, Operation>;
[[nodiscard]] SampleCell cell_of(const Sample& sample);

/// A row per cell, in the order of the samples: of a cell that was measured several times the
/// median of the times, the least and the greatest; verified where all its samples are.
[[nodiscard]] std::vector<Row> rows_of(const std::vector<Sample>& samples,
                                       const std::string& transport);

}  // namespace ringcast
