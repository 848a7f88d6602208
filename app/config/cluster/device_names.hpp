#pragma once

#include <optional>

#include "app/config/cluster/link_names.hpp"
#include "app/config/yaml/spelling.hpp"

namespace ringcast::detail {

/// The classes of the links that a GPU of this name has; nothing for other names. `text`: the name
/// as it was written.
[[nodiscard]] std::optional<LinkNames> gpu_named(const Spelling& name, std::string_view text);
/// The classes of the networks that a card of this name may be connected to.
[[nodiscard]] std::optional<LinkNames> card_named(const Spelling& name);
/// The classes of PCIe that a cable outside of a host carries.
[[nodiscard]] std::optional<LinkNames> tunnel_named(const Spelling& name);

}  // namespace ringcast::detail
