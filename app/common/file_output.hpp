#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace ringcast {

// Output files of all commands. They are replaced atomically, however the process ends: a new file
// has no name until it is complete and synced to the disk. Symbolic links are followed. Special
// files (terminals, pipes) are written to directly. A missing folder is created, but not its
// parents. Errors are ScenarioErrors: "PATH: cannot be written: REASON (expected ...)", and for an
// input "PATH: is read by this command (expected another file)".

void write_file(const std::filesystem::path& path, std::string_view contents);

/// Throws what write_file would throw, before the work begins; creates no file.
void check_writable(const std::filesystem::path& path);

/// Creates the folder of `file` unless its parent is missing, too. write_file() reports failures.
void make_folder_of(const std::filesystem::path& file);

/// Registers an input: from now on, outputs to the same file are refused.
void note_input(const std::filesystem::path& path);
/// The inputs so far; nothing if one is a special file, which cannot be read again.
[[nodiscard]] std::optional<std::vector<std::filesystem::path>> noted_inputs();

/// The file that `path`, which need not exist, refers to through symbolic links. Throws for a path
/// that write_file() cannot write.
[[nodiscard]] std::filesystem::path target_of(const std::filesystem::path& path);
/// Whether `path` is a device, a pipe or a terminal.
[[nodiscard]] bool is_special(const std::filesystem::path& path);
/// Whether two outputs are the same file, which need not exist yet.
[[nodiscard]] bool is_same_file(const std::filesystem::path& one,
                                const std::filesystem::path& other);

/// The suffix of the name that `option` gave, one of `formats`. Throws ScenarioError
/// `--output: a.gif ends in ".gif" (expected .png or .svg)`.
std::string format_of_name(std::string_view option, const std::filesystem::path& path,
                           const std::vector<std::string_view>& formats);
/// Throws ScenarioError unless the name ends in .yaml or .yml.
void expect_yaml_name(std::string_view option, const std::filesystem::path& path);

}  // namespace ringcast
