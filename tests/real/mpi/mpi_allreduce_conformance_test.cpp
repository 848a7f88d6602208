// Every all-reduce on MPI, a process for each rank: all messages through MPI, and through memory
// that the ranks of a host share.
#include "tests/allreduce_contract.hpp"
#include "tests/real/mpi/mpi_test_world.hpp"

namespace ringcast {
namespace {

const BackendUnderTest through_mpi = testing::mpi_backend("mpi", {.shared_memory = false});
const BackendUnderTest shared = testing::mpi_backend("shared", {.shared_memory = true});

INSTANTIATE_TEST_SUITE_P(Mpi, AllreduceContract, ::testing::ValuesIn(every_allreduce(through_mpi)),
                         name_of_allreduce_case);
INSTANTIATE_TEST_SUITE_P(Shared, AllreduceContract, ::testing::ValuesIn(every_allreduce(shared)),
                         name_of_allreduce_case);
INSTANTIATE_TEST_SUITE_P(Mpi, AllreduceReductionContract,
                         ::testing::ValuesIn(every_algorithm(through_mpi)), name_of_algorithm_case);
INSTANTIATE_TEST_SUITE_P(Shared, AllreduceReductionContract,
                         ::testing::ValuesIn(every_algorithm(shared)), name_of_algorithm_case);

}  // namespace
}  // namespace ringcast
