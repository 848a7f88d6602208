#pragma once

#include <functional>
#include <optional>

#include "app/predict/predict.hpp"
#include "sim/job/simulated_job.hpp"

namespace ringcast {

/// A cell as a job.
struct CellRun {
  using Program = std::function<void(RankContext&, std::uint64_t elements)>;

  SimulatedJob& job;
  const PlannedCell& planned;
  std::uint64_t elements;
  const Program& program;
  double most_messages;
  const ReportProgress& report;
};

/// What is known of a time.
struct Found {
  std::optional<double> error =
      0.0;                // the part of it by which it may be too long, if that is known
  double rounded_by = 0;  // the part by which some chunks were too long: all as the longest
  std::optional<Seconds> most = {};  // if the time may be too short: what it is at most
};

/// Runs the job in the cheapest way that is exact, or with bounds where that would take long.
Found run_cheapest(const CellRun& run);

}  // namespace ringcast
