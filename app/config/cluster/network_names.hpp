#pragma once

#include <optional>
#include <string_view>

#include "app/config/cluster/link_names.hpp"
#include "app/config/yaml/spelling.hpp"

namespace ringcast::detail {

/// The classes that a network of this name has: `NDR400`, `RoCE v2 200G`, `Slingshot 11`; nothing
/// for other names. `text`: the name as it was written, which `name` may have lost a card of.
[[nodiscard]] std::optional<LinkNames> network_named(const Spelling& name, std::string_view text);
/// The same for a rate alone, `200Gb`.
[[nodiscard]] std::optional<LinkNames> rate_named(Spelling name, std::string_view text);
/// How many links or cards a name may speak of, the 2 of `2x HDR` and `dual HDR`, which it loses;
/// nothing: one.
[[nodiscard]] std::optional<int> take_count(Spelling& name);

}  // namespace ringcast::detail
