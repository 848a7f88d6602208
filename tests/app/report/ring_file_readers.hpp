#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "tests/refusal.hpp"

/// Reads exported rings as their programs do: NCCL (src/graph/search.cc, the functions that read a
/// graph from XML), Open MPI (hostfile and rankfile grammar), Slurm (SLURM_HOSTFILE), torchrun.
namespace ringcast::ring_files {

/// A GPU or process as the files name it.
struct Device {
  std::string host;
  int number;
  bool operator==(const Device&) const = default;
};

[[noreturn]] inline void refuse(const std::string& why) {
  throw std::runtime_error{why};
}

/// A channel of NCCL_GRAPH_FILE.
struct Channel {
  std::vector<int> nics;
  std::vector<int> gpus;
};
struct Graph {
  bool crosses_nics = false;
  double speed_gb = 0;
  std::vector<Channel> channels;
};

/// NCCL's parser (src/graph/xml.cc) reads elements with quoted attributes, a space before each,
/// spaces and line ends between them; no declaration, no tab. Ours has an element a line.
inline void refuse_what_nccl_cannot_parse(const std::string& text) {
  const std::regex element{R"( *<(/[a-z]+|[a-z]+( [a-z]+="[^"]{0,253}")*/?)>)"};
  for (const std::string& line : lines_of_text(text)) {
    if (!std::regex_match(line, element)) refuse(line);
  }
}

/// As NCCL on a host with GPUs 0 .. gpus-1 reads it: other GPUs and other numbers of them break the
/// job.
inline Graph read_nccl_graph(const std::string& text, int gpus) {
  refuse_what_nccl_cannot_parse(text);
  pugi::xml_document document;
  if (!document.load_string(text.c_str())) refuse("no XML");
  const pugi::xml_node root = document.child("graphs");
  if (std::string_view{root.attribute("version").value()} != "1") refuse("version");
  const pugi::xml_node xml = root.first_child();
  for (const char* const name :
       {"id", "pattern", "crossnic", "nchannels", "speedintra", "speedinter", "latencyinter",
        "typeintra", "typeinter", "samechannels"}) {
    if (!xml.attribute(name)) refuse(std::string{"no attribute "} + name);
  }
  if (xml.attribute("id").as_int() != 0 || xml.attribute("pattern").as_int() != 4)
    refuse("no ring");
  for (const char* const name : {"typeintra", "typeinter"}) {
    const std::vector<std::string> known{"LOC", "NVL", "NVB", "PIX", "PXB", "PXN", "PHB", "SYS"};
    if (std::ranges::find(known, xml.attribute(name).value()) == known.end()) refuse(name);
  }
  Graph graph{xml.attribute("crossnic").as_int() == 1, xml.attribute("speedintra").as_double(), {}};
  for (const pugi::xml_node& channel_xml : xml) {
    Channel channel;
    for (const pugi::xml_node& device : channel_xml) {
      // Base 16 with or without 0x: a decimal 10 would become 16.
      const int number =
          static_cast<int>(std::strtol(device.attribute("dev").value(), nullptr, 16));
      const bool is_gpu = std::string_view{device.name()} == "gpu";
      if (is_gpu && number >= gpus) refuse("dev not found");
      (is_gpu ? channel.gpus : channel.nics).push_back(number);
    }
    if (channel.gpus.size() != static_cast<std::size_t>(gpus)) refuse("another number of GPUs");
    graph.channels.push_back(channel);
  }
  if (graph.channels.size() != xml.attribute("nchannels").as_uint()) refuse("nchannels");
  return graph;
}

/// `# on HOST: CUDA_VISIBLE_DEVICES=2,0`: the GPUs of the host's processes.
using VisibleDevices = std::map<std::string, std::vector<int>>;

inline std::vector<int> numbers_of(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream stream{text};
  for (std::string number; std::getline(stream, number, ',');)
    numbers.push_back(std::stoi(number));
  return numbers;
}

