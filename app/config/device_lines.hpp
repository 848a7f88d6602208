#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "topology/import/hardware_links.hpp"

namespace ringcast {

/// Stands for the model of a card that no one saw, but that a network needs.
inline constexpr const char* no_card_found = "no network card was found";

/// The cables of a cluster file by name.
class LinkNames {
 public:
  /// What to write after `link:`: a class of the table as it is; what is no class, or is a guess,
  /// becomes an entry of `links`, called `wanted` or, where that is another, `wanted-2`.
  std::string name_of(const LinkChoice& choice, const std::string& wanted);
  /// The lines of `links` with an empty one after them; none without entries.
  [[nodiscard]] std::vector<std::string> section() const;

 private:
  std::vector<std::pair<std::string, LinkChoice>> entries_;
};

/// Calls `visit(first, count)` for each run of parts that are alike.
template <typename Part, typename Visit>
void for_each_run(const std::vector<Part>& parts, const Visit& visit) {
  for (auto first = parts.begin(); first != parts.end();) {
    const auto last = std::find_if(first, parts.end(),
                                   [first](const Part& part) { return !alike(part, *first); });
    visit(*first, static_cast<std::size_t>(last - first));
    first = last;
  }
}

/// ", count: 4" within a map; nothing for one.
[[nodiscard]] std::string count_key(std::size_t count);

/// Adds the entries of a `devices` list, indented by `indent` blanks.
void add_device_lines(const std::vector<HardwareDevice>& devices, std::size_t indent,
                      LinkNames& links, std::vector<std::string>& lines);

}  // namespace ringcast
