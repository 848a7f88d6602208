// The conformance suites on SimGrid, with data: the reduction as a part of the receive, and after
// it. One case per process, as ctest runs them: SimGrid has one simulation in each.
//
// One file for all: the suites' headers define their tests, which a program may do once.
#include "tests/allreduce_contract.hpp"
#include "tests/collective_contract.hpp"
#include "tests/sim/star_backend.hpp"

namespace ringcast {
namespace {

const BackendUnderTest composed_backend = testing::simulated("composed", false);
const BackendUnderTest fused_backend = testing::simulated("fused", true);

template <typename Cases>
auto both(const Cases& cases_of) {
  return values_of_both(cases_of, composed_backend, fused_backend);
}

INSTANTIATE_TEST_SUITE_P(Simulated, TransportContract,
                         ::testing::Values(composed_backend, fused_backend), name_of_case);
INSTANTIATE_TEST_SUITE_P(Simulated, FailureContract,
                         ::testing::Values(composed_backend, fused_backend), name_of_case);
INSTANTIATE_TEST_SUITE_P(Simulated, DeadlockContract,
                         ::testing::Values(composed_backend, fused_backend), name_of_case);
INSTANTIATE_TEST_SUITE_P(Simulated, ReductionContract, both(every_reduction),
                         name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Simulated, CollectiveContract, both(every_ranks), name_of_ranks_case);
INSTANTIATE_TEST_SUITE_P(Simulated, CollectiveReductionContract, both(every_reduction),
                         name_of_reduction_case);

// Every all-reduce.
const BackendUnderTest composed = testing::simulated_in_forks("composed", false);
const BackendUnderTest fused = testing::simulated_in_forks("fused", true);

INSTANTIATE_TEST_SUITE_P(Composed, AllreduceContract,
                         ::testing::ValuesIn(every_allreduce(composed)), name_of_allreduce_case);
INSTANTIATE_TEST_SUITE_P(Fused, AllreduceContract, ::testing::ValuesIn(every_allreduce(fused)),
                         name_of_allreduce_case);
INSTANTIATE_TEST_SUITE_P(Composed, AllreduceReductionContract,
                         ::testing::ValuesIn(every_algorithm(composed)), name_of_algorithm_case);
INSTANTIATE_TEST_SUITE_P(Fused, AllreduceReductionContract,
                         ::testing::ValuesIn(every_algorithm(fused)), name_of_algorithm_case);

}  // namespace
}  // namespace ringcast
