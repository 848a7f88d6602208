#pragma once

#include <string_view>
#include <vector>

#include "engine/contracts/transport.hpp"

namespace ringcast {

/// Equal on all ranks but for the buffers; a worker may divide the servers' iterations among
/// several calls, and compute between them.
struct AsyncRequest {
  /// The worker's pushes; a server's are not read.
  BufferId gradients{};
  /// A worker's pulls arrive here; on a server its shard of the model, to which pushes are added.
  BufferId parameters{};
  std::uint64_t elements = 0;
  int iterations = 1;
};

/// Training without a barrier between the workers (Dean et al. 2012, "Large Scale Distributed Deep
/// Networks"): each pushes its gradients to the servers, each of which adds them to its shard of
/// the parameters and sends it back as it then is, with the pushes of others that came before. No
/// all-reduce: ranks end with different parameters.
///
/// An Endpoint has no MPI_ANY_SOURCE: a recv names its sender. A server is therefore ready for one
/// push of every worker at any time, but answers the workers in turn; equally fast workers are
/// served as in the order of arrival, and a slow one makes the others wait once a round.
///
/// A push is combined after it has arrived, also where a transport combines while it receives:
/// pushes of several workers arrive at once, and only one may be added at a time. A server needs
/// scratch of one shard for each worker.
class ParameterServerAsync {
 public:
  /// The ranks of the job that are no servers are workers. Throws ContractViolation without servers
  /// or with one that comes twice.
  explicit ParameterServerAsync(std::vector<Rank> servers);
  [[nodiscard]] std::string_view name() const { return "parameter-server-async"; }
  /// Pushes per second of each worker: on a worker of its own, until its last pull; on a server the
  /// mean over the workers, until its last answer. Zero if no time passed. Every rank of the job
  /// calls it. Throws ContractViolation unless the job has the servers and a worker, and there is
  /// at least one iteration.
  double run(const AsyncRequest& request, RankContext& self) const;

 private:
  std::vector<Rank> servers_;
};

}  // namespace ringcast
