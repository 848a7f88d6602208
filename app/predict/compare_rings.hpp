#pragma once

#include <string>

#include "app/predict/predict.hpp"
#include "app/report/ring_comparison.hpp"

namespace ringcast {

/// The rings to compare, and how to find them.
struct RingQuestion {
  Scenario scenario;    // of one number of ranks and one size
  RingSearch search;    // for the best rings
  std::string degrade;  // as degrade() reads it; empty: the machine as it is
  bool simulates = true;
  int jobs = 1;
};

/// Compares the order by rank, NCCL's rings and the best rings that a search finds. The search and
/// each simulation run in child processes. After a degradation, the rings found before are compared
/// with those found then. A simulation that fails is in the comparison's failures; one that would
/// take many minutes is omitted.
/// Throws what the search throws, and Interrupted if a signal ends the search.
[[nodiscard]] RingComparison compare_rings(const RingQuestion& question,
                                           const WorkProgress& search_progress,
                                           const WorkProgress& progress);

}  // namespace ringcast
