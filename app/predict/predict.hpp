#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "app/common/cell_pool.hpp"
#include "app/config/scenario/plan.hpp"
#include "app/config/scenario/scenario.hpp"
#include "app/report/result.hpp"
#include "sim/job/simulated_job.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

struct PredictOptions {
  int jobs = 1;
  /// Carry real data through the simulation and check every sum.
  bool check = false;
  /// Data and traces need SimGrid in any case.
  Fidelity fidelity = Fidelity::cheapest;
  /// The most messages that are simulated for one cell. Cells with more are refused unless a
  /// cheaper method is exact or gives bounds.
  double most_messages = 1e9;
  /// Whether jobs whose chunks are simulated as long as the longest get the bounds of their time.
  /// Without them its error is not known.
  bool with_bounds = true;
  /// Write a Chrome trace of the only cell; ScenarioError if there are several.
  std::optional<std::filesystem::path> trace = {};
  /// Rows of a training get the timeline of this rank.
  std::optional<Rank> timeline = {};
  /// As SimOptions::delay_seed.
  std::optional<std::uint64_t> delay_seed = {};
  WorkProgress progress = {};
  /// Provides and keeps the outcomes of finished cells.
  KeptCells* kept = nullptr;
  /// Provides and keeps the outcomes of equal cells, which run once; unused with data, a trace
  /// or a timeline.
  CellCache* cache = nullptr;
};

/// Simulates every cell of the scenario's sweep, each in a child process. A cell that fails is in
/// the result's failures; the others' rows are kept.
/// After Ctrl-C, cells that did not end have failed as Interrupted. Throws ScenarioError for
/// options that do not fit the scenario.
[[nodiscard]] Result predict(const Scenario& scenario, const PredictOptions& options);

/// The cache that a prediction with these options may use.
[[nodiscard]] CellCache* cache_of(const PredictOptions& options);
/// The number of messages of the cell, at least one: the measure of its work.
[[nodiscard]] double expected_message_count(const PlannedCell& planned);
/// The time to simulate a message on one core: with SimGrid 1.5 to 2.6 us, measured on an AMD EPYC
/// with rings of 128 to 1,024 ranks on a fat tree (2026-11-27); with fluid flows 1.3 to 1.4 us,
/// with 64 and 256 ranks there (2026-11-23; tests/bench/simulation_speed.cpp, user time in a
/// virtual machine of two cores).
[[nodiscard]] Seconds work_per_message_of(Fidelity fidelity);
/// The time to compute a message of a ring by recurrence: 1.1 to 1.6 ns, measured there with 1,024
/// and 4,096 ranks. Messages that the recurrence skips take no time.
inline constexpr Seconds work_per_ring_message{1.2e-9};
/// The time of --check for the data of all ranks: 4.1 ns per byte with 32 ranks of 128 MiB, 6.7 ns
/// with 8 of 1.2 GB (2026-11-25, the same machine).
[[nodiscard]] Seconds work_of_check(const Cell& cell);
/// The time of a cell without messages: 1 to 2 ms for those of published sets, on a Xeon of 2026.
inline constexpr Seconds work_without_messages{2e-3};
/// The time of the cell's simulation on one core. Jobs of more than 64 ranks that no recurrence
/// computes are expected to fold to so many; with SimGrid all ranks count.
[[nodiscard]] Seconds expected_work(const PlannedCell& planned, const PredictOptions& options);
/// Whether the cell is an all-reduce by `rings` concurrent rings of whole chunks.
[[nodiscard]] bool is_plain_rings(const PlannedCell& planned, std::size_t rings);
/// Reports the progress of all cells to options.progress, weighted by their expected work.
[[nodiscard]] PoolProgress progress_of(const std::vector<PlannedCell>& cells,
                                       const PredictOptions& options);
[[nodiscard]] PoolProgress progress_of(std::vector<Seconds> works, const PredictOptions& options);

/// The result of one cell's simulation.
using Prediction = std::variant<Row, FailedCell>;
/// The prediction of each cell; of alternatives, that of the fastest.
[[nodiscard]] std::vector<Prediction> best_predictions(const std::vector<PlannedCell>& cells,
                                                       const std::vector<CellOutcome>& outcomes);
/// Throws ScenarioError if this fraction of the ranks exchanges more than `most` messages, which
/// would take hours to simulate.
void expect_simulable(const PlannedCell& planned, double part, double most);
/// Throws ScenarioError if --check needs more memory than there is: every rank has its whole
/// buffer, and messages in flight are copies.
void expect_room_for_data(const Cell& cell);

class TunedJobs;
/// plan() for the topology's ranks, with servers placed on hosts and NCCL's choices applied
/// (tuned_cells.hpp).
[[nodiscard]] std::vector<PlannedCell> plan(const Scenario& scenario, const Topology& topology);
[[nodiscard]] std::vector<PlannedCell> plan(const Scenario& scenario, const Topology& topology,
                                            TunedJobs& jobs);

/// Simulates one cell in this process; with SimGrid once per process. Throws ContractViolation if
/// the time is below the physical lower bound or a link carried more than its bandwidth allows,
/// which would be bugs.
[[nodiscard]] Row simulate(const PlannedCell& planned, const Scenario& scenario,
                           const Topology& topology, const PredictOptions& options,
                           const ReportProgress& report);

}  // namespace ringcast
