#pragma once

#include <memory>

#include "engine/contracts/collective.hpp"
#include "real/mpi/mpi_world.hpp"

namespace ringcast {

/// ncclAllReduce on the buffers of a CUDA transport with this number of ranks, named `nccl`, for
/// comparison. Each rank needs its own GPU. Collective over the world. Throws BackendUnavailable if
/// the program was built without NCCL.
[[nodiscard]] std::unique_ptr<Collective> make_nccl_allreduce(MpiWorld& world, int ranks);

}  // namespace ringcast
