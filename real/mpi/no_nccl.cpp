// Replaces nccl_allreduce.cpp in builds without NCCL.
#include "engine/numbers/error.hpp"
#include "real/mpi/nccl_allreduce.hpp"

namespace ringcast {

std::unique_ptr<Collective> make_nccl_allreduce(MpiWorld& /*world*/, int /*ranks*/) {
  throw BackendUnavailable{
      "NCCL: this ringcast was built without it (apt install libnccl-dev from NVIDIA's "
      "repository, then build again)"};
}

}  // namespace ringcast
