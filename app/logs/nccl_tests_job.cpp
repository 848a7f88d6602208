#include "app/logs/nccl_tests_job.hpp"

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/config/yaml/input_node.hpp"

namespace ringcast {
namespace {

std::set<std::string> hosts_of(const NcclTestsRun& run) {
  std::set<std::string> hosts;
  for (const NcclTestsDevice& device : run.devices)
    hosts.insert(device.host);
  return hosts;
}

std::string devices_of(const NcclTestsRun& run) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const NcclTestsDevice& device : run.devices) {
    const auto known = std::ranges::find(kinds, device.name, &std::pair<std::string, int>::first);
    if (known == kinds.end()) {
      kinds.emplace_back(device.name, 1);
    } else {
      ++known->second;
    }
  }
  std::string text;
  for (const auto& [name, count] : kinds) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count,
                        name.empty() ? "unknown device" : name);
  }
  const std::size_t hosts = hosts_of(run).size();
  return hosts < 2 ? text : fmt::format("{} of {}", text, counted(hosts, "host"));
}

std::string host_names(const NcclTestsRun& run) {
  const std::set<std::string> hosts = hosts_of(run);
  if (hosts.size() < 2) return hosts.empty() ? "" : *hosts.begin();
  return fmt::format("{} and {}", run.devices.front().host, counted(hosts.size() - 1, "other"));
}

std::optional<int> nodes_of(const NcclTestsRun& run) {
  const std::set<std::string> hosts = hosts_of(run);
  const bool is_one_job = std::ranges::all_of(
      run.devices, [&](const NcclTestsDevice& device) { return device.group == 0; });
  if (hosts.empty() || hosts.contains("") || !is_one_job) return std::nullopt;
  return static_cast<int>(hosts.size());
}

}  // namespace

std::string library_of(const NcclTestsRun& run) {
  const bool on_amd = std::ranges::any_of(
      run.devices, [](const NcclTestsDevice& device) { return device.name.starts_with("AMD "); });
  return on_amd ? "RCCL" : run.library;
}

NcclTestsJob job_of(const NcclTestsRun& run) {
  return {devices_of(run), host_names(run),
          run.release.empty() ? "" : fmt::format("{} {}", library_of(run), run.release),
          run.settings, nodes_of(run)};
}

std::string differences(const NcclTestsJob& one, const NcclTestsJob& other) {
  std::vector<std::string> texts;
  for (const auto part : {&NcclTestsJob::devices, &NcclTestsJob::hosts, &NcclTestsJob::release,
                          &NcclTestsJob::settings}) {
    if (one.*part != other.*part && !(one.*part).empty() && !(other.*part).empty()) {
      texts.push_back(fmt::format("{} and {}", one.*part, other.*part));
    }
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

bool looks_like_sendrecv(const NcclTestsRun& run) {
  return run.program.empty() && std::ranges::all_of(run.rows, [](const NcclTestsRow& row) {
           return !row.is_complete ||
                  (row.in_place.busbw_gb.value == row.in_place.algbw_gb.value &&
                   !row.in_place.wrong && (!row.out_of_place || row.out_of_place->wrong));
         });
}

std::string other_collective(const NcclTestsRun& run, bool is_sendrecv, const NcclTestsRow& row) {
  const bool is_other = run.program != "all_reduce_perf" && run.program != "all_reduce_perf_mpi";
  if (!run.program.empty() && is_other) {
    return fmt::format("of {} of line {}", printable(run.program), run.program_line);
  }
  if (is_sendrecv) {
    return "unchecked in place, with busbw = algbw as of sendrecv_perf";
  }
  if (run.cpu_times) {
    return "with cputime (-C 1), the time of the launch";
  }
  if (row.operation.empty() || row.operation == "none") {
    return "without a reduction";
  }
  if (row.has_root) {
    return "with a root";
  }
  const std::uint64_t width = nccl_tests_width(row.type).value_or(0_B).count();
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(row.count, width, &size) || row.size != Bytes{size}) {
    return fmt::format("whose size is not count x {} bytes", width);
  }
  return "";
}

}  // namespace ringcast
