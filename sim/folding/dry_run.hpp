#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/contracts/transport.hpp"
#include "sim/fluid/fluid_job.hpp"
#include "sim/model/fingerprint.hpp"

namespace ringcast {

/// What every rank of a job does, found without a clock: each program runs alone, and all that it
/// waits for has happened, or describes itself (Outline). A program must not ask for the time or
/// for data.
struct DryRun {
  std::vector<StreamKey> streams;
  struct OneRank {
    /// What the program does, without its peers' numbers: the sequence of its operations, lengths
    /// and reductions, or its outline; streams are numbered as they come.
    Fingerprint shape;
    std::vector<int> streams;  // as they come first
    // Streams with sends, or receives, that the rank has posted and not yet waited for: at most.
    // All of an outline count.
    int most_sends = 0;
    int most_recvs = 0;
  };
  std::vector<OneRank> ranks;
};

/// Throws ScenarioError if the ranks use more streams than `most_streams`. `recorded` is called
/// after each rank with the part of the ranks that are recorded.
[[nodiscard]] DryRun dry_run(int ranks, Reduction reduction, const RankProgram& program,
                             std::size_t most_streams = ~std::size_t{0},
                             const std::function<void(double part)>& recorded = {});

}  // namespace ringcast
