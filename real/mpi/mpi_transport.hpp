#pragma once

#include <memory>
#include <string_view>

#include "engine/contracts/transport.hpp"
#include "engine/numbers/element.hpp"
#include "real/mpi/mpi_world.hpp"

namespace ringcast {

/// How messages travel and how long a silent run may take.
struct MpiOptions {
  /// The number of ranks, the first of the world; on the others run() returns at once. Zero: all.
  int ranks = 0;
  /// Ranks of one host read each other's memory. Otherwise all messages go through MPI.
  bool shared_memory = true;
  /// A run without any progress for this time is broken.
  Seconds timeout{60};
};

/// The engine on the CPUs of an MPI job: this process is one rank. Buffers are host memory that the
/// ranks of the same host can read.
///
/// If a rank throws, all ranks end, and run() throws on all of them: on the failed rank what it
/// threw, elsewhere a TransportError that names that rank. So it does when a rank dies or nothing
/// moves for the timeout: a TransportError that names the rank, its step and the peer waited for.
class MpiTransport final : public Transport {
 public:
  /// Collective over the world. Throws ContractViolation for more ranks than the world has.
  MpiTransport(MpiWorld& world, Reduction reduction, const MpiOptions& options = {});
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;
  ~MpiTransport() override;

  [[nodiscard]] std::string_view name() const override { return "mpi"; }
  [[nodiscard]] int size() const override;
  void run(const RankProgram& program) override;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ringcast
