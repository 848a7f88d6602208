#include "app/common/console.hpp"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "engine/numbers/error.hpp"
#include "engine/numbers/printable.hpp"

namespace ringcast {

void occupy_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) {
      // The lowest free number: this one.
      static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

void print_output(std::string_view output) {
  const std::string text = without_controls(output, "\n\t\r");
  errno = 0;
  std::fwrite(text.data(), 1, text.size(), stdout);
  finish_output();
}

void finish_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw ScenarioError{
        fmt::format("standard output: cannot be written: {} (expected a place with room)",
                    std::generic_category().message(errno == 0 ? EIO : errno))};
  }
}

void print_message(std::string_view message) noexcept {
  const std::string text = without_controls(message, "\n\t\r");
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace ringcast
