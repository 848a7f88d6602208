#include "app/cli/hardware_import.hpp"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "app/cli/cluster_output.hpp"
#include "app/common/mapped.hpp"
#include "app/config/cluster/device_names.hpp"
#include "app/config/cluster/link_names.hpp"
#include "app/config/cluster/slurm_yaml.hpp"
#include "app/config/yaml/input_node.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "app/logs/log_text.hpp"
#include "engine/numbers/ascii.hpp"
#include "engine/numbers/error.hpp"
#include "topology/import/hwloc_reader.hpp"
#include "topology/import/nccl_xml_reader.hpp"
#include "topology/import/network_nodes.hpp"
#include "topology/import/nvidia_smi_reader.hpp"
#include "topology/import/nvlink_rack.hpp"
#include "topology/import/slurm_topology.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

// The listing of a network of ten thousand hosts has some ten megabytes, the XML of a host a few, a
// matrix of 64 devices 30 kB. Parsed, they take up to 30 times as much memory.
constexpr std::size_t largest_network = 64U << 20U;
constexpr std::size_t largest_xml = 16U << 20U;
constexpr std::size_t largest_matrix = 1U << 20U;

std::vector<std::string> texts_of(const LogFile& file) {
  return mapped(file.lines, &LogLine::text);
}

using Hosts = std::vector<HostHardware>;

Hosts read_hwloc(const LogFile& file, const ImportHints& hints) {
  return {host_of_xml(file.name, file.text, hints)};
}

Hosts read_nvidia_smi(const LogFile& file, const ImportHints& hints) {
  return {host_of_nvidia_smi(file.name, texts_of(file), hints)};
}

Hosts read_nccl_xml(const LogFile& file, const ImportHints& hints) {
  return hosts_of_nccl_xml(file.name, file.text, hints);
}

IbNetwork read_ibnetdiscover(const LogFile& file) {
  return read_ib_network(file.name, texts_of(file));
}

/// Since Slurm 25.05 there is a topology.yaml beside topology.conf: whether the first line that is
/// no comment begins one.
bool is_slurm_yaml(const LogFile& file) {
  for (const LogLine& line : file.lines) {
    const std::string_view text = trimmed(line.text);
    const bool is_prologue = text.starts_with("---") || text.starts_with('%');
    if (text.empty() || text.starts_with('#') || is_prologue) continue;
    return text.starts_with("topology:") || text.starts_with("- ") || text == "-";
  }
  return false;
}

IbNetwork read_slurm(const LogFile& file) {
  return is_slurm_yaml(file) ? read_slurm_yaml(file.name, file.text)
                             : read_slurm_topology(file.name, texts_of(file));
}

/// A format describes a host, or hosts and the network between them. To add one, add a line.
struct HardwareFormat {
  std::string_view name;
  std::string_view expected;
  std::size_t largest;
  std::string_view sign;  // a text that its files have, in lower case and without blanks
  Hosts (*hosts)(const LogFile& file, const ImportHints& hints);
  IbNetwork (*network)(const LogFile& file) = nullptr;
  std::string_view other_sign = sign;  // which they may have in its place
};
constexpr auto known_formats = std::to_array<HardwareFormat>({
    {"hwloc", "XML that lstopo wrote", largest_xml, "<topology", read_hwloc},
    {"nccl-xml", "a topology file of NCCL", largest_xml, "<system", read_nccl_xml},
    {"nvidia-smi", "what nvidia-smi topo -m printed", largest_matrix, "numaaffinity",
     read_nvidia_smi},
    {"ibnetdiscover", "what ibnetdiscover printed", largest_network, "switchguid=", nullptr,
     read_ibnetdiscover, "caguid="},
    {"slurm", "Slurm's topology.conf or topology.yaml", largest_network, "switchname=", nullptr,
     read_slurm, "blockname="},
});

const HardwareFormat& format_named(std::string_view name) {
  const auto* const found = std::ranges::find(known_formats, name, &HardwareFormat::name);
  expect(found != known_formats.end(), "no format {}", name);
  return *found;
}

/// The format that a file seems to have; empty: unknown. Slurm accepts its keys in any case, with
/// blanks around the equals sign.
std::string_view likely_format(const LogFile& file) {
  if (is_slurm_yaml(file)) return "slurm";
  std::string text;
  for (const LogLine& line : file.lines) {
    if (!trimmed(line.text).starts_with('#')) text += lower_case(line.text) + '\n';
  }
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  const auto* const found = std::ranges::find_if(known_formats, [&](const HardwareFormat& format) {
    return text.find(format.sign) != text.npos || text.find(format.other_sign) != text.npos;
  });
  return found == known_formats.end() ? "" : found->name;
}

/// Calls a format's `read` on a file. If it fails, the message names the format that the file seems
/// to have.
template <typename Read, typename... Hints>
auto read_as(std::string_view format, Read read, const LogFile& file, const Hints&... hints) {
  try {
    return read(file, hints...);
  } catch (const ScenarioError& error) {
    const std::string_view likely = likely_format(file);
    if (likely.empty() || likely == format) {
      throw;
    }
    throw ScenarioError{
        fmt::format("{}; it seems to be a file for: ringcast import {}", error.what(), likely)};
  }
}

/// Reads a network in either format, which the keys of Slurm's distinguish.
IbNetwork read_fabric(const std::string& file) {
  const LogFile network = read_log(
      file, "what ibnetdiscover printed, or Slurm's topology.conf or .yaml", largest_network);
  return likely_format(network) == "slurm" ? read_as("slurm", read_slurm, network)
                                           : read_as("ibnetdiscover", read_ibnetdiscover, network);
}

