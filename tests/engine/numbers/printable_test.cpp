#include "engine/numbers/printable.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

TEST(WithoutControls, ShowsTheirBytes) {
  EXPECT_EQ(without_controls("a\x1b[31mb\r\n\x7f"), "a\\x1b[31mb\\x0d\\x0a\\x7f");
  EXPECT_EQ(without_controls(std::string{"\0", 1}), "\\x00");
}

TEST(WithoutControls, KeepsTheGivenOnes) {
  EXPECT_EQ(without_controls("a\nb\tc", "\n"), "a\nb\\x09c");
}

// U+009B is another ESC [ for some terminals; U+00B5, the micro sign, begins with the same byte.
TEST(WithoutControls, KnowsThoseOfUtf8) {
  EXPECT_EQ(without_controls("\xc2\x9b\xc2\xb5"), "\\xc2\\x9b\xc2\xb5");
  EXPECT_EQ(without_controls("\xc2"), "\xc2");
}

}  // namespace
}  // namespace ringcast
