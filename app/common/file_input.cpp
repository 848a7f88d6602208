#include "app/common/file_input.hpp"

#include <algorithm>
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

/// Opens the file, or sets `problem`. A folder can be opened, but not read.
Descriptor opened(const std::filesystem::path& file, std::optional<std::string>& problem) {
  Descriptor descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!descriptor.is_open()) {
    problem = problem_of(errno);
  } else if (struct stat status{};
             ::fstat(descriptor.value(), &status) == 0 && S_ISDIR(status.st_mode)) {
    problem = problem_of(EISDIR);
  }
  return descriptor;
}

/// The bytes of a regular file; empty for other files.
std::optional<std::size_t> size_of(const Descriptor& file) {
  struct stat status {};
  if (::fstat(file.value(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(status.st_size);
}

/// What was in pipes and terminals, by name: what is read of them is gone.
std::map<std::filesystem::path, std::string>& read_pipes() {
  static std::map<std::filesystem::path, std::string> texts;
  return texts;
}

/// Appends what comes next; false at the end.
bool read_more(const Descriptor& file, std::string& text, std::size_t most) {
  constexpr std::size_t block = 1U << 20U;
  const std::size_t begin = text.size();
  text.resize(begin + std::min(block, most + 1 - begin));
  ssize_t count = 0;
  do {
    count = ::read(file.value(), text.data() + begin, text.size() - begin);
  } while (count < 0 && errno == EINTR);
  text.resize(begin + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count < 0) {
    throw std::system_error{errno, std::generic_category()};
  }
  return count > 0;
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
  std::optional<std::string> problem;
  const Descriptor descriptor = opened(file, problem);
  if (problem) {
    fail(*problem);
  }
  const std::optional<std::size_t> known_size = size_of(descriptor);
  std::string text;
  try {
    const std::size_t size = known_size.value_or(0);
    text.reserve(size <= most ? size + 1 : 0);
    while (size <= most && text.size() <= most && read_more(descriptor, text, most)) {
    }
    if (size > most || text.size() > most) {
      fail(fmt::format("larger than {} MiB", most >> 20U));
    }
  } catch (const std::system_error& error) {
    fail(problem_of(error.code().value()));
  }
  if (!known_size) {
    read_pipes().emplace(file, text);
  }
  return text;
}

std::optional<std::string> unreadable(const std::filesystem::path& file) {
  std::optional<std::string> problem;
  static_cast<void>(opened(file, problem));
  return problem;
}

}  // namespace ringcast
