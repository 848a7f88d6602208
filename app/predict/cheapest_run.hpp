#pragma once

#include <functional>
#include <optional>

#include "app/predict/predict.hpp"
#include "sim/job/simulated_job.hpp"

namespace ringcast {

/// A cell and its job.
struct CellRun {
  using Program = std::function<void(RankContext&, std::uint64_t elements)>;

  SimulatedJob& job;
  const PlannedCell& planned;
  std::uint64_t elements;
  const Program& program;
  double most_messages;
  bool with_bounds;  // PredictOptions::with_bounds
  const ReportProgress& report;
};

/// The accuracy of a time.
struct Found {
  /// The relative error by which the time may be too long; absent: not known.
  std::optional<double> error = 0.0;
  /// The fraction by which the shortest chunks were simulated too long, as the longest.
  double rounded_by = 0;
  /// An upper bound, if the time may be too short.
  std::optional<Seconds> most = {};
};

/// Runs the job by the cheapest exact method, or finds bounds if that would take long.
Found run_cheapest(const CellRun& run);

}  // namespace ringcast
