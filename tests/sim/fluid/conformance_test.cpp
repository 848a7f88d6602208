// The conformance suites on fibers and fluid flows, with data: the reduction as a part of the
// receive, and after it.
//
// One file for all: the suites' headers define their tests, which a program may do once.
#include "sim/fluid/fluid_transport.hpp"
#include "sim/folding/folding.hpp"
#include "tests/allreduce_contract.hpp"
#include "tests/collective_contract.hpp"
#include "tests/sim/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

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
  FluidStar(int ranks, const TransportProfile& profile, Reduction reduction, bool with_data = true)
      : topology_{testing::star(ranks, 10_GBps, 1_us)},
        paths_{topology_, profile, places_of_ranks(topology_, ranks, profile)},
        transport_{paths_,
                   ranks,
                   Folding{paths_, ranks, any_stream(ranks), Symmetry::none}.job(),
                   reduction,
                   {.with_data = with_data, .traffic = {}}} {}
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
            return std::make_unique<FluidStar>(ranks, testing::reducing(fused_reduction),
                                               reduction);
          }};
}

const BackendUnderTest composed = fluid("composed", false);
const BackendUnderTest fused = fluid("fused", true);

template <typename Cases>
auto both(const Cases& cases_of) {
  return values_of_both(cases_of, composed, fused);
}

INSTANTIATE_TEST_SUITE_P(Fluid, TransportContract, ::testing::Values(composed, fused),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Fluid, FailureContract, ::testing::Values(composed, fused), name_of_case);
INSTANTIATE_TEST_SUITE_P(Fluid, DeadlockContract, ::testing::Values(composed, fused), name_of_case);
INSTANTIATE_TEST_SUITE_P(Fluid, ReductionContract, both(every_reduction), name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Fluid, CollectiveContract, both(every_ranks), name_of_ranks_case);
INSTANTIATE_TEST_SUITE_P(Fluid, CollectiveReductionContract, both(every_reduction),
                         name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Fluid, AllreduceContract, both(every_allreduce), name_of_allreduce_case);
INSTANTIATE_TEST_SUITE_P(Fluid, AllreduceReductionContract, both(every_algorithm),
                         name_of_algorithm_case);

TEST(FluidWithoutData, RefusesSlicesPastTheEndOfTheirBuffer) {
  for (const bool fused_reduction : {false, true}) {
    FluidStar star{
        2, testing::reducing(fused_reduction), {ElementType::int32, Operation::sum}, false};
    star.run([](RankContext& self) {
      contract::require_bounded_messages(self);
      const BufferId buffer = self.memory.allocate(8_B);
      const Slice inside{buffer, 0_B, 4_B};
      const Slice behind{buffer, 8_B, 4_B};
      const auto refuses = [](const auto& reduce, const std::string& what) {
        contract::require_throw<ContractViolation>([&] { static_cast<void>(reduce()); }, what);
      };
      refuses([&] { return self.reducer.accumulate(behind, inside); }, "a sum past the end");
      refuses([&] { return self.reducer.accumulate(inside, behind); }, "a term past the end");
      refuses([&] { return self.reducer.finish(behind, 2); }, "a result past the end");
      refuses([&] { return self.reducer.finish({buffer, 0_B, 6_B}, 2); }, "6 bytes of ints");
    });
  }
}

}  // namespace
}  // namespace ringcast
