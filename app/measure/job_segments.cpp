#include "app/measure/job_segments.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <system_error>

namespace ringcast {
namespace {

namespace fs = std::filesystem;

/// The parent of a process, as /proc/N/stat has it: `pid (any name) state parent ...`.
pid_t parent_of(const fs::path& process) {
  std::ifstream file{process / "stat"};
  std::string text;
  std::getline(file, text);
  const std::size_t after_name = text.rfind(") ");
  return after_name == text.npos ? 0 : std::atoi(text.c_str() + after_name + 3);
}

/// Parent and child.
std::multimap<pid_t, pid_t> families() {
  std::multimap<pid_t, pid_t> all;
  std::error_code none;
  for (fs::directory_iterator entry{"/proc", none}, end; entry != end; entry.increment(none)) {
    if (const int process = std::atoi(entry->path().filename().c_str()); process > 0) {
      all.emplace(parent_of(entry->path()), process);
    }
  }
  return all;
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t ancestor) {
  const std::multimap<pid_t, pid_t> all = families();
  std::vector<pid_t> found{ancestor};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = all.equal_range(found[i]);
    std::transform(first, last, std::back_inserter(found),
                   [](const auto& pair) { return pair.second; });
  }
  found.erase(found.begin());
  return found;
}

std::vector<fs::path> segments_of(const std::vector<pid_t>& processes) {
  const std::string folder = "/dev/shm/";
  std::set<fs::path> segments;
  for (const pid_t process : processes) {
    std::ifstream maps{"/proc/" + std::to_string(process) + "/maps"};
    for (std::string line; std::getline(maps, line);) {
      const std::size_t begin = line.find(folder);
      if (begin != line.npos && !line.ends_with(" (deleted)")) {
        segments.insert(line.substr(begin));
      }
    }
  }
  return {segments.begin(), segments.end()};
}

}  // namespace ringcast