std::string read_gpu(const std::string& text) {
  if (!text.empty()) {
    static_cast<void>(gpu_model_named(
        InputNode::from_option("--gpu", text),
        "for another GPU omit --gpu and edit the written file: its PCIe link under links, its "
        "NVLinks as nvswitch or nvlinks"));
  }
  return text;
}

std::string read_network(const std::string& text) {
  if (text.empty()) {
    return text;
  }
  const LinkNames meant = link_names(text);  // "NDR", "RoCE 200G"
  const std::string& name = meant.is_clear() ? meant.classes.front() : text;
  const LinkClass* const found = find_link_class(name);
  if (found != nullptr && found->is_network) return name;
  const InputNode option = InputNode::from_option("--network", text);
  if (found != nullptr) {
    option.fail(fmt::format("{} is no class of a network", text),
                "one of them, e.g. infiniband-hdr-4x, ethernet-100g or efa-100g");
  }
  std::vector<std::string_view> classes;
  for (const LinkClass& known : link_classes())
    if (known.is_network) classes.push_back(known.name);
  return option.one_of("link class", classes);
}

/// The class of the link between such processors.
std::string read_cpu(const std::string& text) {
  if (text.empty()) return text;
  const LinkNames meant = link_names(text);
  if (cpu_vendor(text).empty() || !meant.is_clear()) {
    throw ScenarioError{
        fmt::format("--cpu: unknown processor {} (expected a model or its "
                    "generation: EPYC 9654, Zen 4, Xeon 8480, Sapphire Rapids)",
                    in_quotes(text))};
  }
  return meant.classes.front();
}

}  // namespace

bool is_host_format(std::string_view format) {
  const auto* const found = std::ranges::find(known_formats, format, &HardwareFormat::name);
  return found != known_formats.end() && found->hosts != nullptr;
}

std::vector<std::string_view> hardware_formats() {
  return names_of(known_formats, &HardwareFormat::name);
}

void add_hardware_options(Command& command, HardwareArguments& arguments) {
  const std::string group = "What a description of hardware does not say";
  command.option("--gpu", arguments.gpu, "the model of the GPUs: \"H100 SXM\", ...").group(group);
  command.option("--cpu", arguments.cpu, "the model of the processors: \"EPYC 9654\", ...")
      .group(group);
  command
      .option("--network", arguments.network,
              "the link class of the NICs' ports: infiniband-hdr-4x, NDR, ...")
      .group(group);
  const Option nodes = command
                           .option("--nodes", arguments.nodes,
                                   "as many equal nodes, on one switch that blocks nothing")
                           .range(1, 100'000)
                           .group(group);
  command
      .option("--fabric", arguments.fabric,
              "what ibnetdiscover printed, or Slurm's topology.conf or topology.yaml: its hosts "
              "are such nodes")
      .file_name()
      .excludes(nodes)
      .group(group);
}

bool any_given(const HardwareArguments& arguments) {
  return !arguments.gpu.empty() || !arguments.cpu.empty() || !arguments.network.empty() ||
         arguments.nodes || !arguments.fabric.empty();
}

namespace {

/// The nodes of a network that `file` describes.
DiscoveredNodes nodes_of_network(const HardwareFormat& format, const std::string& file,
                                 const HardwareArguments& arguments) {
  if (!arguments.gpu.empty() || !arguments.cpu.empty() || arguments.nodes ||
      !arguments.fabric.empty()) {
    throw ScenarioError{fmt::format(
        "import {}: an option that only descriptions of a node have (expected none of --gpu, "
        "--cpu, --nodes, --fabric)",
        format.name)};
  }
  const ImportHints hints{"", read_network(arguments.network), ""};
  const LogFile network = read_log(file, format.expected, format.largest);
  return nodes_on_network(file, read_as(format.name, format.network, network), {}, hints);
}

/// The hosts in all files; each has at least one.
Hosts read_hosts(const HardwareFormat& format, const std::vector<std::string>& files,
                 const ImportHints& hints) {
  Hosts hosts;
  for (const std::string& file : files) {
    std::ranges::move(
        read_as(format.name, format.hosts, read_log(file, format.expected, format.largest), hints),
        std::back_inserter(hosts));
  }
  return hosts;
}

/// A host of the network, whose racks nodes_on_network() finds itself.
HostHardware one_host(const HostHardware& described) {
  const auto tray = tray_of(described);
  if (!tray) {
    throw ScenarioError{fmt::format(
        "--fabric: the description of {} has {} unequal hosts as one node (expected equal hosts)",
        described.host, described.hosts)};
  }
  return *tray;
}

DiscoveredNodes nodes_of(const std::string& format, const std::vector<std::string>& files,
                         const HardwareArguments& arguments) {
  const HardwareFormat& chosen = format_named(format);
  if (chosen.network != nullptr) return nodes_of_network(chosen, files.front(), arguments);
  const ImportHints hints{read_gpu(arguments.gpu), read_network(arguments.network),
                          read_cpu(arguments.cpu), arguments.cpu};
  Hosts hosts = read_hosts(chosen, files, hints);
  if (!arguments.fabric.empty()) {
    std::ranges::transform(hosts, hosts.begin(), one_host);
    return nodes_on_network(arguments.fabric, read_fabric(arguments.fabric), hosts, hints);
  }
  if (arguments.nodes) {
    if (hosts.size() > 1) {
      throw ScenarioError{fmt::format("--nodes {}: the files describe {} hosts (expected one)",
                                      *arguments.nodes, hosts.size())};
    }
    hosts = equal_hosts(hosts.front(), *arguments.nodes);
  }
  return merge_hosts(hosts);
}

}  // namespace

void import_hardware(const std::string& format, const std::vector<std::string>& files,
                     const HardwareArguments& arguments, const std::string& output) {
  check_cluster_output(output);
  write_cluster(nodes_of(format, files, arguments), output);
}

}  // namespace ringcast
