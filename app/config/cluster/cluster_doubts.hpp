#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

/// Beginnings of the comments in a cluster file that say what the tool could not know.
constexpr std::string_view assumed_mark = "assumed: ";
constexpr std::string_view note_mark = "note: ";

/// Messages about that text: "FILE:LINE: KEY: VALUE is assumed: ..." for each assumption, and each
/// note.
[[nodiscard]] std::vector<std::string> doubts_of(const std::string& cluster_text,
                                                 const std::string& file);

}  // namespace ringcast
