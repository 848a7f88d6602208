#pragma once

#include "app/logs/imported_log.hpp"

namespace ringcast {

/// The all-reduces in the output of osu_allreduce of the OSU Micro-Benchmarks.
///
/// - options.ranks is needed: the log does not contain the number of processes.
/// - The time is "Avg Latency(us)", the mean over ranks and repetitions. With osu_allreduce -f, the
///   log also has the times of the fastest and the slowest rank.
/// - The element type is that of the line "# Datatype: MPI_FLOAT."; versions before 7 have only
///   floats. options.data_type replaces it.
/// - A launcher's prefix of the line "# Size ..." is dropped from each row.
/// - The transport is the library that the title names: MPI, NCCL, RCCL or xCCL.
/// - Tables of other tests (osu_bw, osu_latency, ...) next to all-reduces are skipped with a
///   remark. A log without all-reduces is refused: "FILE:LINE: OSU MPI Bandwidth Test (expected
///   ...)".
[[nodiscard]] ImportedLog read_osu(const LogFile& log, const ImportOptions& options);

/// Whether the log has the title of an OSU benchmark.
[[nodiscard]] bool looks_like_osu(const LogFile& log);

}  // namespace ringcast
