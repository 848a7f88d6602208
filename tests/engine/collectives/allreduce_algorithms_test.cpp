#include "engine/collectives/allreduce_algorithms.hpp"

#include "engine/reference/reference_transport.hpp"
#include "tests/allreduce_contract.hpp"

namespace ringcast {
namespace {

const BackendUnderTest reference{"reference", [](int ranks, Reduction reduction) {
                                   return std::make_unique<ReferenceTransport>(ranks, reduction);
                                 }};

INSTANTIATE_TEST_SUITE_P(Backend, AllreduceContract,
                         ::testing::ValuesIn(every_allreduce(reference)), name_of_allreduce_case);
INSTANTIATE_TEST_SUITE_P(Backend, AllreduceReductionContract,
                         ::testing::ValuesIn(every_algorithm(reference)), name_of_algorithm_case);

const CollectiveOptions three_ranks{{RingOrder::identity(3)}, std::nullopt};

TEST(AllreduceAlgorithms, HaveTheNamesOfTheTable) {
  for (const std::string& name : allreduce_names()) {
    EXPECT_EQ(make_allreduce(name, three_ranks)->name(), name);
  }
}

TEST(AllreduceAlgorithms, SomeHaveHalves) {
  EXPECT_EQ(names_with_halves(),
            (std::vector<std::string>{"ring", "single-reducer", "parameter-server"}));
  EXPECT_EQ(make_allreduce_halves("ring", three_ranks).gather->name(), "ring-all-gather");
  EXPECT_THROW(static_cast<void>(make_allreduce_halves("tree", three_ranks)), ContractViolation);
}

TEST(AllreduceAlgorithms, RefuseAnUnknownName) {
  EXPECT_THROW(static_cast<void>(make_allreduce("rign", three_ranks)), ContractViolation);
  EXPECT_THROW(static_cast<void>(allreduce_message_count("rign", three_ranks, 1, 4_B)),
               ContractViolation);
}

TEST(AllreduceAlgorithms, RefuseOptionsThatAreNone) {
  const CollectiveOptions no_channels{{}, std::nullopt};
  const CollectiveOptions uneven{{RingOrder::identity(3), RingOrder::identity(2)}, std::nullopt};
  const CollectiveOptions no_segment{{RingOrder::identity(3)}, Bytes{0}};

  for (const std::string& name : allreduce_names()) {
    for (const CollectiveOptions& options : {no_channels, uneven, no_segment}) {
      EXPECT_THROW(static_cast<void>(make_allreduce(name, options)), ContractViolation) << name;
    }
  }
}

TEST(AllreduceAlgorithms, RefuseAJobOfOtherRanks) {
  for (const std::string& name : allreduce_names()) {
    const auto run_on_two = [&](RankContext& self) {
      make_allreduce(name, three_ranks)->run({self.memory.allocate(4_B), 1}, self);
    };

    EXPECT_THROW((ReferenceTransport{2, Reduction{}}.run(run_on_two)), ContractViolation) << name;
  }
}

}  // namespace
}  // namespace ringcast
