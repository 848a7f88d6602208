#pragma once

#include <string>
#include <vector>

namespace pugi {
class xml_node;  // NOLINT(readability-identifier-naming): pugixml's own name
}

namespace ringcast::detail {

/// Where no device below `system` is known as a GPU, gives classes to devices without one, and
/// returns a line about each. NCCL itself asks the running system for the classes.
[[nodiscard]] std::vector<std::string> assume_classes(pugi::xml_node& system);

}  // namespace ringcast::detail
