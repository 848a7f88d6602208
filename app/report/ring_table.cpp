// The rings of a cluster, as a table.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/report/alike.hpp"
#include "app/report/show.hpp"
#include "app/report/text_table.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/rings/ring_load.hpp"

namespace ringcast {
namespace {

/// The path of a ring through some nodes: `0 3 2 1`, their GPUs in order.
struct Passage {
  std::vector<std::string> nodes;
  std::string order;
  friend bool operator==(const Passage&, const Passage&) = default;
};

/// Rings that are alike.
struct AlikeRings {
  std::vector<std::string> channels;
  std::vector<Passage> passages;
};

/// `gpu3` is 3.
std::string number_of(const std::string& local_name) {
  const std::size_t digits = local_name.find_first_of("0123456789");
  return digits == std::string::npos ? local_name : local_name.substr(digits);
}

std::vector<Passage> passages_of(const RingOrder& ring, const TransferPaths& paths) {
  const Topology& topology = paths.topology();
  std::vector<Passage> passages;  // one for each node
  for (const Rank rank : ring.ranks()) {
    const auto vertex = static_cast<std::size_t>(topology.vertex_of(rank));
    const std::string& name = topology.cluster().vertices[vertex].name;
    const std::string node = detail::owner_of(name);
    if (passages.empty() || passages.back().nodes.front() != node) passages.push_back({{node}, ""});
    std::string& order = passages.back().order;
    order += (order.empty() ? "" : " ") + number_of(detail::local_name(name));
  }
  std::vector<Passage> alike;
  for (Passage& passage : passages) {
    const auto known = std::ranges::find(alike, passage.order, &Passage::order);
    if (known == alike.end()) {
      alike.push_back(std::move(passage));
    } else {
      known->nodes.push_back(std::move(passage.nodes.front()));
    }
  }
  return alike;
}

std::vector<AlikeRings> alike_rings(const std::vector<RingOrder>& rings,
                                    const TransferPaths& paths) {
  std::vector<AlikeRings> alike;
  for (std::size_t channel = 0; channel < rings.size(); ++channel) {
    std::vector<Passage> passages = passages_of(rings[channel], paths);
    auto known = std::ranges::find(alike, passages, &AlikeRings::passages);
    if (known == alike.end()) known = alike.insert(known, {{}, std::move(passages)});
    known->channels.push_back(std::to_string(channel));
  }
  return alike;
}

bool are_gpus(const TransferPaths& paths) {
  const std::vector<Vertex>& vertices = paths.topology().cluster().vertices;
  return vertices[static_cast<std::size_t>(paths.places().front())].kind == VertexKind::gpu;
}

/// Not local to its function: GCC 12 fails on a local type here.
struct RingLine {
  std::string channels, nodes, order;
};

}  // namespace

std::string ring_table(const TransferPaths& paths) {
  const std::vector<RingOrder> rings = channel_rings(paths);
  std::string text = fmt::format("Rings{} under {}: {}", are_gpus(paths) ? " of NCCL's rule" : "",
                                 paths.profile().name, counted(rings.size(), "channel"));
  if (const auto bottleneck = ring_bottleneck(paths, rings)) {
    text += fmt::format(", bus bandwidth {} at most ({})", to_text(bottleneck->busbw),
                        paths.topology().name_of(bottleneck->link));
  }
  std::vector<RingLine> lines;
  for (const AlikeRings& ring : alike_rings(rings, paths)) {
    for (const auto& [nodes, order] : ring.passages)
      lines.push_back({"", detail::in_short(nodes), order});
    lines[lines.size() - ring.passages.size()].channels = detail::in_short(ring.channels);
  }
  return text + "\n\n" +
         table_of<RingLine>({{"channel", &RingLine::channels},
                             {"nodes", &RingLine::nodes, Hidden::never, true},
                             {"order within the node", &RingLine::order, Hidden::never, true}},
                            lines);
}

}  // namespace ringcast
