#include "app/logs/measured_rows.hpp"

#include <algorithm>
#include <map>

#include "app/common/mapped.hpp"
#include "app/common/median.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

Row row_of(const std::vector<Sample>& samples, const std::string& transport) {
  const Sample& first = samples.front();
  Row row;
  row.cell.ranks = first.ranks;
  row.cell.size = first.size;
  row.cell.reduction = first.reduction;
  row.cell.transport = transport;
  row.cell.channels.reset();
  const auto is_like_first = [&](const Sample& sample) { return sample.nodes == first.nodes; };
  if (std::ranges::all_of(samples, is_like_first)) row.cell.nodes = first.nodes;
  row.time_min = first.time_min;
  row.time_max = first.time_max;
  row.verified = true;
  std::vector<double> times;
  times.reserve(samples.size());
  for (const Sample& sample : samples) {
    times.push_back(sample.time.count());
    row.time_min = std::min(row.time_min, sample.time_min);
    row.time_max = std::max(row.time_max, sample.time_max);
    row.verified = row.verified && sample.verified;
  }
  row.time = Seconds{median(std::move(times))};
  return row;
}

}  // namespace

SampleCell cell_of(const Sample& sample) {
  return {sample.ranks, sample.size, sample.reduction.type, sample.reduction.operation};
}

std::vector<Row> rows_of(const std::vector<Sample>& samples, const std::string& transport) {
  std::map<SampleCell, std::size_t> places;
  std::vector<std::vector<Sample>> cells;
  for (const Sample& sample : samples) {
    const auto [place, is_new] = places.try_emplace(cell_of(sample), cells.size());
    if (is_new) {
      cells.emplace_back();
    }
    cells[place->second].push_back(sample);
  }
  return mapped(cells, [&](const std::vector<Sample>& cell) { return row_of(cell, transport); });
}

}  // namespace ringcast
