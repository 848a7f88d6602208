#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/common/cell_memory.hpp"

namespace ringcast {

/// The progress report of a running cell.
struct CellProgress {
  double fraction = 0;  // 0 to 1; values outside are clamped
  /// The expected time of the whole cell, if it is known before the simulation starts.
  std::optional<Seconds> whole = {};
  /// The fraction of its ranks whose programs have been recorded, while that lasts.
  std::optional<double> recorded = {};
};
using ReportProgress = std::function<void(const CellProgress& progress)>;
/// The work on one cell, run in a child process. What it throws becomes the cell's failure.
using CellWork = std::function<std::string(std::size_t cell, const ReportProgress& report)>;
/// The state of the running cells.
struct RunningCells {
  std::size_t without_fraction = 0;     // cells that run for half a second and reported none
  Seconds longest{0};                   // the longest CellProgress::whole
  std::optional<double> recorded = {};  // the least CellProgress::recorded; absent: none has one
};
/// Called in the parent at each change, and before the first cell starts if some outcomes are
/// stored. One fraction per cell; 1: it has ended.
using PoolProgress =
    std::function<void(const std::vector<double>& fractions, const RunningCells& running)>;

/// The progress of all cells together, for a progress bar.
struct WorkDone {
  double fraction = 0;  // of the expected time of all cells
  std::size_t ended = 0;
  std::size_t cells = 0;
  /// False while a cell has run for half a second without a report: no estimate is possible then.
  bool is_known = true;
  /// The time of all cells on one core, from costs measured on another host.
  std::optional<Seconds> expected = {};
  /// A lower estimate of the time, from what was known before the simulations started.
  Seconds foreseen{0};
  std::optional<double> recorded = {};  // RunningCells::recorded
  std::string doing = {};               // `trying 64 GPUs`, of a search
};
using WorkProgress = std::function<void(const WorkDone& done)>;
/// Weights each cell by its expected time on one core. Empty if `report` is. `foreseen`: the time
/// of all cells on the cores used, if the expected times are reliable; else zero.
[[nodiscard]] PoolProgress weighted_progress(std::vector<Seconds> expected, WorkProgress report,
                                             Seconds foreseen = Seconds{0});

/// How many cells a process of the pool runs. SimGrid allows one simulation per process.
enum class CellsOfProcess { one, any };

/// Runs `work` for cells 0 .. cells-1 in child processes, at most `jobs` at a time. Call from a
/// process with one thread.
///
/// - A cell that fails or crashes does not affect the others.
/// - One of several processes takes cells from the end of the list, usually the largest, the others
///   from its beginning.
/// - With `CellsOfProcess::any` a process runs one cell after the other: a fork and its
///   copy-on-write faults cost more than a small cell.
/// - A success is stored in `memory` at once. Cells found there are not run, and of equal cells one
///   is run.
/// - On SIGINT, SIGTERM or SIGHUP (unless the process ignores them) the running cells are killed,
///   and cells without an outcome fail as Interrupted. Children also end when this process dies.
[[nodiscard]] std::vector<CellOutcome> run_cells(
    std::size_t cells, int jobs, const CellWork& work, const PoolProgress& progress = {},
    const CellMemory& memory = {}, CellsOfProcess cells_of_process = CellsOfProcess::one);

}  // namespace ringcast
