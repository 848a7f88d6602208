#include "app/report/found_by.hpp"

#include <gtest/gtest.h>

#include "tests/app/report/some_result.hpp"

namespace ringcast {
namespace {

std::string column_text(const std::string& found_by, std::optional<double> error, double more = 0) {
  Row row;
  row.time = 1000_us;
  row.time_max = (1 + more) * row.time;
  row.found_by = found_by;
  row.time_error_bound = error;
  return found_by_text(row);
}

TEST(FoundBy, SaysByHowMuchTheExactTimeMayDiffer) {
  EXPECT_EQ(column_text("simulated", 0.0), "simulated");
  EXPECT_EQ(column_text("recurrence", 1.2e-3), "recurrence, -0.12 %");
  EXPECT_EQ(column_text("folded to 8 of 64", 0.33, 0.025), "folded to 8 of 64, -33 % / +2.5 %");
  EXPECT_EQ(column_text("folded to 8 of 64", 0.0, 0.025), "folded to 8 of 64, +2.5 %");
  EXPECT_EQ(column_text("folded to 8 of 64", 0.35, 2.164), "folded to 8 of 64, -35 % / +216 %");
  EXPECT_EQ(column_text("folded to 8 of 64", std::nullopt), "folded to 8 of 64, error not known");
}

TEST(FoundBy, OmitsNegligibleDifferences) {
  EXPECT_EQ(column_text("recurrence", 1.2e-5), "recurrence");
  EXPECT_EQ(column_text("folded to 8 of 64", 0.33, 1e-5), "folded to 8 of 64, -33 %");
}

// Half of the iterations of a training are longer than the median.
TEST(FoundBy, TakesNoRepetitionForABound) {
  Row row;
  row.time = 1000_us;
  row.time_max = 2000_us;
  row.found_by = "recurrence";
  row.iteration.emplace();
  EXPECT_EQ(found_by_text(row), "recurrence");
  row.iteration.reset();
  row.range_reason = "messages share links";
  EXPECT_EQ(found_by_text(row), "recurrence");
}

TEST(FoundBy, IsToldWhereItIsMoreThanASimulationOfAllRanks) {
  Row row;
  EXPECT_FALSE(tells_how_found(row));  // measured
  row.found_by = "recurrence";
  EXPECT_FALSE(tells_how_found(row));
  row.time_error_bound = 1e-5;
  EXPECT_FALSE(tells_how_found(row));
  row.time_error_bound = 1e-3;
  EXPECT_TRUE(tells_how_found(row));
  row.time_error_bound = std::nullopt;
  EXPECT_TRUE(tells_how_found(row));
  row.found_by = "folded to 8 of 64";
  row.time_error_bound = 0.0;
  EXPECT_TRUE(tells_how_found(row));
  row.found_by = "recurrence, overheads of a rank's messages";
  EXPECT_TRUE(tells_how_found(row));
}

// Beyond 100 million messages a simulation of all ranks takes hours.
TEST(FoundBy, OfWideBoundsComesWithARemedy) {
  const auto table = [](const std::string& found_by, double less, double more,
                        std::uint64_t messages = 1000) {
    Row row = some_row();
    row.found_by = found_by;
    row.time_error_bound = less;
    row.time_max = (1 + more) * row.time;
    row.messages = messages;
    return to_table(some_result({row}));
  };
  const std::string remedy =
      "# bounds above 10 %: --fidelity simulated has none, but takes longer\n";
  EXPECT_TRUE(table("folded to 2 of 4", 0.11, 0).ends_with(remedy));
  EXPECT_TRUE(table("folded to 2 of 4", 0, 0.11).ends_with(remedy));
  EXPECT_FALSE(table("folded to 2 of 4", 0.09, 0.09).ends_with(remedy));
  EXPECT_FALSE(table("recurrence", 0.11, 0).ends_with(remedy));
  EXPECT_FALSE(table("folded to 2 of 4", 0.11, 0, 200'000'000).ends_with(remedy));
}

}  // namespace
}  // namespace ringcast
