// Stands in for cuda_transport.cpp where the program was built without MPI: the same symbols.
// No MpiWorld exists there, so none of it is called.
#include "engine/numbers/error.hpp"
#include "real/cuda_transport.hpp"

namespace ringcast {
namespace {

[[noreturn]] void refuse() {
  throw BackendUnavailable{"CUDA: this ringcast was built without MPI, which starts its ranks"};
}

}  // namespace

std::unique_ptr<Transport> make_cuda_transport(MpiWorld& /*world*/, Reduction /*reduction*/,
                                               const CudaOptions& /*options*/) {
  refuse();
}

bool has_cuda_device() {
  return false;
}

int cuda_device_of(const MpiWorld& /*world*/) {
  refuse();
}

}  // namespace ringcast
