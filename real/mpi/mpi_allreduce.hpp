#pragma once

#include "engine/contracts/collective.hpp"
#include "real/mpi/mpi_transport.hpp"

namespace ringcast {

/// MPI_Allreduce on the buffers of make_mpi_transport(), for comparison. MPI has no float16 and
/// bfloat16.
class MpiAllreduce final : public Collective {
 public:
  [[nodiscard]] std::string_view name() const override { return "mpi"; }
  void run(const CollectiveRequest& request, RankContext& self) const override;
};

}  // namespace ringcast
