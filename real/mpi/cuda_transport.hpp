#pragma once

#include <memory>
#include <string>
#include <vector>

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

/// The GPUs that the ranks of one host take.
struct HostGpus {
  std::string host;
  std::string model;  // of the first; empty where there is none
  int ranks = 0;
  int gpus = 0;  // fewer than `ranks` where these share them
};
/// Collective. All hosts, in the order of their first ranks.
[[nodiscard]] std::vector<HostGpus> gpus_of_hosts(MpiWorld& world);

}  // namespace ringcast
