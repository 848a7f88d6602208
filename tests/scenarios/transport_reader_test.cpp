#include <string>

#include <gtest/gtest.h>

#include "scenarios/scenario.hpp"
#include "tests/scenarios/temporary_folder.hpp"

namespace ringcast {
namespace {

// Right as it stands; each case makes one slip in it.
const std::string right = R"(name: test
source: invented
message_overhead: 5 us
reduce_rate: 100 GB/s
fused_reduction: false
)";

const Slip slips[] = {
    {"NoSource", "source: invented\n", "",
     "transport.yaml:1:1: source: missing (expected where the costs come from)"},
    {"OverheadWithoutUnit", "5 us", "5",
     "transport.yaml:3:19: message_overhead: no unit in \"5\" (expected a time such as "
     "5 us or 1.5 ms)"},
    {"OverheadNegative", "5 us", "-5 us",
     "transport.yaml:3:19: message_overhead: negative time \"-5 us\" (expected a time "
     "such as 5 us or 1.5 ms)"},
    {"OverheadAboveOneSecond", "5 us", "5 s",
     "transport.yaml:3:19: message_overhead: 5 s is out of range (expected 0 to 1 s)"},
    {"RateZero", "100 GB/s", "0",
     "transport.yaml:4:14: reduce_rate: 0 is out of range (expected 1 kB/s to 1000 "
     "TB/s, or no reduce_rate for a reduction that costs nothing)"},
    {"RateIsASize", "100 GB/s", "100 GB",
     "transport.yaml:4:14: reduce_rate: \"100 GB\" is no rate (expected a rate such as "
     "25 GB/s or 200 Gb/s)"},
    {"RateTooLarge", "100 GB/s", "1 EB/s",
     "transport.yaml:4:14: reduce_rate: 1 EB/s is out of range (expected 1 kB/s to 1000 "
     "TB/s, or no reduce_rate for a reduction that costs nothing)"},
    {"FusedIsYes", "false", "yes",
     "transport.yaml:5:18: fused_reduction: \"yes\" is neither (expected true or false)"},
    {"UnknownKey", "fused_reduction", "fused_reductions",
     "transport.yaml:5:1: fused_reductions: unknown key, did you mean "
     "\"fused_reduction\"? (expected name, source, message_overhead, reduce_rate or "
     "fused_reduction)"},
};

class TransportSlip : public testing::TestWithParam<Slip> {};

TEST_P(TransportSlip, IsRefusedWithItsPlace) {
  const TemporaryFolder folder;
  folder.write("transport.yaml", right_with(right, GetParam()));

  EXPECT_EQ(
      message_of(folder, [&] { static_cast<void>(read_transport(folder / "transport.yaml")); }),
      GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Slips, TransportSlip, testing::ValuesIn(slips), name_of_slip);

}  // namespace
}  // namespace ringcast
