#include "app/report/ring_export.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/common/mapped.hpp"
#include "app/config/yaml/input_node.hpp"
#include "engine/numbers/error.hpp"
#include "topology/cluster/index.hpp"

namespace ringcast {
namespace {

using detail::index;

/// The numbers of the devices that a host's processes take, one after the other: the order of the
/// ring; of several rings, ascending.
std::vector<int> devices_of(int host, std::span<const HostVisit> visits, const ExportedRings& of) {
  std::vector<int> devices;
  for (const HostVisit& visit : visits) {
    if (visit.host != host) continue;
    for (const Rank rank : visit.ranks) {
      devices.push_back(of.map.place_of(rank).device);
    }
  }
  if (of.rings.size() > 1) std::ranges::sort(devices);
  return devices;
}

/// Empty if each process uses the GPU of its own number.
std::string visible_devices(int host, std::span<const HostVisit> visits, const ExportedRings& of) {
  const std::vector<int> devices = devices_of(host, visits, of);
  const bool all = devices.size() == index(of.map.devices[index(host)]);
  return !of.map.gpus || (all && std::ranges::is_sorted(devices))
             ? ""
             : fmt::format("CUDA_VISIBLE_DEVICES={}", fmt::join(devices, ","));
}

/// Lines with the GPUs that the processes of each host are to use.
std::string device_remarks(std::span<const HostVisit> visits, const ExportedRings& of) {
  std::string text;
  for (std::size_t host = 0; host < of.map.hosts.size(); ++host) {
    const std::string devices = visible_devices(static_cast<int>(host), visits, of);
    if (!devices.empty()) {
      text += fmt::format("# on {}: {}\n", of.map.hosts[host], devices);
    }
  }
  return text;
}

std::string which_ring(const ExportedRings& of) {
  return of.rings.size() == 1 ? "the ring"
                              : fmt::format("the first of {}", counted(of.rings.size(), "ring"));
}

std::vector<HostVisit> one_visit_each(std::string_view format, const ExportedRings& of) {
  std::vector<HostVisit> visits = visits_of(of.rings.front(), of.map);
  if (!is_by_host(visits, of.map)) {
    throw ScenarioError{
        fmt::format("--export {}: the ring visits a host more than once: {} of {} (expected "
                    "rankfile or slurm for such a ring)",
                    format, counted(visits.size(), "visit"), counted(of.map.hosts.size(), "host"))};
  }
  return visits;
}

std::string hostfile(const ExportedRings& of) {
  const std::vector<HostVisit> visits = one_visit_each("hostfile", of);
  std::string text =
      fmt::format("# hosts in the order of {}: mpirun --hostfile FILE --map-by slot\n",
                  which_ring(of)) +
      device_remarks(visits, of);
  for (const HostVisit& visit : visits) {
    fmt::format_to(std::back_inserter(text), "{} slots={}\n", of.map.host_of(visit),
                   visit.ranks.size());
  }
  return text;
}

std::string torchrun(const ExportedRings& of) {
  const std::vector<HostVisit> visits = one_visit_each("torchrun", of);
  const std::string& first = of.map.host_of(visits.front());
  std::string text;
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const std::string devices = visible_devices(visits[i].host, visits, of);
    fmt::format_to(std::back_inserter(text),
                   "{}: {}torchrun --nnodes={} --node-rank={} --nproc-per-node={} "
                   "--master-addr={} --master-port=29500\n",
                   of.map.host_of(visits[i]), devices.empty() ? "" : devices + " ", visits.size(),
                   i, visits[i].ranks.size(), first);
  }
  return text;
}

std::string rankfile(const ExportedRings& of) {
  const std::vector<HostVisit> visits = visits_of(of.rings.front(), of.map);
  std::string text = fmt::format("# ranks in the order of {}: mpirun --rankfile FILE -n {}\n",
                                 which_ring(of), of.map.places.size()) +
                     device_remarks(visits, of);
  int position = 0;
  for (const HostVisit& visit : visits) {
    for (const Rank rank : visit.ranks) {
      fmt::format_to(std::back_inserter(text), "rank {}={} slot={}\n", position++,
                     of.map.host_of(visit), of.map.place_of(rank).slot);
    }
  }
  return text;
}

/// For SLURM_HOSTFILE and srun --distribution=arbitrary: the host of each task.
std::string slurm_hosts(const ExportedRings& of) {
  std::string text;
  for (const HostVisit& visit : visits_of(of.rings.front(), of.map)) {
    for (std::size_t i = 0; i < visit.ranks.size(); ++i) {
      text += of.map.host_of(visit) + "\n";
    }
  }
  return text;
}

std::string ring_order_yaml(const ExportedRings& of) {
  std::string text = fmt::format(
      "# rings of {} on {}: ring_order: THIS-FILE in a scenario, or --ring THIS-FILE\n"
      "channels:\n",
      counted(of.map.places.size(), "rank"), of.paths.topology().cluster().name);
  for (const RingOrder& ring : of.rings) {
    const std::vector<int> order = mapped(ring.ranks(), [](Rank rank) { return index_of(rank); });
    fmt::format_to(std::back_inserter(text), "  - [{}]\n", fmt::join(order, ", "));
  }
  return text;
}

/// Launchers, and shells, read the names of hosts.
void expect_host_names(std::string_view format, const JobMap& map) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  for (const std::string& host : map.hosts) {
    if (host.empty() || host.front() == '-' || host.find_first_not_of(allowed) != host.npos) {
      throw ScenarioError{fmt::format(
          "--export {}: the node {} has no name of a host (expected letters, digits, dots, dashes "
          "and underscores; --hostfile names the hosts)",
          format, in_quotes(host))};
    }
  }
}

