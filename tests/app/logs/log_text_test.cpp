#include "app/logs/log_text.hpp"

#include <gtest/gtest.h>

#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

TEST(LogText, HasLinesWithoutColours) {
  const LogFile log = log_of("a", "\x1b[1;32mone\x1b[0m\r\n\ntwo\x1b[");

  ASSERT_EQ(log.lines.size(), 3U);
  EXPECT_EQ(log.lines[0].text, "one\r");
  EXPECT_TRUE(log.lines[1].ended);
  EXPECT_EQ(log.lines[2].number, 3);
  EXPECT_EQ(log.lines[2].text, "two");
  EXPECT_FALSE(log.lines[2].ended);
}

TEST(LogText, HasTheSumOfItsBytes) {
  // printf abc | sha256sum
  EXPECT_EQ(log_of("a", "abc").sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(LogText, FallsIntoWords) {
  using Words = std::vector<std::string_view>;

  EXPECT_EQ(words_of(" a\tb  c\r"), (Words{"a", "b", "c"}));
  EXPECT_EQ(words_of("[1,0]<stdout>:12 3"), (Words{"[1,0]<stdout>:", "12", "3"}));
  EXPECT_EQ(words_of("[1,0]<stdout>: 12"), (Words{"[1,0]<stdout>:", "12"}));
  EXPECT_EQ(words_of(" \r"), Words{});
}

TEST(PrintedNumber, KnowsWhatItsLastDigitCounts) {
  for (const auto& [text, value, digit] :
       {std::tuple{"12.50", 12.5, 0.01}, std::tuple{"12", 12.0, 1.0}, std::tuple{"0.0", 0.0, 0.1},
        std::tuple{"1.2e+06", 1.2e6, 1e5}, std::tuple{"3e-07", 3e-7, 1e-7},
        std::tuple{"5.", 5.0, 1.0}}) {
    const auto number = printed_number(text);

    ASSERT_TRUE(number) << text;
    EXPECT_DOUBLE_EQ(number->value, value) << text;
    EXPECT_DOUBLE_EQ(number->digit, digit) << text;
  }
}

TEST(PrintedNumber, IsNothingElse) {
  for (const char* const text :
       {"", "-1", "+1", "nan", "inf", "1e999", "N/A", "1,5", "0x10", "12us", ".5", "1e", "1e+"}) {
    EXPECT_FALSE(printed_number(text)) << text;
  }
  for (const char* const text : {"", "-1", "1.0", "1e3", "18446744073709551616", "12a"}) {
    EXPECT_FALSE(whole_number(text)) << text;
  }
  EXPECT_EQ(whole_number("18446744073709551615"), 18446744073709551615U);
}

TEST(LogText, RefusesWhatCannotBeRead) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& name) {
    return message_of(folder, [&] { static_cast<void>(read_log(folder / name, "a log")); });
  };

  EXPECT_EQ(refusal("none"), "none: cannot be read: No such file or directory (expected a log)");
  EXPECT_EQ(refusal("."), ".: cannot be read: Is a directory (expected a log)");
  folder.write("zeros.log", std::string(4, '\0'));
  folder.write("lines.log", std::string(4'000'001, '\n'));
  const std::string expected =
      "no text (expected one without zero bytes, and of at most 4000000 lines)";
  EXPECT_EQ(refusal("zeros.log"), "zeros.log: " + expected);
  EXPECT_EQ(refusal("lines.log"), "lines.log: " + expected);
  for (const std::string mark : {"\xff\xfe#", "\xfe\xff#"}) {
    folder.write("wide.log", mark);
    EXPECT_EQ(refusal("wide.log"), "wide.log: UTF-16 (expected UTF-8 or ASCII text)");
  }
}

TEST(Remarks, SayTheFirstOfEachKind) {
  Remarks remarks;
  remarks.add("a", "a.log:1: x");
  remarks.add("b", "a.log:2: y");
  remarks.add("a", "a.log:3: z");

  EXPECT_EQ(remarks.texts(),
            (std::vector<std::string>{"a.log:1: x (and 1 more such)", "a.log:2: y"}));
}

}  // namespace
}  // namespace ringcast
