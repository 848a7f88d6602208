#pragma once

#include <filesystem>

#include "app/report/result.hpp"
#include "sim/model/sim_report.hpp"
#include "topology/routes/topology.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// Writes a run as a Chrome trace, which Perfetto (ui.perfetto.dev) and chrome://tracing open: one
/// lane per rank (and channel) with what it receives, one per busy direction of a cable with how
/// many messages cross it at once. Needs a report with recorded messages.
/// Throws ScenarioError if the file cannot be written; nothing half-written is left.
void write_trace(const std::filesystem::path& file, const SimReport& report,
                 const TransferPaths& paths);

/// The same of one rank's iteration: a lane for what it computes and one for its all-reduces.
void write_trace(const std::filesystem::path& file, Rank rank,
                 const std::vector<TimelineSpan>& timeline);

}  // namespace ringcast
