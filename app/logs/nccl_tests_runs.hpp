#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/logs/log_text.hpp"
#include "app/logs/nccl_tests_row.hpp"

namespace ringcast {

/// "#  Rank  0 Group  0 Pid   6899 on node-a device  0 [0000:04:00] NVIDIA H100 80GB HBM3"
struct NcclTestsDevice {
  int line = 1;
  std::uint64_t rank = 0;
  std::uint64_t group = 0;
  std::string host;
  std::string name;
};

/// The output of one run of the program.
struct NcclTestsRun {
  std::string program;           // "all_reduce_perf"; older versions do not say
  int program_line = 0;          // the line that names it: the program's own, or a shell's
  std::string library = "NCCL";  // or "RCCL"
  std::string release;           // of the library, "2.26": by newer versions, or with NCCL_DEBUG
  std::string settings;          // "agg iters: 1 graph: 0"; older versions do not say
  std::uint64_t grouped = 1;     // calls in a group (-m)
  std::uint64_t graphs = 0;      // launches of a CUDA graph (-G)
  std::uint64_t gpus_per_thread = 1;      // which launches one after the other (-g)
  std::set<std::uint64_t> communicators;  // their numbers of ranks, with NCCL_DEBUG=INFO
  std::vector<NcclTestsDevice> devices;
  std::vector<NcclTestsRow> rows;
  NcclTestsColumns columns;
  bool cpu_times = false;  // the times are those of the launch
  bool in_bounds = false;  // the summary states that no value was out of bounds
  int failed_line = 0;     // the line of the summary that states that some were
  bool closed = false;     // the summary was read
};

/// The runs of a log, in its order; at least one.
[[nodiscard]] std::vector<NcclTestsRun> nccl_tests_runs(const LogFile& log);

}  // namespace ringcast
