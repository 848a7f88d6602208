#pragma once

#include <memory>

#include "engine/contracts/transport.hpp"
#include "engine/numbers/element.hpp"
#include "real/mpi/mpi_world.hpp"

namespace ringcast {

struct MpiOptions {
  /// The number of ranks, the first of the world; on the others run() returns at once. Zero: all.
  int ranks = 0;
  /// Ranks of one host access each other's memory; if false, all messages are sent through MPI.
  bool shared_memory = true;
  /// A run without progress for this time fails.
  Seconds timeout{60};
};

/// The engine on the CPUs of an MPI job, named `mpi`: this process is one rank. Buffers are host
/// memory that the ranks of the same host can read.
///
/// If a rank throws, all ranks end, and run() throws on all of them: on the failed rank what it
/// threw, elsewhere a TransportError that names that rank. If a rank dies, or makes no progress for
/// the timeout, run() throws a TransportError with the rank, its step and the peer that it waits
/// for.
///
/// Collective over the world. Throws ContractViolation for more ranks than the world has.
[[nodiscard]] std::unique_ptr<Transport> make_mpi_transport(MpiWorld& world, Reduction reduction,
                                                            const MpiOptions& options = {});

}  // namespace ringcast
