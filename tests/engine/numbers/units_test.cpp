#include "engine/numbers/units.hpp"

#include <concepts>
#include <functional>

#include <gtest/gtest.h>

#include "tests/refusal.hpp"

namespace ringcast {
namespace {

template <typename A, typename B>
concept addable = requires(A a, B b) {
  a + b;
};
template <typename A, typename B>
concept subtractable = requires(A a, B b) {
  a - b;
};
template <typename A, typename B>
concept multipliable = requires(A a, B b) {
  a* b;
};
template <typename A, typename B>
concept divisible = requires(A a, B b) {
  a / b;
};
template <typename A, typename B>
concept comparable = requires(A a, B b) {
  a < b;
};

static_assert(addable<Bytes, Bytes>);
static_assert(!addable<Bytes, Seconds>);
static_assert(!addable<Bytes, BytesPerSecond>);
static_assert(!addable<Bytes, int>);
static_assert(!addable<Seconds, BytesPerSecond>);
static_assert(!subtractable<Bytes, Bytes>);
static_assert(!multipliable<Bytes, Bytes>);
static_assert(!multipliable<Bytes, Seconds>);
static_assert(!multipliable<BytesPerSecond, BytesPerSecond>);
static_assert(divisible<Bytes, BytesPerSecond>);
static_assert(divisible<Bytes, Seconds>);
static_assert(!divisible<Bytes, Bytes>);
static_assert(!divisible<Seconds, BytesPerSecond>);
static_assert(!comparable<Bytes, Seconds>);
static_assert(!comparable<Bytes, int>);
static_assert(!comparable<BytesPerSecond, double>);
static_assert(!std::convertible_to<int, Bytes>);
static_assert(!std::convertible_to<Bytes, std::uint64_t>);
static_assert(!std::convertible_to<double, BytesPerSecond>);
static_assert(!std::convertible_to<BytesPerSecond, double>);
static_assert(!std::convertible_to<double, Seconds>);

static_assert(3 * 4_B + 1_KiB == 1036_B);
static_assert(1_MiB == 1024 * 1_KiB && 1_GiB == 1024 * 1_MiB);
static_assert(100_Gbps == BytesPerSecond{12.5e9});  // 100e9 / 8
static_assert(8_Gbps == 1_GBps);
static_assert(Bytes{50} / BytesPerSecond{100} == Seconds{0.5});
static_assert(Bytes{50} / Seconds{2} == BytesPerSecond{25});
static_assert(5_us == Seconds{5e-6});

std::string size_refusal(std::string_view text) {
  return refusal_of([text] { return parse_size(text); });
}
std::string rate_refusal(std::string_view text) {
  return refusal_of([text] { return parse_rate(text); });
}
std::string time_refusal(std::string_view text) {
  return refusal_of([text] { return parse_time(text); });
}

TEST(ParseSize, ReadsEveryUnit) {
  EXPECT_EQ(parse_size("512 B"), Bytes{512});
  EXPECT_EQ(parse_size("3kB"), Bytes{3000});
  EXPECT_EQ(parse_size("8 MB"), Bytes{8'000'000});
  EXPECT_EQ(parse_size("1.2 GB"), Bytes{1'200'000'000});
  EXPECT_EQ(parse_size("2 TB"), Bytes{2'000'000'000'000});
  EXPECT_EQ(parse_size("1 PB"), Bytes{1'000'000'000'000'000});
  EXPECT_EQ(parse_size("1KiB"), 1_KiB);
  EXPECT_EQ(parse_size("64 MiB"), 64_MiB);
  EXPECT_EQ(parse_size("2 GiB"), 2_GiB);
  EXPECT_EQ(parse_size("1 TiB"), 1024 * 1_GiB);
  EXPECT_EQ(parse_size("0"), Bytes{0});
  EXPECT_EQ(parse_size("0 MiB"), Bytes{0});
  EXPECT_EQ(parse_size("0.000 kB"), Bytes{0});
  EXPECT_EQ(parse_size("0e-30 B"), Bytes{0});
  EXPECT_EQ(parse_size(std::string(61, '0') + "1 B"), Bytes{1});  // 64 characters
}

TEST(ParseSize, IsExact) {
  EXPECT_EQ(parse_size("18446744073709551615 B"), Bytes{18446744073709551615U});  // 2^64 - 1
  EXPECT_EQ(parse_size("9007199254740.993 kB"), Bytes{9007199254740993});  // 2^53 + 1, no double
  EXPECT_EQ(parse_size("1.001 kB"), Bytes{1001});
  EXPECT_EQ(parse_size("0.5 KiB"), Bytes{512});
  EXPECT_EQ(parse_size("0.0009765625 MiB"), 1_KiB);  // 2^-10
  EXPECT_EQ(parse_size("1.50000000000000000000000 kB"), Bytes{1500});
  EXPECT_EQ(parse_size("1e3 B"), Bytes{1000});
  EXPECT_EQ(parse_size("1.5e+3 kB"), Bytes{1'500'000});
  EXPECT_EQ(parse_size("1500e-1 kB"), Bytes{150'000});
  EXPECT_EQ(parse_size("1e19 B"), Bytes{10'000'000'000'000'000'000U});
  EXPECT_EQ(parse_size("0.0000019073486328125 EiB"), 2048 * 1_GiB);  // 2^-19 of 2^60
}

TEST(ParseSize, SaysWhatIsWrong) {
  const std::string expected = " (expected a size such as 64 MiB or 1.2 GB)";

  EXPECT_EQ(size_refusal(""), "an empty size" + expected);
  EXPECT_EQ(size_refusal("25"), "no unit in \"25\"" + expected);
  EXPECT_EQ(size_refusal("0.0"), "no unit in \"0.0\"" + expected);
  EXPECT_EQ(size_refusal("64 mib"),
            "unknown unit \"mib\" in \"64 mib\", did you mean \"64 MiB\"?" + expected);
  EXPECT_EQ(size_refusal("64 MiB "),
            "unknown unit \"MiB \" in \"64 MiB \", did you mean \"64 MiB\"?" + expected);
  EXPECT_EQ(size_refusal("64  MiB"), "unknown unit \" MiB\" in \"64  MiB\"" + expected);
  EXPECT_EQ(size_refusal("64 MiB x"), "unknown unit \"MiB x\" in \"64 MiB x\"" + expected);
  EXPECT_EQ(size_refusal("64 Mb"),
            "unknown unit \"Mb\" in \"64 Mb\", did you mean \"64 MB\"?" + expected);
  EXPECT_EQ(size_refusal("64M"),
            "unknown unit \"M\" in \"64M\", did you mean \"64 MB\" or \"64 MiB\"?" + expected);
  EXPECT_EQ(size_refusal("25 GB/s"), "\"25 GB/s\" is no size" + expected);
  EXPECT_EQ(size_refusal("25 us"), "\"25 us\" is no size" + expected);
  EXPECT_EQ(size_refusal(std::string(100'000, '1')),
            '"' + std::string(64, '1') + "...\" is no size" + expected);
  EXPECT_EQ(size_refusal("-1 B"), "negative size \"-1 B\"" + expected);
  EXPECT_EQ(size_refusal("MiB"), "no number in \"MiB\"" + expected);
  EXPECT_EQ(size_refusal(" 1 B"), "no number in \" 1 B\"" + expected);
  EXPECT_EQ(size_refusal("+1 B"), "no number in \"+1 B\"" + expected);
  EXPECT_EQ(size_refusal(".5 kB"), "no number in \".5 kB\"" + expected);
  EXPECT_EQ(size_refusal("5. kB"), "no number in \"5. kB\"" + expected);
  EXPECT_EQ(size_refusal("inf B"), "no number in \"inf B\"" + expected);
  EXPECT_EQ(size_refusal("nan B"), "no number in \"nan B\"" + expected);
  EXPECT_EQ(size_refusal("0x10 B"), "unknown unit \"x10 B\" in \"0x10 B\"" + expected);
  EXPECT_EQ(size_refusal("1,5 kB"),
            "unknown unit \",5 kB\" in \"1,5 kB\", did you mean \"1.5 kB\"?" + expected);
}

TEST(ParseSize, RefusesFractionsOfAByte) {
  const std::string problem =
      " has a fraction of a byte (expected a size such as 64 MiB or 1.2 GB)";

  EXPECT_EQ(size_refusal("0.5 B"), "\"0.5 B\"" + problem);
  EXPECT_EQ(size_refusal("1.0001 kB"), "\"1.0001 kB\"" + problem);
  EXPECT_EQ(size_refusal("0.1 KiB"), "\"0.1 KiB\"" + problem);  // 102.4 B
  EXPECT_EQ(size_refusal("1e-30 GB"), "\"1e-30 GB\"" + problem);
  EXPECT_EQ(size_refusal("1.00000000000000000000001 GB"),
            "\"1.00000000000000000000001 GB\"" + problem);
  EXPECT_EQ(size_refusal("18446744073709551616.5 B"), "\"18446744073709551616.5 B\"" + problem);
  // 10^20, the divisor, is 2^20 times this number, plus 5 times 2^64.
  EXPECT_EQ(size_refusal("0.00000007406501418545 EiB"), "\"0.00000007406501418545 EiB\"" + problem);
}

TEST(ParseSize, RefusesMoreThan64Bits) {
  const std::string problem = " is out of range (expected a size such as 64 MiB or 1.2 GB)";

  EXPECT_EQ(size_refusal("18446744073709551616 B"), "\"18446744073709551616 B\"" + problem);
  EXPECT_EQ(size_refusal("16 EiB"), "\"16 EiB\"" + problem);  // 2^64
  EXPECT_EQ(size_refusal("1e19 kB"), "\"1e19 kB\"" + problem);
  EXPECT_EQ(size_refusal("2e19 B"), "\"2e19 B\"" + problem);
  EXPECT_EQ(size_refusal("1e20 B"), "\"1e20 B\"" + problem);
  EXPECT_EQ(size_refusal("1e300 B"), "\"1e300 B\"" + problem);
  EXPECT_EQ(size_refusal("1e999 B"), "\"1e999 B\"" + problem);
}

TEST(ParseRate, ReadsBytesAndBits) {
  EXPECT_EQ(parse_rate("25 GB/s"), 25_GBps);
  EXPECT_EQ(parse_rate("25GBps"), 25_GBps);
  EXPECT_EQ(parse_rate("200 Gb/s"), 25_GBps);  // 200 / 8
  EXPECT_EQ(parse_rate("200Gbps"), 200_Gbps);
  EXPECT_EQ(parse_rate("3 GiB/s"), BytesPerSecond{3221225472});  // 3 * 2^30
  EXPECT_EQ(parse_rate("15.754 GB/s"), BytesPerSecond{15.754e9});
  EXPECT_EQ(parse_rate("10 Mb/s"), BytesPerSecond{1.25e6});
  EXPECT_EQ(parse_rate("7 B/s"), BytesPerSecond{7});
  EXPECT_EQ(parse_rate("0"), BytesPerSecond{0});
}

TEST(ParseRate, SaysWhatIsWrong) {
  const std::string expected = " (expected a rate such as 25 GB/s or 200 Gb/s)";

  EXPECT_EQ(rate_refusal("25"), "no unit in \"25\"" + expected);
  EXPECT_EQ(rate_refusal("25 us"), "\"25 us\" is no rate" + expected);
  EXPECT_EQ(rate_refusal("25 GB"), "\"25 GB\" is no rate" + expected);
  EXPECT_EQ(rate_refusal("25 Gbit/s"),
            "unknown unit \"Gbit/s\" in \"25 Gbit/s\", did you mean \"25 Gb/s\"?" + expected);
  EXPECT_EQ(
      rate_refusal("25 gb/s"),
      "unknown unit \"gb/s\" in \"25 gb/s\", did you mean \"25 GB/s\" or \"25 Gb/s\"?" + expected);
  EXPECT_EQ(
      rate_refusal("25 gb"),
      "unknown unit \"gb\" in \"25 gb\", did you mean \"25 GB/s\" or \"25 Gb/s\"?" + expected);
  EXPECT_EQ(rate_refusal("25 GB /s"), "unknown unit \"GB /s\" in \"25 GB /s\"" + expected);
  EXPECT_EQ(rate_refusal("-25 GB/s"), "negative rate \"-25 GB/s\"" + expected);
  EXPECT_EQ(rate_refusal("infinity GB/s"), "no number in \"infinity GB/s\"" + expected);
  EXPECT_EQ(rate_refusal("1e308 GB/s"), "\"1e308 GB/s\" is out of range" + expected);
}

TEST(ParseTime, ReadsEveryUnit) {
  EXPECT_EQ(parse_time("300 ns"), Seconds{300e-9});
  EXPECT_EQ(parse_time("5us"), 5_us);
  EXPECT_EQ(parse_time("1.5 ms"), Seconds{1.5e-3});
  EXPECT_EQ(parse_time("2 s"), Seconds{2});
  EXPECT_EQ(parse_time("3 min"), Seconds{180});
  EXPECT_EQ(parse_time("2 h"), Seconds{7200});
  EXPECT_EQ(parse_time("1e-6 s"), Seconds{1e-6});
  EXPECT_EQ(parse_time("0"), Seconds{0});
}

TEST(ParseTime, SaysWhatIsWrong) {
  const std::string expected = " (expected a time such as 5 us or 1.5 ms)";

  EXPECT_EQ(time_refusal("5"), "no unit in \"5\"" + expected);
  EXPECT_EQ(time_refusal("5 MiB"), "\"5 MiB\" is no time" + expected);
  EXPECT_EQ(time_refusal("5 sec"),
            "unknown unit \"sec\" in \"5 sec\", did you mean \"5 s\"?" + expected);
  EXPECT_EQ(time_refusal("5 \u00b5s"),
            "unknown unit \"\u00b5s\" in \"5 \u00b5s\", did you mean \"5 us\"?" + expected);
  EXPECT_EQ(time_refusal("-0 s"), "negative time \"-0 s\"" + expected);
  EXPECT_EQ(time_refusal("1e-999 s"), "\"1e-999 s\" is out of range" + expected);
}

TEST(ToText, PrintsSizesInTheShorterExactUnits) {
  EXPECT_EQ(to_text(Bytes{0}), "0 B");
  EXPECT_EQ(to_text(Bytes{512}), "512 B");
  EXPECT_EQ(to_text(1_KiB), "1 KiB");  // 1.024 kB is longer
  EXPECT_EQ(to_text(Bytes{1000}), "1 kB");
  EXPECT_EQ(to_text(Bytes{128'000}), "128 kB");  // 125 KiB is no shorter
  EXPECT_EQ(to_text(64_MiB), "64 MiB");
  EXPECT_EQ(to_text(Bytes{1'200'000'000}), "1.2 GB");
  EXPECT_EQ(to_text(3 * 512_MiB), "1.5 GiB");
  EXPECT_EQ(to_text(1408_KiB), "1.375 MiB");  // 1.442 MB is as long, but 1,441,792 B
  EXPECT_EQ(to_text(1024 * 1_GiB), "1 TiB");
}

TEST(ToText, RoundsOtherSizesToFourDigits) {
  EXPECT_EQ(to_text(Bytes{123'456}), "123.5 kB");
  EXPECT_EQ(to_text(Bytes{999'949}), "999.9 kB");
  EXPECT_EQ(to_text(Bytes{999'999}), "1 MB");
  EXPECT_EQ(to_text(64_MiB + 1_B), "67.11 MB");
  EXPECT_EQ(to_text(Bytes{18446744073709551615U}), "18.45 EB");
}

TEST(ToText, PrintsRates) {
  EXPECT_EQ(to_text(6_GBps), "6 GB/s");
  EXPECT_EQ(to_text(BytesPerSecond{12.5e9}), "12.5 GB/s");
  EXPECT_EQ(to_text(BytesPerSecond{999.99e6}), "1 GB/s");
  EXPECT_EQ(to_text(BytesPerSecond{0}), "0 B/s");
  EXPECT_EQ(to_text(BytesPerSecond{0.25}), "0.25 B/s");
}

TEST(ToText, PrintsTimes) {
  EXPECT_EQ(to_text(Seconds{0}), "0 s");
  EXPECT_EQ(to_text(Seconds{0.3903}), "390.3 ms");
  EXPECT_EQ(to_text(5_us), "5 us");
  EXPECT_EQ(to_text(Seconds{2.5e-10}), "0.25 ns");
  EXPECT_EQ(to_text(Seconds{1.25}), "1.25 s");
  EXPECT_EQ(to_text(Seconds{90}), "1.5 min");
  EXPECT_EQ(to_text(Seconds{7200}), "2 h");
  EXPECT_EQ(to_text(Seconds{-0.002}), "-2 ms");
}

TEST(ToText, IsReadBackAsTheSameSizeWhereItIsExact) {
  for (std::uint64_t power = 0; power < 64; ++power) {
    const Bytes size{std::uint64_t{1} << power};

    EXPECT_EQ(parse_size(to_text(size)), size);
  }
}

}  // namespace
}  // namespace ringcast
