// Replaces the MPI sources in builds without MPI: the same symbols.
#include <cstdlib>

#include "engine/numbers/error.hpp"
#include "real/mpi/cuda_transport.hpp"
#include "real/mpi/mpi_allreduce.hpp"
#include "real/mpi/mpi_transport.hpp"
#include "real/mpi/mpi_wire.hpp"
#include "real/mpi/mpi_world.hpp"

namespace ringcast {
namespace {

[[noreturn]] void refuse() {
  throw BackendUnavailable{
      "MPI: this ringcast was built without it (apt install libopenmpi-dev, then build again)"};
}

}  // namespace

struct MpiWorld::Native {};

MpiWorld::MpiWorld() {
  refuse();
}
MpiWorld::~MpiWorld() = default;
std::vector<std::string> MpiWorld::gather(const std::string& /*mine*/) {
  refuse();
}
void MpiWorld::abort(int exit_code) noexcept {
  std::_Exit(exit_code);
}

std::unique_ptr<Transport> make_mpi_transport(MpiWorld& /*world*/, Reduction /*reduction*/,
                                              const MpiOptions& /*options*/) {
  refuse();
}

std::unique_ptr<Wire> make_mpi_wire(MpiWorld& /*world*/, int /*ranks*/) {
  refuse();
}

void MpiAllreduce::run(const CollectiveRequest& /*request*/, RankContext& /*self*/) const {
  refuse();
}

std::unique_ptr<Transport> make_cuda_transport(MpiWorld& /*world*/, Reduction /*reduction*/,
                                               const DeviceOptions& /*options*/) {
  refuse();
}

int cuda_device_of(const MpiWorld& /*world*/) {
  refuse();
}

std::vector<HostGpus> gpus_of_hosts(MpiWorld& /*world*/) {
  refuse();
}

}  // namespace ringcast
