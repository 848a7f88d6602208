#pragma once

#include <memory>

#include "engine/contracts/collective.hpp"
#include "real/mpi/mpi_world.hpp"

namespace ringcast {

/// ncclAllReduce on the buffers of a CUDA transport of so many ranks, named `nccl`: what a user of
/// GPUs would otherwise use. Each rank needs a GPU of its own. Collective over the world. Throws
/// BackendUnavailable where the program was built without NCCL.
[[nodiscard]] std::unique_ptr<Collective> make_nccl_allreduce(MpiWorld& world, int ranks);

}  // namespace ringcast
