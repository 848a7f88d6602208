#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringcast::detail {

using Classes = std::vector<std::string>;

/// The link classes whose names begin with `prefix`, in the order of the table.
[[nodiscard]] Classes classes_like(std::string_view prefix);
/// The names that are link classes.
[[nodiscard]] Classes known_classes(Classes names);

}  // namespace ringcast::detail
