#pragma once

#include "app/logs/imported_log.hpp"

namespace ringcast {

/// The all-reduces in what osu_allreduce of the OSU Micro-Benchmarks printed.
///
/// - options.ranks is needed: the log does not say how many processes there were.
/// - time is "Avg Latency(us)", the mean over ranks and repetitions; the least and the greatest
///   rank's are there where the option -f was given.
/// - Elements are those of the line "# Datatype: MPI_FLOAT."; versions before 7 have only floats.
///   options.data_type replaces what the log says.
/// - Tables of other tests (osu_bw, osu_latency, ...) beside all-reduces are skipped with a remark;
///   without all-reduces they are rejected: "FILE:LINE: OSU MPI Bandwidth Test (expected ...)".
[[nodiscard]] ImportedLog read_osu(const LogFile& log, const ImportOptions& options);

/// Whether a line of it is the title of an OSU benchmark.
[[nodiscard]] bool looks_like_osu(const LogFile& log);

}  // namespace ringcast
