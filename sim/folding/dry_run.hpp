#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/contracts/transport.hpp"
#include "sim/fluid/fluid_job.hpp"
#include "sim/model/fingerprint.hpp"

namespace ringcast {

/// The operations of every rank of a job, recorded without simulated time: each program runs alone,
/// and all that it waits for is complete. A part of a program whose operations depend on the
/// sequence of completions describes itself instead (Outline). A program must not depend on times
/// or data.
struct DryRun {
  std::vector<StreamKey> streams;
  struct OneRank {
    /// The program without its peers' numbers: the sequence of its operations, lengths and
    /// reductions, or its outline; streams are numbered in order of first use.
    Fingerprint shape;
    std::vector<int> streams;  // in order of first use
    bool is_outlined = false;
    // The largest number of streams with sends, or receives, that are posted and not yet waited
    // for. All streams of an outline count.
    int most_sends = 0;
    int most_recvs = 0;
  };
  std::vector<OneRank> ranks;
};

/// Throws ScenarioError if the ranks use more streams than `most_streams`. `recorded` is called
/// after each rank with the fraction of ranks recorded so far.
[[nodiscard]] DryRun dry_run(int ranks, Reduction reduction, const RankProgram& program,
                             std::size_t most_streams = ~std::size_t{0},
                             const std::function<void(double part)>& recorded = {});

}  // namespace ringcast
