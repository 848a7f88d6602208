#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ring_collectives.hpp"

namespace ringcast {

/// The names of all all-reduce algorithms, in the order of help texts.
[[nodiscard]] const std::vector<std::string>& allreduce_names();
/// To add an algorithm: implement Collective in a file of its own, and add a line to the table in
/// allreduce_algorithms.cpp. Throws ContractViolation for a name that is not in the table.
[[nodiscard]] std::unique_ptr<Collective> make_allreduce(std::string_view name,
                                                         RingOptions options);

}  // namespace ringcast
