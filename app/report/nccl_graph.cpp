// Rings as NCCL reads them from NCCL_GRAPH_FILE.
//
//   <graphs version="1">
//     <graph id="0" pattern="4" ...>          ring search, pattern ring
//       <channel>
//         <net dev="0x0"/>                    the NIC at which the ring enters the host
//         <gpu dev="0x2"/> <gpu dev="0x3"/>   its GPUs in order
//         <net dev="0x1"/>                    the NIC at which it leaves
//       </channel>
//
// The rules are those of the reader, NVIDIA/nccl src/graph/search.cc (2.2x): `dev` is hexadecimal,
// all attributes are required, a job within one host has no `net`, and `crossnic` 1 (some channel
// leaves by another NIC than it enters) is ignored unless NCCL_CROSS_NIC permits it. A file is
// for one host. NCCL itself joins the hosts, in the order of their ranks and for all channels
// alike.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/report/ring_export.hpp"
#include "engine/numbers/error.hpp"
#include "topology/cluster/index.hpp"

namespace ringcast::detail {
namespace {

// NCCL has arrays for 32 channels (MAXCHANNELS), and may double those of a file up to that.
constexpr std::size_t most_channels = 32;

/// A host's part of a ring.
struct ChannelPath {
  int nic_in = 0;
  std::vector<int> gpus;
  int nic_out = 0;
};

/// The path types of a host's graph.
struct GraphTypes {
  PathLevel within = PathLevel::nvl;
  PathLevel between = PathLevel::pix;
};

/// The number, within a rank's node, of the NIC that its messages to or from another node cross;
/// the rank's own device if the node has no NICs.
int nic_of(const ExportedRings& of, Rank rank, const TransferPath& path) {
  const Topology& topology = of.paths.topology();
  const Cluster& cluster = topology.cluster();
  const int node = cluster.vertex(topology.vertex_of(rank)).node;
  for (const LinkId link : path.main.links) {
    if (topology.links()[index_of(link)].kind != LinkKind::direction) continue;
    for (const int end : {topology.begin_of(link), topology.end_of(link)}) {
      const Vertex& nic = cluster.vertex(end);
      if (nic.node != node || nic.kind != VertexKind::nic) continue;
      return static_cast<int>(std::count_if(
          cluster.vertices.begin(), cluster.vertices.begin() + end, [node](const Vertex& vertex) {
            return vertex.node == node && vertex.kind == VertexKind::nic;
          }));
    }
  }
  return of.map.place_of(rank).device;
}

class HostGraph {
 public:
  explicit HostGraph(const ExportedRings& of) : of_{of} {}

  void add(const HostVisit& visit, Rank before, Rank after) {
    ChannelPath channel;
    for (std::size_t i = 0; i < visit.ranks.size(); ++i) {
      channel.gpus.push_back(of_.map.place_of(visit.ranks[i]).device);
      if (i > 0)
        types_.within =
            std::max(types_.within, of_.paths.between(visit.ranks[i - 1], visit.ranks[i]).level);
    }
    if (has_nics()) {
      const TransferPath& in = of_.paths.between(before, visit.ranks.front());
      const TransferPath& out = of_.paths.between(visit.ranks.back(), after);
      channel.nic_in = nic_of(of_, visit.ranks.front(), in);
      channel.nic_out = nic_of(of_, visit.ranks.back(), out);
      types_.between = std::max({types_.between, in.level, out.level});
    } else if (visit.ranks.size() > 1) {
      types_.within =
          std::max(types_.within, of_.paths.between(visit.ranks.back(), visit.ranks.front()).level);
    }
    channels_.push_back(std::move(channel));
  }

  [[nodiscard]] std::string text() const {
    const double speed = of_.busbw.value() / 1e9 / static_cast<double>(channels_.size());
    const bool crosses = std::ranges::any_of(
        channels_, [](const ChannelPath& channel) { return channel.nic_in != channel.nic_out; });
    std::string xml = fmt::format(
        "<graphs version=\"1\">\n  <graph id=\"0\" pattern=\"4\" crossnic=\"{}\" nchannels=\"{}\" "
        "speedintra=\"{:g}\" speedinter=\"{:g}\" latencyinter=\"0\" typeintra=\"{}\" "
        "typeinter=\"{}\" samechannels=\"0\">\n",
        crosses ? 1 : 0, channels_.size(), speed, speed, name_of(types_.within),
        name_of(types_.between));
    for (const ChannelPath& channel : channels_)
      append(channel, xml);
    return xml + "  </graph>\n</graphs>\n";
  }

 private:
  [[nodiscard]] bool has_nics() const { return of_.map.hosts.size() > 1; }

  void append(const ChannelPath& channel, std::string& xml) const {
    const auto add_device = [&xml](const char* kind, int device) {
      fmt::format_to(std::back_inserter(xml), "      <{} dev=\"{:#x}\"/>\n", kind, device);
    };
    xml += "    <channel>\n";
    if (has_nics()) add_device("net", channel.nic_in);
    for (const int gpu : channel.gpus)
      add_device("gpu", gpu);
    if (has_nics()) add_device("net", channel.nic_out);
    xml += "    </channel>\n";
  }

  const ExportedRings& of_;
  std::vector<ChannelPath> channels_;
  GraphTypes types_;
};

[[noreturn]] void refuse(const std::string& problem, std::string_view expected) {
  throw ScenarioError{fmt::format("--export nccl-graph: {} (expected {})", problem, expected)};
}

/// The visits of each ring; throws for rings that NCCL cannot build from parts within hosts.
std::vector<std::vector<HostVisit>> checked_visits(const ExportedRings& of) {
  if (!of.map.gpus) refuse("the ranks are processes", "a cluster with GPUs");
  if (of.rings.size() > most_channels) {
    refuse(counted(of.rings.size(), "ring"), fmt::format("at most {}", most_channels));
  }
  std::vector<std::vector<HostVisit>> all;
  for (const RingOrder& ring : of.rings) {
    all.push_back(visits_of(ring, of.map));
    if (!is_by_host(all.back(), of.map)) {
      refuse(fmt::format("ring {} visits a host more than once", all.size()),
             "rings that visit each host once");
    }
    if (!std::ranges::equal(all.front(), all.back(), {}, &HostVisit::host, &HostVisit::host)) {
      refuse(fmt::format("ring {} visits the hosts in another order than ring 1", all.size()),
             "one order for all rings, as NCCL has it, for example with --channels 1");
    }
  }
  return all;
}

}  // namespace

std::vector<RingFile> nccl_graphs(const ExportedRings& of) {
  std::vector<HostGraph> graphs(of.map.hosts.size(), HostGraph{of});
  for (const std::vector<HostVisit>& visits : checked_visits(of)) {
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const std::size_t before = (i + visits.size() - 1) % visits.size();
      const std::size_t after = (i + 1) % visits.size();
      graphs[index(visits[i].host)].add(visits[i], visits[before].ranks.back(),
                                        visits[after].ranks.front());
    }
  }
  std::vector<RingFile> files;
  for (std::size_t host = 0; host < graphs.size(); ++host) {
    files.push_back({of.map.hosts[host], graphs[host].text()});
  }
  const auto differs = [&](const RingFile& file) { return file.text != files.front().text; };
  if (std::ranges::none_of(files, differs)) {
    return {{"", std::move(files.front().text)}};
  }
  return files;
}

}  // namespace ringcast::detail
