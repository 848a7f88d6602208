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

TEST(FoundBy, SaysByHowMuchTheTimeMayBeTooLong) {
  EXPECT_EQ(column_text("simulated", 0.0), "simulated");
  EXPECT_EQ(column_text("recurrence", 1.2e-5), "recurrence, 0.0012 % less at most");
  EXPECT_EQ(column_text("folded to 8 of 64, 2.5 % more at most", 0.33),
            "folded to 8 of 64, 2.5 % more or 33 % less at most");
  EXPECT_EQ(column_text("folded to 8 of 64", std::nullopt), "folded to 8 of 64, error not known");
}

TEST(FoundBy, IsToldWhereItIsMoreThanASimulationOfAllRanks) {
  Row row;
  EXPECT_FALSE(tells_how_found(row));  // measured
  row.found_by = "recurrence";
  EXPECT_FALSE(tells_how_found(row));
  row.time_error_bound = 1e-5;
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
