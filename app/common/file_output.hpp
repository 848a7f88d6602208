#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace ringcast {

// All files of all commands are written here: whole or not at all, however the process ends. A new
// file has no name until it is complete and on the disk; then it replaces the old one. Links are
// followed: the target is written. What is no regular file (a terminal, a pipe) is written to
// directly. A folder is made where it alone is missing, not those above it. Errors are
// ScenarioErrors: "PATH: cannot be written: REASON (expected a folder that exists and can be
// written)", or what else would help, of an input "PATH: is read by this command (expected another
// file)".

void write_file(const std::filesystem::path& path, std::string_view contents);

/// Throws what write_file would throw, before the work begins; leaves nothing behind.
void check_writable(const std::filesystem::path& path);

/// Makes the folder of `file` where it alone is missing; whoever writes the file reports failures.
void make_folder_of(const std::filesystem::path& file);

/// From now on, no output replaces the file that `path` leads to.
void note_input(const std::filesystem::path& path);
/// The inputs so far; nothing if one is not a regular file and so cannot be read again.
[[nodiscard]] std::optional<std::vector<std::filesystem::path>> noted_inputs();

/// Follows the links of `path`, which need not exist yet; refuses what cannot be a file.
[[nodiscard]] std::filesystem::path target_of(const std::filesystem::path& path);
/// Whether `path` is a device, a pipe or a terminal.
[[nodiscard]] bool is_special(const std::filesystem::path& path);
/// Whether two outputs are one file, which need not exist yet.
[[nodiscard]] bool is_same_file(const std::filesystem::path& one,
                                const std::filesystem::path& other);

/// The suffix of the name that `option` gave, one of `formats`. Throws ScenarioError
/// `--output: a.gif ends in ".gif" (expected .png or .svg)`.
std::string format_of_name(std::string_view option, const std::filesystem::path& path,
                           const std::vector<std::string_view>& formats);
/// Throws ScenarioError unless the name ends in .yaml or .yml.
void expect_yaml_name(std::string_view option, const std::filesystem::path& path);

}  // namespace ringcast
