#pragma once

#include <memory>

#include "engine/contracts/transport.hpp"
#include "engine/numbers/element.hpp"
#include "real/gpu/device_options.hpp"
#include "real/mpi/mpi_world.hpp"

namespace ringcast {

/// The engine on the GPUs of an MPI job, named `cuda`: this process is one rank. The ranks of a
/// host take its GPUs in turn; several may share one. Failures end a run as those of an
/// MpiTransport do.
///
/// Collective over the world. Throws BackendUnavailable, on all ranks, where one of them finds no
/// GPU or was built without CUDA; ContractViolation for more ranks than the world has. A path that
/// was asked for and is not there is BackendUnavailable from run().
[[nodiscard]] std::unique_ptr<Transport> make_cuda_transport(MpiWorld& world, Reduction reduction,
                                                             const DeviceOptions& options = {});

/// Whether this process finds a GPU. Not so where the program was built without CUDA.
[[nodiscard]] bool has_cuda_device();

/// The number of the GPU that this process takes: those of a host are taken in turn by its ranks.
[[nodiscard]] int cuda_device_of(const MpiWorld& world);

}  // namespace ringcast
