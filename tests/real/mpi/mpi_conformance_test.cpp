// The conformance suites on MPI, a process for each rank: all messages through MPI, and through
// memory that the ranks of a host share.
#include "tests/collective_contract.hpp"
#include "tests/real/mpi/mpi_test_world.hpp"
#include "tests/transport_contract.hpp"

namespace ringcast {
namespace {

const BackendUnderTest through_mpi = testing::mpi_backend("mpi", {.shared_memory = false});
const BackendUnderTest shared = testing::mpi_backend("shared", {.shared_memory = true});
constexpr Seconds deadlock_after{1};
const BackendUnderTest impatient_mpi =
    testing::mpi_backend("mpi", {.shared_memory = false, .timeout = deadlock_after});
const BackendUnderTest impatient_shared =
    testing::mpi_backend("shared", {.shared_memory = true, .timeout = deadlock_after});

template <typename Cases>
auto both(const Cases& cases_of) {
  return values_of_both(cases_of, through_mpi, shared);
}

INSTANTIATE_TEST_SUITE_P(Mpi, TransportContract, ::testing::Values(through_mpi, shared),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Mpi, FailureContract, ::testing::Values(through_mpi, shared),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Mpi, DeadlockContract, ::testing::Values(impatient_mpi, impatient_shared),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Mpi, ReductionContract, both(every_reduction), name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Mpi, CollectiveContract, both(every_ranks), name_of_ranks_case);
INSTANTIATE_TEST_SUITE_P(Mpi, CollectiveReductionContract, both(some_reductions),
                         name_of_reduction_case);

}  // namespace
}  // namespace ringcast
