#pragma once

#include <string_view>

namespace ringcast::detail {

/// The link class of the ports of an adapter that is made for one fabric, by its PCI codes; empty
/// for others.
[[nodiscard]] std::string_view adapter_class(unsigned vendor, unsigned device);

}  // namespace ringcast::detail
