#include "app/measure/hostfile.hpp"

#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "app/common/file_input.hpp"
#include "app/common/file_output.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr const char* expected_hosts = "a host a line, such as node1 slots=4";

struct HostLine {
  int number = 1;
  std::vector<std::string> words;  // the host's name first
  bool has_carriage_return = false;
};

/// The lines that name a host.
std::vector<HostLine> lines_of_hosts(const std::filesystem::path& file) {
  note_input(file);
  std::string text;
  try {
    text = read_file(file, largest_yaml, expected_hosts);
  } catch (const ScenarioError& error) {
    throw ScenarioError{fmt::format("--hostfile: {}", error.what())};
  }
  std::vector<HostLine> hosts;
  std::istringstream lines{text};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    HostLine host{.number = ++number, .words = {}, .has_carriage_return = line.ends_with('\r')};
    std::istringstream words{line.substr(0, line.find('#'))};
    for (std::string word; words >> word;) {
      host.words.push_back(word);
    }
    if (!host.words.empty()) {
      hosts.push_back(host);
    }
  }
  if (hosts.empty()) {
    throw ScenarioError{
        fmt::format("--hostfile: {}: names no host (expected {})", file.string(), expected_hosts)};
  }
  return hosts;
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

}  // namespace

std::vector<std::string> hosts_of(const std::filesystem::path& file) {
  std::vector<std::string> hosts;
  for (const HostLine& line : lines_of_hosts(file)) {
    hosts.push_back(line.words.front());
  }
  return hosts;
}

void check_open_mpi_hostfile(const std::filesystem::path& file) {
  for (const HostLine& line : lines_of_hosts(file)) {
    if (line.has_carriage_return) {
      refuse_line(file, line.number, "a carriage return at the end of the line",
                  "line feeds alone, as dos2unix leaves them");
    }
    const std::string& host = line.words.front();
    const std::size_t colon = host.find(':');  // an IPv6 address has several
    if (colon != host.npos && is_number(host.substr(colon + 1))) {
      refuse_line(file, line.number, host,
                  fmt::format("{} slots={}", host.substr(0, colon), host.substr(colon + 1)));
    }
    for (const std::string& word : line.words) {
      check_slots(file, line.number, word);
    }
  }
}

}  // namespace ringcast
