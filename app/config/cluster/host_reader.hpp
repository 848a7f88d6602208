#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// The names of a list as Slurm writes it: expand_host_list() of a text, whose mistakes are
/// reported at `item`.
[[nodiscard]] std::vector<std::string> read_host_list(const InputNode& item,
                                                      std::string_view expected);

}  // namespace ringcast
