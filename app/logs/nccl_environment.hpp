#pragma once

#include "app/logs/log_text.hpp"

namespace ringcast {

/// Adds a remark with the variables that NCCL's own lines name, with NCCL_DEBUG=INFO: "NCCL_ALGO
/// set by environment to Ring." A prediction needs the same ones (--nccl-env). Of several values of
/// a variable, on different ranks, it has the first one.
void note_environment(const LogFile& log, Remarks& remarks);

}  // namespace ringcast
