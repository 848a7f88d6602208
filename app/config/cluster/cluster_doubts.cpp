#include "app/config/cluster/cluster_doubts.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace ringcast {

std::vector<std::string> messages_of(const std::string& cluster_text, const std::string& file) {
  std::vector<std::string> messages;
  std::istringstream lines{cluster_text};
  std::string line;
  std::string assumption;  // about the next line
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    const std::string remark = text.starts_with("# ") ? text.substr(2) : "";
    if (!assumption.empty()) {
      messages.push_back(fmt::format("{}:{}: {} is assumed: {}", file, number, text, assumption));
    } else if (remark.starts_with(note_mark)) {
      messages.push_back(fmt::format("{}:{}: {}", file, number, remark));
    }
    assumption = remark.starts_with(assumed_mark) ? remark.substr(assumed_mark.size()) : "";
  }
  return messages;
}

}  // namespace ringcast
