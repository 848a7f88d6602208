#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/common/cell_cache.hpp"
#include "app/common/kept_cells.hpp"

namespace ringcast {

/// The stores from which run_cells() takes known outcomes and to which it adds new ones.
struct CellMemory {
  KeptCells* kept = nullptr;  // absent: nothing is kept
  std::function<std::string(std::size_t cell)> key = {};
  /// Absent: equal cells are each run.
  CellCache* cache = nullptr;
  /// All that determines a cell's outcome: cells of equal identity are run once.
  std::function<std::string(std::size_t cell)> identity = {};
};

/// The cells of one call of run_cells(), and which of them need not run.
class CellBook {
 public:
  CellBook(const CellMemory& memory, std::size_t cells);

  /// The outcome that an earlier run or call has found.
  [[nodiscard]] std::optional<std::string> find(std::size_t cell);
  /// Whether an equal cell was asked about before; then this one is among its followers.
  [[nodiscard]] bool follows(std::size_t cell);
  [[nodiscard]] std::vector<std::size_t> followers(std::size_t cell);
  /// `work`: the time it took to find the text.
  void keep(std::size_t cell, const std::string& text, Seconds work);

 private:
  const CellMemory* memory_;
  std::vector<std::string> identities_;                        // empty without a cache
  std::map<std::string, std::vector<std::size_t>> followers_;  // the first of equal cells leads
};

}  // namespace ringcast
