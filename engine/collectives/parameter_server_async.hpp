#pragma once

#include <functional>
#include <span>

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
  /// The pushes of each worker.
  std::function<int(Rank worker)> iterations;
};

/// Training without a barrier between the workers (Dean et al. 2012, "Large Scale Distributed Deep
/// Networks"). Each worker pushes its gradients to the servers. A server adds a push to its shard
/// of the parameters and answers with the shard, which includes earlier pushes of other workers.
/// This is no all-reduce: ranks end with different parameters.
///
/// A server answers the pushes in the order of their arrival, so that a slow worker delays no
/// other. An Endpoint has no MPI_ANY_SOURCE: a recv names its sender. So a server has a receive
/// posted for the next push of every worker, and polls them. On a backend that cannot tell which is
/// complete, it answers the workers in turn.
///
/// A push is combined after it has arrived, even if the transport can combine while it receives:
/// pushes of several workers arrive concurrently, and only one may be added at a time. A server
/// needs scratch of one shard per worker.
/// `servers`: all other ranks of the job are workers. Every rank of the job calls it. Throws
/// ContractViolation unless the job has the servers, each once, and a worker, and every worker
/// has at least one iteration.
void parameter_server_async(std::span<const Rank> servers, const AsyncRequest& request,
                            RankContext& self);

}  // namespace ringcast
