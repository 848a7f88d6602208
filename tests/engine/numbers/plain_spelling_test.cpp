#include "engine/numbers/plain_spelling.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/ascii.hpp"

namespace ringcast {
namespace {

/// What is meant by a number.
std::string meant_number(std::string_view text) {
  return plain_spelling(
      text, [](std::string_view plain) { return number_of<double>(plain).has_value(); });
}

TEST(PlainSpelling, HasAPoint) {
  EXPECT_EQ(meant_number("1,5"), ", did you mean \"1.5\"?");
  EXPECT_EQ(meant_number("1,2500"), ", did you mean \"1.2500\"?");
}

TEST(PlainSpelling, HasNoGroups) {
  for (const std::string_view text : {"1_000", "1'000", "1 000", "1\u202f000", "1\u00a0000"}) {
    EXPECT_EQ(meant_number(text), ", did you mean \"1000\"?") << text;
  }
  EXPECT_EQ(meant_number("1_000_000"), ", did you mean \"1000000\"?");
  EXPECT_EQ(meant_number("1,000,000.5"), ", did you mean \"1000000.5\"?");
}

TEST(PlainSpelling, IsEitherOfTwoIfBothAreRight) {
  EXPECT_EQ(meant_number("1,500"), ", did you mean \"1500\" or \"1.500\"?");
}

TEST(PlainSpelling, HasNoSpacesThatDoNotBreak) {
  EXPECT_EQ(meant_number("4\u00a0"), ", did you mean \"4\"?");
}

TEST(PlainSpelling, IsNoneOfOtherTexts) {
  for (const std::string_view text : {"", "4", "four", "1,2,3", "1_00", "4,", ",5", "-,500"}) {
    EXPECT_EQ(meant_number(text), "") << text;
  }
}

}  // namespace
}  // namespace ringcast
