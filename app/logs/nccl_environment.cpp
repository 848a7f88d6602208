#include "app/logs/nccl_environment.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringcast {

void note_environment(const LogFile& log, Remarks& remarks) {
  static constexpr std::string_view phrase = " set by environment to ";
  std::vector<std::string> names;
  std::vector<std::string> found;
  int first_line = 0;
  for (const LogLine& line : log.lines) {
    const std::string_view text = line.text;
    const std::size_t place = text.find(phrase);
    if (place == std::string_view::npos) continue;
    const auto before = words_of(text.substr(0, place));
    const auto after = words_of(text.substr(place + phrase.size()));
    if (before.empty() || after.empty()) continue;
    const std::string name{before.back()};
    if (!name.starts_with("NCCL_") || name.starts_with("NCCL_DEBUG")) continue;
    if (std::ranges::find(names, name) != names.end()) continue;
    std::string_view value = after.front();
    if (value.ends_with('.')) value.remove_suffix(1);
    if (names.empty()) first_line = line.number;
    names.push_back(name);
    found.push_back(fmt::format("{}={}", name, value));
  }
  if (found.empty()) return;
  remarks.add("environment",
              fmt::format("{}:{}: NCCL ran with variables; predict with --nccl-env \"{}\"",
                          log.name, first_line, fmt::join(found, " ")));
}

}  // namespace ringcast
