#include "real/mpi/mpi_allreduce.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <mpi.h>

#include "engine/numbers/error.hpp"
#include "real/mpi/mpi_endpoint.hpp"
#include "real/mpi/mpi_native.hpp"

namespace ringcast {
namespace {

/// MPI has no 16-bit floats.
MPI_Datatype mpi_type(ElementType type) {
  switch (type) {
    case ElementType::float32:
      return MPI_FLOAT;
    case ElementType::float64:
      return MPI_DOUBLE;
    case ElementType::int32:
      return MPI_INT32_T;
    case ElementType::int64:
      return MPI_INT64_T;
    default:
      throw ContractViolation{fmt::format("MPI_Allreduce of {}", name_of(type))};
  }
}

MPI_Op mpi_operation(Operation operation) {
  switch (operation) {
    case Operation::prod:
      return MPI_PROD;
    case Operation::min:
      return MPI_MIN;
    case Operation::max:
      return MPI_MAX;
    default:
      return MPI_SUM;  // for avg, too: finish() divides
  }
}

template <typename Backend, typename Contract>
Backend& of_this_backend(Contract& contract) {
  auto* const backend = dynamic_cast<Backend*>(&contract);
  expect(backend != nullptr, "MPI_Allreduce on another backend");
  return *backend;
}

}  // namespace

void MpiAllreduce::run(const CollectiveRequest& request, RankContext& self) const {
  const Reduction reduction = self.reducer.reduction();
  MPI_Datatype type = mpi_type(reduction.type);
  MPI_Op operation = mpi_operation(reduction.operation);
  const Bytes element_size = size_of(reduction.type);
  const Slice data{request.data, Bytes{0}, request.elements * element_size};
  const std::span<std::byte> bytes = of_this_backend<AddressableMemory>(self.memory).find(data);
  MPI_Comm communicator = of_this_backend<MpiEndpoint>(self.network).communicator().handle();

  constexpr std::uint64_t most = 1U << 30U;  // counts are ints
  for (std::uint64_t done = 0; done < request.elements; done += most) {
    const auto count = static_cast<int>(std::min(most, request.elements - done));
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, bytes.data() + done * element_size.count(), count, type,
                            operation, communicator),
              "MPI_Allreduce");
  }
  self.reducer.finish(data, self.network.size()).wait();
}

}  // namespace ringcast