struct RingFormat {
  std::string_view name;
  std::string (*text)(const ExportedRings& of);
};
constexpr RingFormat one_file_formats[] = {{"ringcast", ring_order_yaml},
                                           {"hostfile", hostfile},
                                           {"rankfile", rankfile},
                                           {"slurm", slurm_hosts},
                                           {"torchrun", torchrun}};
constexpr std::string_view nccl_format = "nccl-graph";

}  // namespace

const std::vector<std::string>& ring_export_formats() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{std::string{nccl_format}};
    for (const RingFormat& format : one_file_formats)
      all.emplace_back(format.name);
    return all;
  }();
  return names;
}

std::vector<RingFile> exported(std::string_view format, const ExportedRings& of) {
  expect(!of.rings.empty(), "no ring to export");
  expect_host_names(format, of.map);
  if (format == nccl_format) return detail::nccl_graphs(of);
  const auto* const found = std::ranges::find(one_file_formats, format, &RingFormat::name);
  expect(found != std::end(one_file_formats), "no export format named {}", format);
  return {{"", found->text(of)}};
}

std::string note_of_export(std::string_view format, const ExportedRings& of) {
  if (format == nccl_format || format == "ringcast") return "";
  const auto hosts_of = [&](const RingOrder& ring) {
    return mapped(visits_of(ring, of.map), [](const HostVisit& visit) { return visit.host; });
  };
  const RingOrder& first = of.rings.front();
  const auto alike = [&](const RingOrder& ring) {
    return std::ranges::equal(ring.ranks(), first.ranks());
  };
  if (std::ranges::all_of(of.rings, alike)) {
    const bool lacks_devices =
        format == "slurm" && !device_remarks(visits_of(first, of.map), of).empty();
    return lacks_devices ? "--export slurm: the GPUs of each host and their order are left out "
                           "(expected --export rankfile or torchrun, which have them)"
                         : "";
  }
  const bool hosts_alike = std::ranges::all_of(
      of.rings, [&](const RingOrder& ring) { return hosts_of(ring) == hosts_of(first); });
  return fmt::format(
      "--export {}: {} (expected --channels 1 for the best single ring, or --export ringcast, "
      "which has all)",
      format,
      hosts_alike ? "the rings differ within hosts, which this format does not express"
                  : fmt::format("the hosts are in the order of {}, which others do not have",
                                which_ring(of)));
}

}  // namespace ringcast
