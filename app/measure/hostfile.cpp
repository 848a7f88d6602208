#include "app/measure/hostfile.hpp"

#include <iterator>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "app/common/file_input.hpp"
#include "app/common/file_output.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr const char* expected_hosts = "a host a line, such as node1 slots=4";

std::string read_hostfile(const std::filesystem::path& file) {
  note_input(file);
  try {
    return read_file(file, largest_yaml, expected_hosts);
  } catch (const ScenarioError& error) {
    throw ScenarioError{fmt::format("--hostfile: {}", error.what())};
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

[[noreturn]] void refuse_line(const std::filesystem::path& file, int line,
                              const std::string& problem, const std::string& expected) {
  throw ScenarioError{
      fmt::format("--hostfile: {}:{}: {} (expected {})", file.string(), line, problem, expected)};
}

/// Refuses `slots=0` and `slots=two`.
void check_slots(const std::filesystem::path& file, int line, const std::string& word) {
  for (const std::string_view name : {"slots=", "cpus=", "count="}) {
    if (!word.starts_with(name) || word == name) continue;
    const std::string value = word.substr(name.size());
    if (!is_number(value) || value.find_first_not_of('0') == value.npos) {
      refuse_line(file, line, word, fmt::format("a whole number of 1 or more, such as {}4", name));
    }
  }
}

/// `words`: those of a line that names a host.
void expect_open_mpis(const std::filesystem::path& file, int number, const std::string& line,
                      const std::vector<std::string>& words) {
  if (line.ends_with('\r')) {
    refuse_line(file, number, "a carriage return at the end of the line",
                "line feeds alone, as dos2unix leaves them");
  }
  const std::string& host = words.front();
  const std::size_t colon = host.find(':');  // an IPv6 address has several
  if (colon != host.npos && is_number(host.substr(colon + 1))) {
    refuse_line(file, number, host,
                fmt::format("{} slots={}", host.substr(0, colon), host.substr(colon + 1)));
  }
  for (const std::string& word : words) {
    check_slots(file, number, word);
  }
}

}  // namespace

std::vector<std::string> hosts_of(const std::filesystem::path& file, HostfileSyntax syntax) {
  std::vector<std::string> hosts;
  std::istringstream lines{read_hostfile(file)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream before_comment{line.substr(0, line.find('#'))};
    const std::vector<std::string> words{std::istream_iterator<std::string>{before_comment}, {}};
    if (words.empty()) continue;
    if (syntax == HostfileSyntax::open_mpi) expect_open_mpis(file, number, line, words);
    hosts.push_back(words.front());
  }
  if (hosts.empty()) {
    throw ScenarioError{
        fmt::format("--hostfile: {}: names no host (expected {})", file.string(), expected_hosts)};
  }
  return hosts;
}

}  // namespace ringcast
