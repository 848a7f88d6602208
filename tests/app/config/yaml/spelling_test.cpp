#include "app/config/yaml/spelling.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

TEST(Spelling, IsWordsAndNumbers) {
  const Spelling name{"PCIe Gen5 x16, 2.5."};
  EXPECT_TRUE(name.has_only({"pcie", "gen", "x"}));
  EXPECT_EQ(name.numbers(), (std::vector{5.0, 16.0, 2.5}));
  EXPECT_EQ(name.after("gen"), 5);
  EXPECT_EQ(name.before("x"), 5);
  EXPECT_EQ(name.after("pcie"), std::nullopt);
}

TEST(Spelling, RenamesAWordWithItsNumber) {
  Spelling name{"2x Quantum-2"};
  name.rename("quantum", 2, "ndr");
  EXPECT_EQ(name.numbers(), std::vector{2.0});
  EXPECT_TRUE(name.has_only({"x", "ndr"}));
  name.rename("x", 800, "xdr");  // no number follows
  EXPECT_TRUE(name.has_only({"xdr", "ndr"}));
  name.rename("hdr", 1, "edr");
  EXPECT_FALSE(name.has("edr"));
}

// `Xeon 666...6` once had a generation that no int holds.
TEST(Spelling, LimitsNumbers) {
  const std::string digits(90, '6');
  EXPECT_EQ(Spelling{"xeon" + digits}.numbers(), std::vector{largest_number_in_name});
  EXPECT_EQ(Spelling{"zen " + digits + ".5"}.after("zen"), largest_number_in_name);
}

}  // namespace
}  // namespace ringcast
