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
  /// The time that the whole cell takes, where it knows that before it has done any of it.
  std::optional<Seconds> whole = {};
  /// The part of its ranks whose programs are recorded, before any messages.
  std::optional<double> recorded = {};
};
using ReportProgress = std::function<void(const CellProgress& progress)>;
/// The work on one cell, run in a child process. What it throws becomes the cell's failure.
using CellWork = std::function<std::string(std::size_t cell, const ReportProgress& report)>;
/// The state of the running cells.
struct RunningCells {
  std::size_t without_fraction = 0;     // that have run for half a second without saying any
  Seconds longest{0};                   // the longest CellProgress::whole
  std::optional<double> recorded = {};  // the least CellProgress::recorded of those that record
};
/// Called in the parent at each change, and before the first cell where outcomes are known: one
/// fraction per cell, 1 when it has ended.
using PoolProgress =
    std::function<void(const std::vector<double>& fractions, const RunningCells& running)>;

/// The same as one number, for a progress bar.
struct WorkDone {
  double fraction = 0;  // of the whole work
  std::size_t ended = 0;
  std::size_t cells = 0;
  /// Whether each cell that has run for a while has reported: then the rest can be estimated.
  bool is_known = true;
  /// The time that one core would take for all of it, by what was measured elsewhere.
  std::optional<Seconds> expected = {};
  /// The time that it takes at least, by what was known before any of it was done.
  Seconds foreseen{0};
  std::optional<double> recorded = {};  // RunningCells::recorded
};
using WorkProgress = std::function<void(const WorkDone& done)>;
/// Weights each cell by the time that it is expected to take on one core. Without `report`, empty.
/// `foreseen`: the time of all cells, where they are sure to take as long as expected.
[[nodiscard]] PoolProgress weighted_progress(std::vector<Seconds> expected, WorkProgress report,
                                             Seconds foreseen = Seconds{0});

/// What a process of the pool is for: SimGrid has one simulation per process.
enum class CellsOfProcess { one, any };

/// Runs `work` for cells 0 .. cells-1 in child processes, at most `jobs` at a time: this is how all
/// cores are used. One failing cell does not disturb the others, nor does one that crashes. One of
/// several processes takes the last cells, usually the largest, the others the first ones. With
/// `CellsOfProcess::any` a process takes one cell after the other: forking, and copying what is
/// then written, costs more than many a cell. A success is kept in `memory` as soon as it is known;
/// cells that are there are not run again, and of equal cells one is run. On SIGINT, SIGTERM or
/// SIGHUP (unless the process ignores them) the running cells are killed, and cells without an
/// outcome fail as Interrupted; children also end when this process dies. Call from a process with
/// one thread.
[[nodiscard]] std::vector<CellOutcome> run_cells(
    std::size_t cells, int jobs, const CellWork& work, const PoolProgress& progress = {},
    const CellMemory& memory = {}, CellsOfProcess cells_of_process = CellsOfProcess::one);

}  // namespace ringcast
