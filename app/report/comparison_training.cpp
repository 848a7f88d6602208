#include <map>

#include <fmt/format.h>

#include "app/report/comparison.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// All that two rows must agree in.
std::string key_of(const TrainingCell& cell) {
  return fmt::format("{}, {} of {}, {} passes, compressed {}: {}", cell.model,
                     to_text(cell.cell.size), name_of(cell.cell.reduction.type), cell.accumulation,
                     cell.compression, to_text(cell));
}

using RowsByKey = std::map<std::string, const TrainingRow*>;

RowsByKey by_key(const NamedResult& side) {
  RowsByKey rows;
  for (const TrainingRow& row : side.result.training) {
    if (!rows.emplace(key_of(row.cell), &row).second) {
      throw ScenarioError{fmt::format("{}: {} comes twice (expected each cell once)", side.name,
                                      to_text(row.cell))};
    }
  }
  return rows;
}

}  // namespace

void compare_training(const NamedResult& predicted, const NamedResult& measured,
                      Comparison& comparison) {
  static_cast<void>(by_key(predicted));
  RowsByKey partners = by_key(measured);
  for (const TrainingRow& row : predicted.result.training) {
    const auto found = partners.find(key_of(row.cell));
    if (found == partners.end()) {
      comparison.only_predicted.push_back(to_text(row.cell));
      continue;
    }
    comparison.cells.push_back({row.cell.cell, row.iteration, found->second->iteration, row.cell});
    partners.erase(found);
  }
  for (const auto& [key, row] : partners) {
    comparison.only_measured.push_back(to_text(row->cell));
  }
}

}  // namespace ringcast
