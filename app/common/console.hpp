#pragma once

#include <string_view>

namespace ringcast {

/// Opens those of the three standard descriptors that the caller closed, such that using them
/// fails: otherwise a result file could take the number of standard output. Call first.
void occupy_standard_descriptors();

/// Writes results to standard output, all of them, with control characters in names as \xNN. Throws
/// ScenarioError "standard output: cannot be written: REASON (expected a place with room)".
void print_output(std::string_view text);

/// Throws what print_output would throw if others wrote to standard output and failed.
void finish_output();

/// Writes a message to standard error, as print_output does. A message that cannot be written is
/// lost; the program continues.
void print_message(std::string_view text) noexcept;

}  // namespace ringcast
