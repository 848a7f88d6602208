#pragma once

#include <string_view>

namespace ringcast {

/// Opens what the caller closed of the three standard descriptors, such that using it fails: a
/// result file must not become standard output by taking its number. Call first.
void occupy_standard_descriptors();

/// Writes results to standard output, all of them, with control characters in names as \xNN. Throws
/// ScenarioError "standard output: cannot be written: REASON (expected a place with room)".
void print_output(std::string_view text);

/// Throws what print_output would throw if others wrote to standard output and failed.
void finish_output();

/// Writes a message to standard error, as print_output does. Where nobody can read it, it is lost:
/// no reason to stop.
void print_message(std::string_view text) noexcept;

}  // namespace ringcast
