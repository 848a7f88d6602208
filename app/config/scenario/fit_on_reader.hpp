#pragma once

#include "app/config/scenario/published_set.hpp"

namespace ringcast {

/// Reads `fit_on` of a published set: the fitted parameters, and the rows that they were fitted on.
void read_fit_on(const InputNode& node, PublishedSet& set);

}  // namespace ringcast
