#pragma once

#include <string_view>

namespace ringcast {

/// Opens each closed standard descriptor on /dev/null, in the direction that makes its use fail.
/// Otherwise an output file could get the number of standard output. Call first in main().
void occupy_standard_descriptors();

/// Writes results to standard output, with control characters as \xNN, and flushes it. Throws
/// ScenarioError "standard output: cannot be written: REASON (expected a place with room)".
void print_output(std::string_view text);

/// Flushes standard output; throws as print_output() if any write has failed.
void finish_output();

/// Writes a message to standard error, as print_output does. A message that cannot be written is
/// lost; the program continues.
void print_message(std::string_view text) noexcept;

}  // namespace ringcast
