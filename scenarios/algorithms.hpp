#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/collective.hpp"
#include "engine/ring_collectives.hpp"

namespace ringcast {

/// An all-reduce algorithm that scenarios can name. The reader accepts what this table lists, and
/// the runner makes it.
struct Algorithm {
  std::string_view name;
  std::unique_ptr<Collective> (*make)(RingOptions options);
};

[[nodiscard]] const std::vector<Algorithm>& algorithms();

}  // namespace ringcast
