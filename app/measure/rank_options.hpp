#pragma once

#include <string>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// The options of `ringcast measure` for the kind of ranks and their message paths.
struct RankOptions {
  bool no_shared_memory = false;
  std::string backend = "auto";
  std::string path = "auto";
  std::string reduce_on = "device";
  Seconds timeout{60};
};

}  // namespace ringcast
