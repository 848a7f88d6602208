#pragma once

#include <filesystem>
#include <string_view>

namespace ringcast {

/// Writes a file whole or not at all: beside `path` first, then renamed onto it. What is no regular
/// file (a terminal, a pipe) is written to directly. Throws ScenarioError
/// "PATH: cannot be written: REASON (expected a folder that exists and can be written)", or for a
/// folder "(expected the name of a file)".
void write_file(const std::filesystem::path& path, std::string_view contents);

/// Throws what write_file would throw, before hours of work are lost; leaves nothing behind.
void check_writable(const std::filesystem::path& path);

/// Whether two names are of one file, which need not exist yet.
[[nodiscard]] bool is_same_file(const std::filesystem::path& one,
                                const std::filesystem::path& other);

/// Throws ScenarioError unless the name that `option` gave ends in .yaml or .yml.
void expect_yaml_name(std::string_view option, const std::filesystem::path& path);

}  // namespace ringcast
