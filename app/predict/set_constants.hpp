#pragma once

#include <string>
#include <vector>

#include "app/config/scenario/input_numbers.hpp"
#include "app/config/scenario/published_set.hpp"

namespace ringcast {

/// A constant that the sets do not share.
struct SetConstant {
  std::string set;
  InputNumber number;
  bool fitted = false;  // on rows of the set (fit_on)
};

/// The input parameters that one set alone has, by name and value, and that no link class has:
/// those that say nothing about other machines. Sets in their order.
[[nodiscard]] std::vector<SetConstant> constants_of_one_set(const std::vector<PublishedSet>& sets);

/// The number of constants that were fitted on rows of the sets (fit_on), of one name and file
/// once.
[[nodiscard]] std::size_t fitted_constant_count(const std::vector<PublishedSet>& sets);

/// For people: both numbers, and the constants of one set with the reasons that their files give.
[[nodiscard]] std::string constants_table(const std::vector<PublishedSet>& sets);

}  // namespace ringcast
