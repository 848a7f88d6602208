#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/scenario/scenario.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// The output of `git describe` when the program was built.
[[nodiscard]] std::string program_version();
/// The SHA-256 of a file's bytes, in hex. Throws ScenarioError if it cannot be read.
[[nodiscard]] std::string sha256_of(const std::filesystem::path& file);
[[nodiscard]] std::string sha256_of_bytes(std::string_view bytes);
/// The SHA-256 of the files' concatenated bytes.
[[nodiscard]] std::string sha256_of(const std::vector<std::filesystem::path>& files);
/// The SHA-256 of a regular file; nothing if there is none.
[[nodiscard]] std::optional<std::string> digest_if_there(const std::filesystem::path& file);
/// Identifies this build: its version, and the size and time of its file, as builds of modified
/// trees share a version.
[[nodiscard]] std::string program_identity();
/// A digest of the program, the contents of noted_inputs(), and `settings`. Nothing if an input
/// cannot be read again.
[[nodiscard]] std::optional<std::string> plan_digest(std::string_view settings);
/// `2026-01-31T12:00:00Z`
[[nodiscard]] std::string time_now();
[[nodiscard]] std::string this_host_name();
/// `predicted`, `measured with cuda on 8 x NVIDIA H200`
[[nodiscard]] std::string how(const Provenance& from);
/// The provenance of a run that starts now on this host.
[[nodiscard]] Provenance provenance_of(const Scenario& scenario, std::string backend,
                                       bool simulated);

}  // namespace ringcast
