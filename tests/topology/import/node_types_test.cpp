#include "topology/import/node_types.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ringcast {
namespace {

std::vector<std::string> numbered(const std::string& stem, int first, int last, int width,
                                  const std::string& domain = "") {
  std::vector<std::string> hosts;
  for (int i = first; i <= last; ++i)
    hosts.push_back(fmt::format("{}{:0{}}{}", stem, i, width, domain));
  return hosts;
}

TEST(AllHosts, AreInOrderWithConsecutiveNumbersAsARange) {
  EXPECT_EQ(all_hosts(numbered("gpu", 0, 7, 2)), "gpu00 .. gpu07");
  EXPECT_EQ(all_hosts(numbered("n", 7, 12, 1)), "n7 .. n12");
  EXPECT_EQ(all_hosts(numbered("n", 1, 5, 1, ".dc2.example")), "n1.dc2.example .. n5.dc2.example");
  EXPECT_EQ(all_hosts({"a1", "login", "n1", "n2", "n3", "n4", "n5", "n7", "m8", "x"}),
            "a1, login, n1 .. n5, n7, m8, x");
  EXPECT_EQ(all_hosts({"n1", "n2", "n3", "n4"}), "n1, n2, n3, n4");
  EXPECT_EQ(all_hosts({"n5", "n4", "n3", "n2", "n1"}), "n5, n4, n3, n2, n1");
  EXPECT_EQ(all_hosts({"n09", "n10", "n11", "n012", "n13"}), "n09, n10, n11, n012, n13");
  EXPECT_EQ(all_hosts({"10.0.0.1", "10.0.0.2"}), "10.0.0.1, 10.0.0.2");
  EXPECT_EQ(all_hosts({"", ""}), ", ");
}

TEST(ListedHosts, AreTheFirstNamesAndRanges) {
  EXPECT_EQ(listed_hosts({"a", "b", "c", "d"}), "a, b, c, d");
  EXPECT_EQ(listed_hosts({"a", "b", "c", "d", "e", "f"}), "a, b, c, d and 2 more");
  std::vector<std::string> hosts = numbered("box-", 0, 39, 1);
  EXPECT_EQ(listed_hosts(hosts), "box-0 .. box-39");
  hosts.insert(hosts.end(), {"a", "b", "c", "d", "e"});
  EXPECT_EQ(listed_hosts(hosts), "box-0 .. box-39, a, b, c and 2 more");
}

}  // namespace
}  // namespace ringcast
