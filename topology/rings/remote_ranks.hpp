#pragma once

#include <vector>

#include "topology/rings/job_nodes.hpp"

namespace ringcast::detail {

/// For each node of a job, ranks of other nodes that represent all of them: what its NICs reach,
/// they reach on the way to these. They are those of
/// - one node for each set of switches that the nodes' cables lead to, as a NIC may lead to few;
/// - up to eight nodes spread over the job, as the peer's number selects among equal NICs.
class RemoteRanks {
 public:
  RemoteRanks(const TransferPaths& paths, const std::vector<JobNode>& nodes);

  [[nodiscard]] std::vector<Rank> of(std::size_t node) const;

 private:
  const std::vector<JobNode>* nodes_;
  std::vector<std::vector<std::size_t>> examples_;  // the first two nodes of each such set
};

}  // namespace ringcast::detail
