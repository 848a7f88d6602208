#include "engine/numbers/available_memory.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace ringcast {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t available_on_host(const fs::path& root) {
  std::ifstream file{root / "proc/meminfo"};
  for (std::string line; std::getline(file, line);) {
    std::uint64_t kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %" SCNu64 " kB", &kibibytes) == 1) {
      return kibibytes << 10U;
    }
  }
  return unlimited;
}

/// Absent for a missing file and for `max`.
std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::uint64_t number = 0;
  return std::ifstream{path} >> number ? std::optional{number} : std::nullopt;
}

/// The cached files that a group gives back before it reaches its limit. Version 1 counts those of
/// its descendants separately, in a later line.
std::uint64_t reclaimable_in(const fs::path& group) {
  std::ifstream file{group / "memory.stat"};
  std::uint64_t found = 0;
  std::uint64_t bytes = 0;
  for (std::string name; file >> name >> bytes;) {
    if (name == "inactive_file" || name == "total_inactive_file") found = bytes;
  }
  return found;
}

/// The least that a control group and those above it, up to the mount point, still allow.
std::uint64_t available_in(const fs::path& mount, const std::string& group, const char* limit_file,
                           const char* usage_file) {
  std::uint64_t least = unlimited;
  for (fs::path path = fs::path{group}.relative_path();; path = path.parent_path()) {
    const fs::path folder = mount / path;
    const auto limit = number_in(folder / limit_file);
    const auto usage = number_in(folder / usage_file);
    if (limit && usage) {
      const std::uint64_t used = *usage - std::min(*usage, reclaimable_in(folder));
      least = std::min(least, *limit - std::min(*limit, used));
    }
    if (path.empty()) return least;
  }
}

/// By the lines of /proc/self/cgroup: `4:memory:/path` in version 1, `0::/path` in version 2.
std::uint64_t available_in_groups(const fs::path& root) {
  std::ifstream file{root / "proc/self/cgroup"};
  const fs::path mount = root / "sys/fs/cgroup";
  std::uint64_t least = unlimited;
  for (std::string line; std::getline(file, line);) {
    const std::size_t names = line.find(':') + 1;  // 0 without a colon
    const std::size_t end = line.find(':', names);
    if (end == line.npos) continue;
    const std::string controllers = line.substr(names, end - names);
    const std::string group = line.substr(end + 1);
    if (controllers.empty()) {
      least = std::min(least, available_in(mount, group, "memory.max", "memory.current"));
    } else if (("," + controllers + ",").find(",memory,") != line.npos) {
      least = std::min(least, available_in(mount / "memory", group, "memory.limit_in_bytes",
                                           "memory.usage_in_bytes"));
    }
  }
  return least;
}

}  // namespace

Bytes available_memory(const fs::path& root) {
  return Bytes{std::min(available_on_host(root), available_in_groups(root))};
}

bool has_room(Bytes available, double needed) {
  constexpr Bytes spare = 128_MiB;
  return needed + static_cast<double>(spare.count()) <= static_cast<double>(available.count());
}

}  // namespace ringcast
