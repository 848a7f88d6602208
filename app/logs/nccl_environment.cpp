#include "app/logs/nccl_environment.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringcast {
namespace {

struct Setting {
  std::string_view name;
  std::string_view value;
};

/// A variable of NCCL that a line names, other than those of NCCL_DEBUG.
std::optional<Setting> setting_in(std::string_view line) {
  static constexpr std::string_view phrase = " set by environment to ";
  const std::size_t place = line.find(phrase);
  if (place == std::string_view::npos) return std::nullopt;
  const auto before = words_of(line.substr(0, place));
  const auto after = words_of(line.substr(place + phrase.size()));
  if (before.empty() || after.empty()) return std::nullopt;
  Setting found{before.back(), after.front()};
  if (!found.name.starts_with("NCCL_") || found.name.starts_with("NCCL_DEBUG")) return std::nullopt;
  if (found.value.ends_with('.')) found.value.remove_suffix(1);
  return found;
}

}  // namespace

void note_environment(const LogFile& log, Remarks& remarks) {
  std::set<std::string_view> names;
  std::vector<std::string> found;
  int first_line = 0;
  for (const LogLine& line : log.lines) {
    const auto setting = setting_in(line.text);
    if (!setting || !names.insert(setting->name).second) continue;
    if (found.empty()) first_line = line.number;
    found.push_back(fmt::format("{}={}", setting->name, setting->value));
  }
  if (found.empty()) return;
  remarks.add("environment",
              fmt::format("{}:{}: NCCL ran with variables; predict with --nccl-env \"{}\"",
                          log.name, first_line, fmt::join(found, " ")));
}

}  // namespace ringcast
