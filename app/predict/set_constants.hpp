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

/// The input parameters whose name and value only one set has, and no link class: they do not apply
/// to other machines. In the order of the sets.
[[nodiscard]] std::vector<SetConstant> constants_of_one_set(const std::vector<PublishedSet>& sets);

/// The number of constants that were fitted on rows of the sets (fit_on); those of one name and
/// file count once.
[[nodiscard]] std::size_t fitted_constant_count(const std::vector<PublishedSet>& sets);

/// For people: both numbers, and the constants of one set with the reasons that their files give.
[[nodiscard]] std::string constants_table(const std::vector<PublishedSet>& sets);

}  // namespace ringcast
