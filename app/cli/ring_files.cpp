#include "app/cli/ring_files.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "app/common/console.hpp"
#include "app/common/counted.hpp"
#include "app/common/file_output.hpp"
#include "app/measure/hostfile.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

std::filesystem::path file_of(const std::filesystem::path& output, const std::string& host) {
  std::filesystem::path file = output;
  return file.replace_filename(
      fmt::format("{}.{}{}", output.stem().string(), host, output.extension().string()));
}

}  // namespace

void write_ring_files(const RingComparison& comparison, const RingFileOptions& options,
                      const std::string& output) {
  const ComparedMachine& machine = comparison.machines.back();
  const FoundRings& best = machine.orders.back().found;
  const std::vector<std::string> names =
      options.hostfile.empty() ? std::vector<std::string>{} : hosts_of(options.hostfile);
  const JobMap map = job_map(*machine.paths, names);
  const std::vector<RingFile> files =
      exported(options.format, {*machine.paths, map, best.rings, best.busbw});
  if (output.empty()) {
    if (files.size() > 1) {
      throw ScenarioError{fmt::format(
          "--export {}: the {} need different files (expected --output FILE.xml, which becomes "
          "FILE.HOST.xml for each)",
          options.format, counted(files.size(), "host"))};
    }
    print_output(files.front().text);
    return;
  }
  for (const RingFile& file : files) {
    write_file(file.host.empty() ? std::filesystem::path{output} : file_of(output, file.host),
               file.text);
  }
  if (files.size() > 1) {
    print_message(fmt::format(
        "ringcast: a file for each of {}: {} to {}\n", counted(files.size(), "host"),
        file_of(output, files.front().host).string(), file_of(output, files.back().host).string()));
  }
}

}  // namespace ringcast
