// The conformance suites on the simulator, with data: the reduction as a part of the receive, and
// after it. One case per process, as ctest runs them: SimGrid has one simulation in each.
#include "tests/collective_contract.hpp"
#include "tests/sim/star_backend.hpp"

namespace ringcast {
namespace {

const BackendUnderTest composed = testing::simulated("composed", false);
const BackendUnderTest fused = testing::simulated("fused", true);

template <typename Cases>
auto both(const Cases& cases_of) {
  auto cases = cases_of(composed);
  for (const auto& one : cases_of(fused)) {
    cases.push_back(one);
  }
  return ::testing::ValuesIn(cases);
}

INSTANTIATE_TEST_SUITE_P(Simulated, TransportContract, ::testing::Values(composed, fused),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Simulated, FailureContract, ::testing::Values(composed, fused),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Simulated, DeadlockContract, ::testing::Values(composed, fused),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Simulated, ReductionContract, both(every_reduction),
                         name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Simulated, CollectiveContract, both(every_ranks), name_of_ranks_case);
INSTANTIATE_TEST_SUITE_P(Simulated, CollectiveReductionContract, both(every_reduction),
                         name_of_reduction_case);

}  // namespace
}  // namespace ringcast
