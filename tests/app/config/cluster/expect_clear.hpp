#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "app/config/cluster/link_names.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

/// Names, and the one class that each means.
inline void expect_clear(
    std::initializer_list<std::pair<std::string_view, std::string_view>> names) {
  for (const auto& [text, link_class] : names) {
    const LinkNames found = link_names(text);
    ASSERT_TRUE(found.is_clear()) << text << ": " << found.classes.size() << " classes, "
                                  << found.what;
    EXPECT_EQ(found.classes.front(), link_class) << text;
    EXPECT_NE(find_link_class(link_class), nullptr) << link_class;
  }
}

}  // namespace ringcast
