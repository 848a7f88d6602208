#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <fmt/format.h>
#include <hwloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/numbers/descriptor.hpp"
#include "engine/numbers/error.hpp"
#include "topology/import/hwloc_xml.hpp"

namespace ringcast::detail {
namespace {

// The largest machines load in a second.
constexpr unsigned longest_load_s = 20;

/// Nothing is freed: the process ends.
std::string exported(const std::string& xml) {
  hwloc_topology_t topology = nullptr;
  char* text = nullptr;
  int length = 0;
  const bool loaded =
      hwloc_topology_init(&topology) == 0 &&
      hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) == 0 &&
      hwloc_topology_set_xmlbuffer(topology, xml.c_str(), static_cast<int>(xml.size()) + 1) == 0 &&
      hwloc_topology_load(topology) == 0 &&
      hwloc_topology_export_xmlbuffer(topology, &text, &length, 0) == 0;
  return loaded ? std::string{text} : "";
}

/// The child: writes the export, or ends by a signal, as it did not handle it well.
[[noreturn]] void run_child(const std::string& xml, int pipe) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM}) {
    ::signal(signal, SIG_DFL);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);  // hwloc's own words
  ::alarm(longest_load_s);
  const std::string text = exported(xml);
  if (text.empty() || exported(text).empty()) {
    ::_exit(1);
  }
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::write(pipe, text.data() + sent, text.size() - sent);
    if (count < 0 && errno != EINTR) {
      ::_exit(1);
    }
    sent += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  ::_exit(0);
}

std::string read_all(const Descriptor& pipe) {
  std::string text;
  std::array<char, 65536> block{};
  for (ssize_t count = 1; count > 0 || (count < 0 && errno == EINTR);) {
    count = ::read(pipe.value(), block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return text;
}

}  // namespace

std::string checked_hwloc_xml(const std::string& name, const std::string& xml) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw TransportError{"hwloc: no pipe for a child process"};
  }
  const Descriptor read_end{ends[0]};
  Descriptor write_end{ends[1]};
  const pid_t child = ::fork();
  if (child < 0) {
    throw TransportError{"hwloc: cannot start a process"};
  }
  if (child == 0) {
    run_child(xml, write_end.value());
  }
  write_end.close_now();
  std::string text = read_all(read_end);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string_view expected = "what lstopo --of xml printed, whole and unchanged";
  if (WIFSIGNALED(status)) {
    throw ScenarioError{
        fmt::format("{}: a topology on which hwloc {} {} (expected {})", name, HWLOC_VERSION,
                    WTERMSIG(status) == SIGALRM ? "does not end" : "crashes", expected)};
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw ScenarioError{fmt::format("{}: no topology that hwloc {} can read (expected {})", name,
                                    HWLOC_VERSION, expected)};
  }
  return text;
}

}  // namespace ringcast::detail
