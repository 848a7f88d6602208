#pragma once

#include <filesystem>

#include "app/report/result.hpp"
#include "sim/model/sim_report.hpp"
#include "topology/routes/topology.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// Writes a run as a Chrome trace, for Perfetto (ui.perfetto.dev) and chrome://tracing: one lane
/// per rank and channel with the messages received, one per busy direction of a cable with the
/// number of concurrent messages. Needs a report with recorded messages. Throws ScenarioError if
/// the file cannot be written; no incomplete file is left.
void write_trace(const std::filesystem::path& file, const SimReport& report,
                 const TransferPaths& paths);

/// The same for one rank's iteration: a lane for its computations and one for its all-reduces.
void write_trace(const std::filesystem::path& file, Rank rank,
                 const std::vector<TimelineSpan>& timeline);

}  // namespace ringcast
