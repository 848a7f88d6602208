#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/common/cell_cache.hpp"
#include "app/common/kept_cells.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

/// How the work on one cell ended.
struct CellOutcome {
  int exit_code = 1;  // 0, or that of the Error; 1 for a crash, 4 if a signal from outside ended it
  std::string text;   // what the work returned, or why it failed

  [[nodiscard]] bool succeeded() const { return exit_code == 0; }
};

[[nodiscard]] inline bool any_interrupted(std::span<const CellOutcome> outcomes) {
  return std::ranges::find(outcomes, Interrupted::code, &CellOutcome::exit_code) != outcomes.end();
}

/// The stores from which run_cells() takes known outcomes and to which it adds new ones.
struct CellMemory {
  KeptCells* kept = nullptr;                              // null: nothing is kept
  std::function<std::string(std::size_t cell)> key = {};  // in `kept`
  /// Null: equal cells are all run.
  CellCache* cache = nullptr;
  /// All that determines a cell's outcome: cells of equal identity are run once.
  std::function<std::string(std::size_t cell)> identity = {};
};

/// The cells of one call of run_cells(): their outcomes, and which of them have to run.
class CellBook {
 public:
  CellBook(const CellMemory& memory, std::size_t cells);

  /// Sets the outcome of a cell and, if it succeeded, of those equal to it. `work`: the time that
  /// computing it took.
  void end(std::size_t cell, const CellOutcome& outcome, Seconds work);

  std::vector<CellOutcome> outcomes;
  std::vector<double> fractions;
  /// The cells that have to run and have not been started. When a cell fails, those equal to it are
  /// appended.
  std::deque<std::size_t> queue;

 private:
  /// The outcome that an earlier run or call has found.
  [[nodiscard]] std::optional<std::string> find(std::size_t cell);
  /// Whether an earlier cell is equal; then this one shares its outcome.
  [[nodiscard]] bool follows(std::size_t cell);
  void set(std::size_t cell, CellOutcome outcome);
  void keep(std::size_t cell, const std::string& text, Seconds work);

  const CellMemory* memory_;
  std::vector<std::string> identities_;  // empty without a cache
  /// By identity, without the first cell of each.
  std::map<std::string, std::vector<std::size_t>> followers_;
};

}  // namespace ringcast
