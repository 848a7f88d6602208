#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ringcast {

/// `, did you mean "1.5 MiB"?` for a number with a decimal comma, with separators between groups of
/// three digits (`1_000`, `1,000`), or with spaces that do not break or stand at its ends. Nothing
/// unless `is_right` takes the number without them; both readings of `1,500` if it takes both.
[[nodiscard]] std::string plain_spelling(std::string_view text,
                                         const std::function<bool(std::string_view)>& is_right);

}  // namespace ringcast
