#include "app/common/file_input.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/numbers/error.hpp"
#include "engine/system/descriptor.hpp"

namespace ringcast {
namespace {

std::string problem_of(int error) {
  return fmt::format("cannot be read: {}", std::generic_category().message(error));
}

Descriptor opened(const std::filesystem::path& file) {
  return Descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
}

/// The texts of pipes and terminals, which can be read only once, by name.
std::map<std::filesystem::path, std::string>& read_pipes() {
  static std::map<std::filesystem::path, std::string> texts;
  return texts;
}

/// Appends the next block, up to `most` + 1 bytes in all. Returns the result of read().
ssize_t read_more(const Descriptor& file, std::string& text, std::size_t most) {
  std::array<char, 1U << 16U> block;  // holds most files, whose text is then allocated once
  const std::size_t length = std::min(block.size(), most + 1 - text.size());
  ssize_t count = 0;
  do {
    count = ::read(file.value(), block.data(), length);
  } while (count < 0 && errno == EINTR);
  text.append(block.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return count;
}

}  // namespace

std::string read_file(const std::filesystem::path& file, std::size_t most,
                      std::string_view expected) {
  const auto fail = [&](std::string_view problem) {
    throw ScenarioError{fmt::format("{}: {} (expected {})", file.string(), problem, expected)};
  };
  if (const auto pipe = read_pipes().find(file); pipe != read_pipes().end()) {
    return pipe->second;
  }
  const Descriptor descriptor = opened(file);
  struct stat status {};
  std::string text;
  const bool is_open = descriptor.is_open() && ::fstat(descriptor.value(), &status) == 0;
  ssize_t count = is_open ? 1 : -1;
  while (count > 0 && text.size() <= most) {
    count = read_more(descriptor, text, most);
  }
  if (count < 0) {
    fail(problem_of(errno));
  }
  if (text.size() > most) {
    fail(fmt::format("larger than {} MiB", most >> 20U));
  }
  if (!S_ISREG(status.st_mode)) {
    read_pipes().emplace(file, text);
  }
  return text;
}

std::optional<std::string> unreadable(const std::filesystem::path& file) {
  const Descriptor descriptor = opened(file);
  char none = 0;  // a folder can be opened, but not read
  const bool is_readable = descriptor.is_open() && ::read(descriptor.value(), &none, 0) == 0;
  return is_readable ? std::nullopt : std::optional{problem_of(errno)};
}

}  // namespace ringcast