inline VisibleDevices visible_devices(const std::string& text) {
  VisibleDevices visible;
  const std::regex form{R"(# on (\S+): CUDA_VISIBLE_DEVICES=([\d,]+))"};
  for (const std::string& line : lines_of_text(text)) {
    std::smatch match;
    if (std::regex_match(line, match, form)) visible[match[1]] = numbers_of(match[2]);
  }
  return visible;
}

/// Numbers the processes of each host, which take its GPUs in this order.
inline std::vector<Device> devices_of(const std::vector<std::string>& hosts,
                                      const VisibleDevices& visible) {
  std::map<std::string, int> seen;
  std::vector<Device> devices;
  for (const std::string& host : hosts) {
    const int number = seen[host]++;
    const auto known = visible.find(host);
    devices.push_back({host, known == visible.end()
                                 ? number
                                 : known->second.at(static_cast<std::size_t>(number))});
  }
  return devices;
}

/// `HOST slots=N` a line: N ranks there, hosts in the file's order.
inline std::vector<Device> read_hostfile(const std::string& text) {
  std::vector<std::string> hosts;
  const std::regex form{R"((\S+) slots=(\d+))"};
  for (const std::string& line : lines_of_text(text)) {
    std::smatch match;
    if (line.starts_with("#")) continue;
    if (!std::regex_match(line, match, form)) refuse(line);
    hosts.insert(hosts.end(), static_cast<std::size_t>(std::stoi(match[2])), match[1]);
  }
  return devices_of(hosts, visible_devices(text));
}

struct RankLine {
  std::string host;
  std::string slot;
};

/// `rank N=HOST slot=SOCKET:CORES` a line, each rank once.
inline std::vector<RankLine> read_rank_lines(const std::string& text) {
  std::map<int, RankLine> ranks;
  const std::regex form{R"(rank (\d+)=(\S+) slot=(\d+:(?:\*|\d+)))"};
  for (const std::string& line : lines_of_text(text)) {
    std::smatch match;
    if (line.starts_with("#")) continue;
    if (!std::regex_match(line, match, form)) refuse(line);
    if (!ranks.emplace(std::stoi(match[1]), RankLine{match[2], match[3]}).second) refuse(line);
  }
  std::vector<RankLine> in_order;
  for (const auto& [rank, line] : ranks) {
    if (rank != static_cast<int>(in_order.size())) refuse("a rank is missing");
    in_order.push_back(line);
  }
  return in_order;
}

inline std::vector<Device> read_rankfile(const std::string& text) {
  std::vector<std::string> hosts;
  for (const RankLine& line : read_rank_lines(text))
    hosts.push_back(line.host);
  return devices_of(hosts, visible_devices(text));
}

/// A line for each host; the ranks follow --node-rank.
inline std::vector<Device> read_torchrun(const std::string& text) {
  const std::regex form{R"((\S+): (?:CUDA_VISIBLE_DEVICES=([\d,]+) )?torchrun --nnodes=(\d+) )"
                        R"(--node-rank=(\d+) --nproc-per-node=(\d+) --master-addr=(\S+) .*)"};
  std::map<int, std::vector<std::string>> hosts;
  VisibleDevices visible;
  std::string first;
  for (const std::string& line : lines_of_text(text)) {
    std::smatch match;
    if (!std::regex_match(line, match, form)) refuse(line);
    hosts[std::stoi(match[4])].assign(static_cast<std::size_t>(std::stoi(match[5])), match[1]);
    if (match[2].matched) visible[match[1]] = numbers_of(match[2]);
    first = first.empty() ? std::string{match[6]} : first;
    if (first != match[6] || std::stoul(match[3]) != lines_of_text(text).size()) refuse(line);
  }
  if (hosts.at(0).front() != first) refuse("the master has not node rank 0");
  std::vector<std::string> in_order;
  for (const auto& [rank, names] : hosts)
    in_order.insert(in_order.end(), names.begin(), names.end());
  return devices_of(in_order, visible);
}

}  // namespace ringcast::ring_files
