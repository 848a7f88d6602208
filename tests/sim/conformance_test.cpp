// The conformance suites in simulated time, with data: the reduction as a part of the receive, and
// after it. On SimGrid one case per process, as ctest runs them: SimGrid has one simulation in
// each.
//
// One file for all: the suites' headers define their tests, which a program may do once.
#include "sim/fluid/fluid_transport.hpp"
#include "sim/folding/folding.hpp"
#include "tests/allreduce_contract.hpp"
#include "tests/collective_contract.hpp"
#include "tests/sim/machines.hpp"
#include "tests/sim/star_backend.hpp"
#include "topology/transfers/rank_places.hpp"

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

// On fibers and fluid flows.
/// A job that may use any stream: programs of tests ask what a dry run cannot answer.
DryRun any_stream(int ranks) {
  std::vector<Tag> tags{Tag{1000}};  // the suite's own, and those of collectives
  for (int tag = 0; tag < 24; ++tag) {
    tags.push_back(Tag{tag});
  }
  DryRun run;
  run.ranks.resize(static_cast<std::size_t>(ranks));
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      for (const Tag tag : from != to ? tags : std::vector<Tag>{}) {
        const int stream = static_cast<int>(run.streams.size());
        run.streams.push_back({Rank{from}, Rank{to}, tag});
        run.ranks[static_cast<std::size_t>(from)].streams.push_back(stream);
        run.ranks[static_cast<std::size_t>(to)].streams.push_back(stream);
      }
    }
  }
  return run;
}

class FluidStar final : public Transport {
 public:
  FluidStar(int ranks, const TransportProfile& profile, Reduction reduction)
      : topology_{testing::star(ranks, 10_GBps, 1_us)},
        paths_{topology_, profile, places_of_ranks(topology_, ranks, profile)},
        transport_{paths_,
                   ranks,
                   Folding{paths_, ranks, any_stream(ranks), Symmetry::none}.job(),
                   reduction,
                   {.with_data = true, .traffic = {}}} {}
  [[nodiscard]] std::string_view name() const override { return transport_.name(); }
  [[nodiscard]] int size() const override { return transport_.size(); }
  void run(const RankProgram& program) override { transport_.run(program); }

 private:
  Topology topology_;
  TransferPaths paths_;
  FluidTransport transport_;
};

BackendUnderTest fluid(const std::string& name, bool fused_reduction) {
  return {.name = name, .make = [fused_reduction](int ranks, Reduction reduction) {
            TransportProfile profile = testing::free_of_cost();
            profile.reduce_rate = 100_GBps;
            profile.fused_reduction = fused_reduction;
            return std::make_unique<FluidStar>(ranks, profile, reduction);
          }};
}

const BackendUnderTest fluid_composed = fluid("composed", false);
const BackendUnderTest fluid_fused = fluid("fused", true);

template <typename Cases>
auto on_both(const Cases& cases_of) {
  auto cases = cases_of(fluid_composed);
  for (const auto& one : cases_of(fluid_fused)) {
    cases.push_back(one);
  }
  return ::testing::ValuesIn(cases);
}

INSTANTIATE_TEST_SUITE_P(Fluid, TransportContract, ::testing::Values(fluid_composed, fluid_fused),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Fluid, FailureContract, ::testing::Values(fluid_composed, fluid_fused),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Fluid, DeadlockContract, ::testing::Values(fluid_composed, fluid_fused),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Fluid, ReductionContract, on_both(every_reduction),
                         name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Fluid, CollectiveContract, on_both(every_ranks), name_of_ranks_case);
INSTANTIATE_TEST_SUITE_P(Fluid, CollectiveReductionContract, on_both(every_reduction),
                         name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Fluid, AllreduceContract, on_both(every_allreduce),
                         name_of_allreduce_case);
INSTANTIATE_TEST_SUITE_P(Fluid, AllreduceReductionContract, on_both(every_algorithm),
                         name_of_algorithm_case);

}  // namespace
}  // namespace ringcast
