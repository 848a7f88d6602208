// The conformance suites on the simulator, with data: the reduction as a part of the receive, and
// after it. One case per process, as ctest runs them: SimGrid has one simulation in each.
#include "tests/collective_contract.hpp"
#include "tests/sim/star_backend.hpp"

namespace ringcast {
namespace {

const BackendUnderTest composed_backend = testing::simulated("composed", false);
const BackendUnderTest fused_backend = testing::simulated("fused", true);

template <typename Cases>
auto both(const Cases& cases_of) {
  auto cases = cases_of(composed_backend);
  for (const auto& one : cases_of(fused_backend)) {
    cases.push_back(one);
  }
  return ::testing::ValuesIn(cases);
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

}  // namespace
}  // namespace ringcast
