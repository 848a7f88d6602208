#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

/// Prefixes of the comments in an imported cluster file.
constexpr std::string_view assumed_mark = "assumed: ";
constexpr std::string_view note_mark = "note: ";

/// The assumptions and notes in the text of a cluster file, as messages: "FILE:LINE: KEY: VALUE is
/// assumed: ..." and "FILE:LINE: note: ...".
[[nodiscard]] std::vector<std::string> messages_of(const std::string& cluster_text,
                                                   const std::string& file);

}  // namespace ringcast
