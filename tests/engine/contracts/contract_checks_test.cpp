#include "engine/contracts/contract_checks.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

TEST(ContractChecks, LetSlicesTouchInEitherOrder) {
  const Bytes width{4};
  const auto slice_at = [](std::uint64_t offset) {
    return Slice{BufferId{0}, Bytes{offset}, Bytes{8}};
  };
  EXPECT_NO_THROW(expect_combinable(slice_at(0), slice_at(8), width));
  EXPECT_NO_THROW(expect_combinable(slice_at(8), slice_at(0), width));
  EXPECT_THROW(expect_combinable(slice_at(0), slice_at(4), width), ContractViolation);
  EXPECT_THROW(expect_combinable(slice_at(4), slice_at(0), width), ContractViolation);
}

}  // namespace
}  // namespace ringcast
