// The conformance suites on the simulator, with data: the reduction as a part of the receive, and
// after it.
#include "tests/collective_contract.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/machines.hpp"

namespace ringcast {
namespace {

/// A simulated star that owns its topology.
class SimulatedStar final : public Transport {
 public:
  SimulatedStar(int ranks, TransportProfile profile, Reduction reduction)
      : topology_{testing::star(ranks, 10_GBps, 1_us)},
        transport_{
            topology_, ranks, std::move(profile), reduction, {.with_data = true, .traffic = {}}} {}
  [[nodiscard]] std::string_view name() const override { return transport_.name(); }
  [[nodiscard]] int size() const override { return transport_.size(); }
  void run(const RankProgram& program) override { transport_.run(program); }

 private:
  Topology topology_;
  SimTransport transport_;
};

BackendUnderTest simulated(const std::string& name, bool fused) {
  TransportProfile profile = testing::free_of_cost();
  profile.reduce_rate = 100_GBps;
  profile.fused_reduction = fused;
  return {.name = name, .make = [=](int ranks, Reduction reduction) {
            return std::make_unique<testing::ForkedTransport>(name, ranks, [=] {
              return std::make_unique<SimulatedStar>(ranks, profile, reduction);
            });
          }};
}

const BackendUnderTest composed = simulated("composed", false);
const BackendUnderTest fused = simulated("fused", true);

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
INSTANTIATE_TEST_SUITE_P(Simulated, ReductionContract, both(every_reduction),
                         name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Simulated, CollectiveContract, both(every_ranks), name_of_ranks_case);
INSTANTIATE_TEST_SUITE_P(Simulated, CollectiveReductionContract, both(every_reduction),
                         name_of_reduction_case);

}  // namespace
}  // namespace ringcast
