#include "engine/numbers/available_memory.hpp"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

namespace ringcast {

Bytes available_memory() {
  std::ifstream file{"/proc/meminfo"};
  for (std::string line; std::getline(file, line);) {
    std::uint64_t kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %" SCNu64 " kB", &kibibytes) == 1) {
      return Bytes{kibibytes << 10U};
    }
  }
  return Bytes{std::numeric_limits<std::uint64_t>::max()};
}

}  // namespace ringcast
