#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// Sets what NCCL's variables say about a transport of NCCL or RCCL.
///
/// `text`: NAME=VALUE between blanks or line ends, as `env` prints them; `export`, and `-x` and
/// `--env` of launchers, may stand before each. NAME alone, a value that NCCL does not know, and a
/// transport of another library are a ScenarioError "OPTION: NAME: problem (expected ...)", and so
/// are variables that take another transport (NCCL_IB_DISABLE=1).
///
/// Returns a line about each variable that another option or the cluster file replaces, and one
/// with the names of all others that the model does not have.
[[nodiscard]] std::vector<std::string> set_nccl_variables(TransportProfile& profile,
                                                          const std::string& option,
                                                          std::string_view text);

}  // namespace ringcast
