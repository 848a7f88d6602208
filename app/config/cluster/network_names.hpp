#pragma once

#include <optional>
#include <string_view>

#include "app/config/cluster/link_names.hpp"
#include "app/config/yaml/spelling.hpp"

namespace ringcast::detail {

/// The classes of the network of this name: `NDR400`, `RoCE v2 200G`, `Slingshot 11`; nothing for
/// other names. `text`: the name as the user wrote it; `name` may lack the part that names a NIC.
[[nodiscard]] std::optional<LinkNames> network_named(const Spelling& name, std::string_view text);
/// The same for a rate alone, `200Gb`.
[[nodiscard]] std::optional<LinkNames> rate_named(Spelling name, std::string_view text);
/// Removes a number of links or NICs from a name, and returns it: 2 of `2x HDR` and `dual HDR`;
/// nothing if it has none.
[[nodiscard]] std::optional<int> take_count(Spelling& name);

}  // namespace ringcast::detail
