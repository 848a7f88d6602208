#pragma once

#include "app/config/scenario/published_set.hpp"

namespace ringcast {

/// Reads the fit_on of a published set: the fitted parameters, and which of its rows they were
/// fitted on.
void read_fit_on(const InputNode& node, PublishedSet& set);

}  // namespace ringcast
