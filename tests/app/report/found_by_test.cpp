#include "app/report/found_by.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

std::string column_text(const std::string& found_by, std::optional<double> error) {
  Row row;
  row.found_by = found_by;
  row.time_error_bound = error;
  return found_by_text(row);
}

TEST(FoundBy, SaysByHowMuchTheExactTimeMayDiffer) {
  EXPECT_EQ(column_text("simulated", 0.0), "simulated");
  EXPECT_EQ(column_text("recurrence", 1.2e-3), "recurrence, -0.12 %");
  EXPECT_EQ(column_text("folded to 8 of 64, 2.5 % more at most", 0.33),
            "folded to 8 of 64, -33 % / +2.5 %");
  EXPECT_EQ(column_text("folded to 8 of 64, 2.5 % more at most", 0.0), "folded to 8 of 64, +2.5 %");
  EXPECT_EQ(column_text("folded to 8 of 64", std::nullopt), "folded to 8 of 64, error not known");
}

TEST(FoundBy, OmitsNegligibleDifferences) {
  EXPECT_EQ(column_text("recurrence", 1.2e-5), "recurrence");
  EXPECT_EQ(
      column_text("folded to 2 of 160, chunks up to 3e-05 % longer, 1.5 % more at most", 0.063),
      "folded to 2 of 160, -6.3 % / +1.5 %");
  EXPECT_EQ(column_text("folded to 2 of 160, chunks up to 3e-05 % longer", 0.0),
            "folded to 2 of 160");
  EXPECT_EQ(column_text("folded to 2 of 160, chunks up to 0.1 % longer", 0.0),
            "folded to 2 of 160, chunks up to 0.1 % longer");
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

}  // namespace
}  // namespace ringcast
