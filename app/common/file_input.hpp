#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ringcast {

// Limits on the size of an input; a larger file is of another kind.
inline constexpr std::size_t largest_yaml = 16U << 20U;
// A job's log with NCCL_DEBUG=INFO on a thousand ranks has some ten megabytes.
inline constexpr std::size_t largest_log = 64U << 20U;

/// Reads a file whole. Throws ScenarioError:
/// - `FILE: cannot be read: REASON (expected EXPECTED)`
/// - `FILE: larger than N MiB (expected EXPECTED)`; no more than `most` bytes are read.
/// The text of a pipe is stored: reading it again returns the same.
[[nodiscard]] std::string read_file(const std::filesystem::path& file, std::size_t most,
                                    std::string_view expected);

/// Why the file cannot be read, e.g. `cannot be read: No such file or directory`.
[[nodiscard]] std::optional<std::string> unreadable(const std::filesystem::path& file);

}  // namespace ringcast
