#include "app/report/text_table.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

// The points are in one column; a dash, for nothing, is at its right edge.
TEST(TextTable, AlignsNumbersAtTheirPoints) {
  EXPECT_EQ(detail::laid_out({{"n", {"-1.25", "-", "3"}, Hidden::never, false}}),
            "#      n\n"
            "   -1.25\n"
            "       -\n"
            "    3\n");
}

TEST(TextTable, ShowsThreeSignificantDigits) {
  EXPECT_EQ(milliseconds(Seconds{1.25e-6}), "0.00125");
  EXPECT_EQ(milliseconds(Seconds{99.96e-6}), "0.100");  // not 0.1000
  EXPECT_EQ(milliseconds(Seconds{1.25}), "1250.000");
}

TEST(TextTable, TellsTheEndsOfARangeApart) {
  EXPECT_EQ(milliseconds_between(Seconds{1.25e-3}, Seconds{2.5e-3}), "1.250 .. 2.500");
  EXPECT_EQ(milliseconds_between(Seconds{34.212e-6}, Seconds{34.234e-6}), "0.03421 .. 0.03423");
  EXPECT_EQ(milliseconds_between(Seconds{34.2e-6}, Seconds{34.2e-6}), "0.0342");
}

TEST(TextTable, GivesNoSignToWhatRoundsToZero) {
  EXPECT_EQ(signed_percent(-0.0004), "+0.0");
  EXPECT_EQ(signed_percent(-0.0006), "-0.1");
}

}  // namespace
}  // namespace ringcast
