#include "topology/import/host_list.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringcast {
namespace {

using testing::ElementsAre;

TEST(HostList, IsExpanded) {
  EXPECT_THAT(expand_host_list("a[1-3,07],b"), ElementsAre("a1", "a2", "a3", "a07", "b"));
  EXPECT_THAT(expand_host_list("n[08-10]x"), ElementsAre("n08x", "n09x", "n10x"));
  EXPECT_THAT(expand_host_list("r[1-2]n[0-1]"), ElementsAre("r1n0", "r1n1", "r2n0", "r2n1"));
  for (const char* const wrong : {"a[1-2", "a]", "a[[1]]", "a[x]", "a[3-1]", "a[0-4000000000]"}) {
    EXPECT_THROW(static_cast<void>(expand_host_list(wrong)), std::invalid_argument) << wrong;
  }
}

TEST(HostList, OfNamesHasTheirRuns) {
  const std::pair<std::vector<std::string>, const char*> lists[] = {
      {{"a1", "a2", "a3", "a07", "b"}, "a[1-3],a07,b"},
      {{"n08x", "n09x", "n10x"}, "n[08-10]x"},
      {{"n9", "n10", "n11", "n9x"}, "n[9-11],n9x"},
      {{"n99", "n100", "n102"}, "n[99-100],n102"},
      {{"n1.site7.org", "n2.site7.org"}, "n[1-2].site7.org"},
      {{"b2", "b1", "login"}, "b2,b1,login"},
      {{"n4294967296", "n4294967297"}, "n[4294967296-4294967297]"},
      {{}, ""},
  };
  for (const auto& [names, list] : lists) {
    EXPECT_EQ(to_host_list(names), list);
    EXPECT_EQ(expand_host_list(list), names);
  }
}

TEST(HostList, HasNamesWithLetters) {
  for (const char* const name : {"gpu01", "n1.site.org", "a-b_c", "4x"})
    EXPECT_TRUE(is_host_name(name)) << name;
  for (const char* const name : {"", "17", "4-7", ".a", "a.", "-a", "a b", "n[1]"})
    EXPECT_FALSE(is_host_name(name)) << name;
  EXPECT_TRUE(are_host_names({"b", "a"}));
  EXPECT_FALSE(are_host_names({"b", "a", "b"}));
}

}  // namespace
}  // namespace ringcast
