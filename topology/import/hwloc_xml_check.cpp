#include <csignal>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <hwloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"
#include "topology/import/hwloc_xml.hpp"

namespace ringcast::detail {
namespace {

// The largest machines load in a second, and take some ten megabytes. Some files of a few kilobytes
// would take 17 s and a gigabyte.
constexpr rlim_t most_load_cpu_s = 4;
constexpr unsigned longest_load_s = 20;
constexpr rlim_t most_memory = rlim_t{128} << 20U;

/// Frees nothing, as the process ends.
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

/// The address space of this process, in bytes.
rlim_t memory_in_use() {
  std::ifstream statistics{"/proc/self/statm"};
  rlim_t pages = 0;
  statistics >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit both{most, most};
  ::setrlimit(resource, &both);
}

/// The program of the child: writes the export, or ends by a signal.
void write_export(const std::string& xml, int pipe) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGXCPU}) {
    ::signal(signal, SIG_DFL);
  }
  limit(RLIMIT_CORE, 0);
  const rlimit cpu{most_load_cpu_s, most_load_cpu_s + 1};
  ::setrlimit(RLIMIT_CPU, &cpu);
  limit(RLIMIT_AS, memory_in_use() + most_memory);
  ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);  // hwloc's messages
  ::alarm(longest_load_s);
  const std::string text = exported(xml);
  if (text.empty() || exported(text).empty() || !write_all(pipe, text.data(), text.size())) {
    ::_exit(1);
  }
}

}  // namespace

std::string checked_hwloc_xml(const std::string& name, const std::string& xml) {
  ChildOutcome child = Child{[&](int pipe) { write_export(xml, pipe); }}.finish();
  const std::string_view expected = "what lstopo --of xml printed, whole and unchanged";
  if (const auto signal = signal_of(child.exit_code)) {
    const bool late = *signal == SIGALRM || *signal == SIGXCPU;
    throw ScenarioError{fmt::format("{}: a topology on which hwloc {} {} (expected {})", name,
                                    HWLOC_VERSION, late ? "does not end" : "crashes", expected)};
  }
  if (!child.succeeded()) {
    throw ScenarioError{fmt::format("{}: no topology that hwloc {} can read (expected {})", name,
                                    HWLOC_VERSION, expected)};
  }
  return std::move(child.output);
}

}  // namespace ringcast::detail
