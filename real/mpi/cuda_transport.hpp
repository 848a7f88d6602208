#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/contracts/transport.hpp"
#include "engine/numbers/element.hpp"
#include "real/gpu/device_options.hpp"
#include "real/gpu/host_gpus.hpp"
#include "real/mpi/mpi_world.hpp"

namespace ringcast {

/// The engine on the GPUs of an MPI job, named `cuda`: this process is one rank. The ranks of a
/// host are assigned to its GPUs round-robin; several may share one. Failures end a run as in
/// make_mpi_transport().
///
/// Collective over the world. Throws BackendUnavailable, on all ranks, if one of them finds no GPU
/// or was built without CUDA; ContractViolation for more ranks than the world has. run() throws
/// BackendUnavailable if the requested path is not possible.
[[nodiscard]] std::unique_ptr<Transport> make_cuda_transport(MpiWorld& world, Reduction reduction,
                                                             const DeviceOptions& options = {});

/// The index of this process's GPU: round-robin over the GPUs of its host.
[[nodiscard]] int cuda_device_of(const MpiWorld& world);

/// Collective. The GPUs of all hosts, in the order of their first ranks.
[[nodiscard]] std::vector<HostGpus> gpus_of_hosts(MpiWorld& world);

}  // namespace ringcast
