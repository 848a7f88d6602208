#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/logs/some_log.hpp"

namespace ringcast {
namespace {

TEST(NcclTestsRefusals, RefusesRowsThatContradictThemselves) {
  const auto with = [](std::string_view original, std::string_view replacement) {
    return nccl_refusal(log_text({begin_of_four, changed(row_of_four, original, replacement)}));
  };

  EXPECT_EQ(with("100.00", "120.00"),
            "m.log:12: algbw 10.49 GB/s is not size/time, 8.73813 GB/s (expected a row as "
            "all_reduce_perf prints it, with times in us)");
  EXPECT_EQ(with("15.73", "18.36"),
            "m.log:12: busbw 18.36 GB/s is not algbw x 2(n-1)/n, 15.735 GB/s for 4 ranks (expected "
            "rows of 4 ranks, or their number with --ranks)");
  ImportOptions one;
  one.ranks = 1;
  EXPECT_THAT(nccl_refusal(run_of_four(), one),
              testing::EndsWith("(expected rows of 1 rank, or their number with --ranks)"));
  EXPECT_EQ(with("100.00", "  0.00"),
            "m.log:12: an all-reduce in 0 us (expected 0.001 us to 1e12 us)");
  EXPECT_EQ(with("100.00", " 90.00").substr(0, 64),
            "m.log:12: algbw 10.49 GB/s is not size/time, 11.6508 GB/s (expec");
  // Within the digits that are printed: 10.48 x 1.5 = 15.72, of which 0.01 + 1.5 x 0.01 are open.
  EXPECT_EQ(with("100.00", "100.05"), "nothing was refused");
  EXPECT_EQ(with("10.49   15.73", "10.48   15.74"), "nothing was refused");
  EXPECT_EQ(with("10.49   15.73", "10.48   15.75").substr(0, 52),
            "m.log:12: busbw 15.75 GB/s is not algbw x 2(n-1)/n, ");
}

TEST(NcclTestsRefusals, RefusesOtherCollectives) {
  const std::string expected = " (expected rows of all_reduce_perf)";

  EXPECT_EQ(nccl_refusal(log_text({begin_of_four, row_of_gather})),
            "m.log:12: rows without a reduction" + expected);
  EXPECT_EQ(nccl_refusal(log_text({begin_of_four, changed(row_of_four, "-1", " 0")})),
            "m.log:12: rows with a root" + expected);
  EXPECT_EQ(nccl_refusal(log_text({begin_of_four, changed(row_of_four, " 262144", "  65536")})),
            "m.log:12: rows whose size is not count x 4 bytes" + expected);
  // 2^62 + 2^18 elements: 4 times as many are 2^20, modulo 2^64.
  EXPECT_EQ(nccl_refusal(
                log_text({begin_of_four, changed(row_of_four, "262144", "4611686018427650048")})),
            "m.log:12: rows whose size is not count x 4 bytes" + expected);
  EXPECT_EQ(nccl_refusal("# Collective test starting: sendrecv_perf\n" + run_of_four()),
            "m.log:13: rows of sendrecv_perf of line 1" + expected);
  EXPECT_EQ(nccl_refusal("# Collective test starting: all_reduce_bias_perf\n" + run_of_four()),
            "m.log:13: rows of all_reduce_bias_perf of line 1" + expected);
  EXPECT_EQ(read_nccl_text(log_text({begin_of_four, row_of_gather, row_of_four})).remarks.texts(),
            (std::vector<std::string>{"m.log:12: rows without a reduction are left out"}));
}

TEST(NcclTestsRefusals, RefusesElementsAndOperationsThatWeDoNotHave) {
  const std::string bytes =
      "     1048576       1048576     uint8     sum      -1   100.00   10.49   "
      "15.73      0    80.00   13.11   19.66      0\n";
  const std::string premul = changed(row_of_four, "   sum", "mulsum");
  ImportOptions skip;
  skip.skip = true;

  EXPECT_EQ(nccl_refusal(log_text({begin_of_four, bytes})),
            "m.log:12: elements of uint8 (expected half, bfloat16, float, double, int32 or int64; "
            "--skip leaves such rows out)");
  EXPECT_EQ(nccl_refusal(log_text({begin_of_four, premul})),
            "m.log:12: operation mulsum (expected sum, prod, min, max or avg; --skip leaves such "
            "rows out)");
  EXPECT_EQ(read_nccl_text(log_text({begin_of_four, bytes, row_of_four}), skip).samples.size(), 1U);
  EXPECT_EQ(nccl_refusal(log_text({begin_of_four, bytes}), skip).substr(0, 64),
            "m.log:12: elements of uint8: left out, and no row stays (expecte");
}

TEST(NcclTestsRefusals, KnowsTheNamesOfElements) {
  for (const auto& [name, type, width] :
       {std::tuple{"float", ElementType::float32, 4}, std::tuple{"half", ElementType::float16, 2},
        std::tuple{"bfloat16", ElementType::bfloat16, 2},
        std::tuple{"double", ElementType::float64, 8}, std::tuple{"int32", ElementType::int32, 4},
        std::tuple{"int64", ElementType::int64, 8}}) {
    const std::string row = fmt::format(
        " 1048576 {} {} max -1 100.00 10.49 15.73 0 80.00 13.11 19.66 0\n", 1048576 / width, name);

    const Sample sample = read_nccl_text(log_text({begin_of_four, row})).samples.at(0);

    EXPECT_EQ(sample.reduction.type, type);
    EXPECT_EQ(sample.reduction.operation, Operation::max);
  }
}

TEST(NcclTestsRefusals, RefusesALogWithoutRows) {
  const std::string message =
      "m.log: no nccl-tests rows (expected rows such as 1048576 262144 float sum -1 37.89 27.67 "
      "48.43 0 38.57 27.19 47.58 0)";

  EXPECT_EQ(nccl_refusal(""), message);
  EXPECT_EQ(nccl_refusal(std::string{begin_of_four}), message);
  EXPECT_EQ(nccl_refusal("# OSU MPI Allreduce Latency Test v7.0\n4  1.00\n"), message);
}

TEST(NcclTestsRefusals, NeverDoesAnythingButReadOrRefuse) {
  std::uint32_t state = 1;
  const auto random = [&](std::size_t below) {
    state = state * 1664525U + 1013904223U;
    return static_cast<std::size_t>(state >> 8U) % below;
  };
  const std::string whole = run_of_four();
  constexpr std::string_view letters = "0123456789.-e# \t\n\r:>\x1b[N/Afloatsum\xff";
  for (int i = 0; i < 2000; ++i) {
    std::string text = whole;
    for (std::size_t change = 0; change <= random(5); ++change) {
      const std::size_t at = random(text.size());
      switch (random(4)) {
        case 0:
          text[at] = letters[random(letters.size())];
          break;
        case 1:
          text.insert(at, 1 + random(20), letters[random(letters.size())]);
          break;
        case 2:
          text.erase(at, random(60));
          break;
        default:
          text += text.substr(at, random(300));
      }
      text += text.empty() ? " " : "";
    }
    EXPECT_NO_THROW(static_cast<void>(nccl_refusal(text))) << text;
  }
}

}  // namespace
}  // namespace ringcast
