#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

/// The names of a list as Slurm writes it, "a[1-3,07],b": a1 a2 a3 a07 b. A range keeps the width
/// of its first number. Throws std::invalid_argument for invalid brackets or ranges, and for more
/// than 100,000 names.
[[nodiscard]] std::vector<std::string> expand_host_list(std::string_view list);

/// Such a list of the names, which have neither brackets nor commas, in their order, with runs of
/// consecutive numbers as ranges: "a[1-3],a07,b".
[[nodiscard]] std::string to_host_list(const std::vector<std::string>& hosts);

/// Whether it has letters, digits, `-`, `_` and `.` only, as names of hosts do, and among them a
/// letter: numbers stand for themselves.
[[nodiscard]] bool is_host_name(std::string_view name);
/// Whether all are such names and differ.
[[nodiscard]] bool are_host_names(std::vector<std::string> names);

/// The name with the next number: gpu09 becomes gpu10. Empty if it has none before its domain.
[[nodiscard]] std::string next_host(const std::string& host);

}  // namespace ringcast
