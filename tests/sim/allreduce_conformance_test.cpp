// Every all-reduce on the simulator, with data: the reduction after the receive, and as a part of
// it.
#include "tests/allreduce_contract.hpp"
#include "tests/sim/star_backend.hpp"

namespace ringcast {
namespace {

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
