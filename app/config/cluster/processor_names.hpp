#pragma once

#include <optional>

#include "app/config/cluster/class_lists.hpp"
#include "app/config/yaml/spelling.hpp"

namespace ringcast::detail {

/// The classes of the link between sockets with these processors: `EPYC 9654`, `Sapphire Rapids`.
/// For single-socket processors, `Ryzen 9 7950X`: a class of the vendor. Nothing for other names.
[[nodiscard]] std::optional<Classes> processor_named(const Spelling& name);

/// Whether these are EPYC of the second or third generation: `EPYC 7543`, `Milan`.
[[nodiscard]] bool is_rome_or_milan(const Spelling& name);

}  // namespace ringcast::detail
