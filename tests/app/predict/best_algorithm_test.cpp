#include "app/predict/best_algorithm.hpp"

#include <gtest/gtest.h>

#include "tests/app/predict/four_gpus.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

// Four GPUs on one root complex. NCCL's tuner estimates 6 hops of 10 us for the ring, and 6 of 5 us
// and 1 us more for the tree, a chain within a node; the bytes make up for less. But 128 kB are one
// chunk of the tree, which each hop of the chain passes on when it has all of it:
// 1 us + 6 (5 us + 128 kB / 10 GB/s) = 107.8 us. The ring takes 6 (10 us + 32 kB / 10 GB/s) = 79.2.
const std::string small_set = "name: choices\nsource: by hand\n" + four_gpus + R"(transport:
  name: tuned
  source: test
  message_overhead: 0 us
  tuner: nccl
  protocols:
    - {algorithm: ring, name: Simple, latencies: {p2p: 10 us}}
    - {algorithm: tree, name: Simple, call_overhead: 1 us, latencies: {p2p: 5 us}}
    - {algorithm: in-switch, name: Simple, latencies: {p2p: 5 us}}
rows:
  - {ranks: 4, size: 128 kB, time: 80 us}
  - {ranks: 4, size: 128 kB, time: 80 us, algorithm: ring}
)";

Validation validated(bool compare) {
  const TemporaryFolder folder;
  folder.write("choices.yaml", small_set);
  Validation validation = validate(read_published_sets({folder / "choices.yaml"}), {});
  if (compare) add_best(validation, {});
  return validation;
}

TEST(BestAlgorithm, IsBesideTheOneThatWasChosen) {
  const Validation validation = validated(true);

  // NVSwitches are not there, so sums in them are no failure.
  EXPECT_TRUE(validation.failures.empty());
  const std::vector<ValidatedRow>& rows = validation.sets.at(0).rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].algorithm, "tree/Simple");
  EXPECT_NEAR(rows[0].predicted.count(), 107.8e-6, 1e-9);
  ASSERT_TRUE(rows[0].best);
  EXPECT_EQ(rows[0].best->algorithm, "ring/Simple");
  EXPECT_NEAR(rows[0].best->predicted.count(), 79.2e-6, 1e-9);
  EXPECT_FALSE(rows[1].best);  // the row says which
}

TEST(BestAlgorithm, IsNotLookedForUnasked) {
  EXPECT_FALSE(validated(false).sets.at(0).rows.at(0).best);
}

TEST(BestAlgorithm, IsInTheTable) {
  const std::string table = to_table(validated(true));

  EXPECT_NE(table.find("         best  best ms"), std::string::npos) << table;
  // 107.8 / 79.2 - 1
  EXPECT_NE(table.find("# the chosen algorithm is not the fastest predicted one in 1 of 1 row: "
                       "median loss 36.1 %"),
            std::string::npos)
      << table;
}

}  // namespace
}  // namespace ringcast
