#include "app/measure/hostfile.hpp"

#include <sstream>

#include <fmt/format.h>

#include "app/common/file_input.hpp"
#include "app/common/file_output.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

std::vector<std::string> hosts_of(const std::filesystem::path& file) {
  constexpr const char* expected = "a host a line, such as node1 slots=4";
  note_input(file);
  std::string text;
  try {
    text = read_file(file, largest_yaml, expected);
  } catch (const ScenarioError& error) {
    throw ScenarioError{fmt::format("--hostfile: {}", error.what())};
  }
  std::vector<std::string> hosts;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line.substr(0, line.find('#'))};
    if (std::string host; words >> host) {
      hosts.push_back(host);
    }
  }
  if (hosts.empty()) {
    throw ScenarioError{
        fmt::format("--hostfile: {}: names no host (expected {})", file.string(), expected)};
  }
  return hosts;
}

}  // namespace ringcast
