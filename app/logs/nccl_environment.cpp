#include "app/logs/nccl_environment.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringcast {

void note_environment(const LogFile& log, Remarks& remarks) {
  static constexpr std::array<std::string_view, 4> phrase{"set", "by", "environment", "to"};
  std::vector<std::string> names;
  std::vector<std::string> found;
  int first_line = 0;
  for (const LogLine& line : log.lines) {
    const std::vector<std::string_view> words = words_of(line.text);
    const auto place = std::search(words.begin(), words.end(), phrase.begin(), phrase.end());
    if (place == words.begin() || words.end() - place <= std::ssize(phrase)) continue;
    const std::string name{*(place - 1)};
    if (!name.starts_with("NCCL_") || name.starts_with("NCCL_DEBUG")) continue;
    if (std::ranges::find(names, name) != names.end()) continue;
    std::string_view value = place[std::ssize(phrase)];
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
