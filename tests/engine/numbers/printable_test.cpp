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
TEST(WithoutControls, EscapesC1Controls) {
  EXPECT_EQ(without_controls("\xc2\x9b\xc2\xb5"), "\\xc2\\x9b\xc2\xb5");
}

// Cut off, of a longer form than needed (of "/"), a surrogate, above U+10FFFF; U+10FFFF itself.
TEST(WithoutControls, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(without_controls("\xc2"), "\\xc2");
  EXPECT_EQ(without_controls("\x9b"
                             "31m"),
            "\\x9b31m");
  EXPECT_EQ(without_controls("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(without_controls("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(without_controls("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(without_controls("\xf4\x8f\xbf\xbf"), "\xf4\x8f\xbf\xbf");
}

// U+0800 and U+10000 are the least of three and of four bytes; the surrogates end before U+E000.
// More than four bytes have not been part of UTF-8 since 2003.
TEST(WithoutControls, KnowsTheEndsOfTheRangesOfUtf8) {
  EXPECT_EQ(without_controls("\xe0\xa0\x80\xf0\x90\x80\x80"), "\xe0\xa0\x80\xf0\x90\x80\x80");
  EXPECT_EQ(without_controls("\xed\xbf\xbf\xee\x80\x80"), "\\xed\\xbf\\xbf\xee\x80\x80");
  EXPECT_EQ(without_controls("\xf8\x90\x80\x80"), "\\xf8\\x90\\x80\\x80");
}

// U+202E, right-to-left override, shows "exe.txt" as "txt.exe"; U+2066 isolates. U+2026 is an
// ellipsis.
TEST(WithoutControls, EscapesMarksOfTextDirection) {
  EXPECT_EQ(without_controls("a\xe2\x80\xae"
                             "b\xe2\x81\xa6"),
            "a\\xe2\\x80\\xae"
            "b\\xe2\\x81\\xa6");
  EXPECT_EQ(without_controls("\xe2\x80\xa8"), "\\xe2\\x80\\xa8");  // U+2028 ends a line
  EXPECT_EQ(without_controls("\xe2\x80\x8f"), "\\xe2\\x80\\x8f");  // U+200F, right to left
  EXPECT_EQ(without_controls("\xd8\x9c"), "\\xd8\\x9c");           // U+061C, as an Arabic letter
  EXPECT_EQ(without_controls("\xe2\x80\xa6"), "\xe2\x80\xa6");
}

// Those of no width are seen as bytes; the joiner of Persian words and emoji, U+200C, stays.
TEST(WithoutControls, EscapesInvisibleCharacters) {
  EXPECT_EQ(without_controls("no\xe2\x80\x8b"
                             "de"),
            "no\\xe2\\x80\\x8b"
            "de");
  EXPECT_EQ(without_controls("\xef\xbb\xbf"), "\\xef\\xbb\\xbf");  // U+FEFF
  EXPECT_EQ(without_controls("\xc2\xad"), "\\xc2\\xad");           // U+00AD
  EXPECT_EQ(without_controls("\xe2\x80\x8c"), "\xe2\x80\x8c");
}

}  // namespace
}  // namespace ringcast
