#pragma once

#include <string>
#include <string_view>

#include "app/config/scenario/published_set.hpp"
#include "app/config/scenario/scenario.hpp"

namespace ringcast {

/// The name of a set in measured_constants(): that of its file without the suffix.
[[nodiscard]] std::string sample_name(const PublishedSet& set);

/// The scenario without the samples of the set of this name: each of measured_constants() that the
/// set contributes to is computed from the other samples.
[[nodiscard]] Scenario without_samples_of(std::string_view set, Scenario scenario);

/// One line: the number of constants, and those that come from a single set. Ends with a newline.
[[nodiscard]] std::string constants_text();

}  // namespace ringcast
