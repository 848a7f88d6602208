#include <map>

#include <fmt/format.h>

#include "app/report/comparison.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// All that two rows must agree in.
std::string training_key(const Cell& cell) {
  const TrainingCell& training = cell.training.value();
  return fmt::format("{}, {} of {}, {} passes, compressed {}: {}", training.model,
                     to_text(cell.size), name_of(cell.reduction.type), training.accumulation,
                     training.compression, to_text(cell));
}

using TrainingsByKey = std::map<std::string, const Row*>;

TrainingsByKey trainings_by_key(const NamedResult& side) {
  TrainingsByKey rows;
  for (const Row& row : side.result.rows) {
    if (row.iteration && !rows.emplace(training_key(row.cell), &row).second) {
      throw ScenarioError{fmt::format("{}: {} comes twice (expected each cell once)", side.name,
                                      to_text(row.cell))};
    }
  }
  return rows;
}

}  // namespace

void compare_training(const NamedResult& predicted, const NamedResult& measured,
                      Comparison& comparison) {
  static_cast<void>(trainings_by_key(predicted));
  TrainingsByKey partners = trainings_by_key(measured);
  for (const Row& row : predicted.result.rows) {
    if (!row.iteration) {
      continue;
    }
    const auto found = partners.find(training_key(row.cell));
    if (found == partners.end()) {
      comparison.only_predicted.push_back(to_text(row.cell));
      continue;
    }
    comparison.cells.push_back({row.cell, row.time, found->second->time});
    partners.erase(found);
  }
  for (const auto& [key, row] : partners) {
    comparison.only_measured.push_back(to_text(row->cell));
  }
}

}  // namespace ringcast
