// The rings of a cluster, as a table.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/common/mapped.hpp"
#include "app/report/alike.hpp"
#include "app/report/job_map.hpp"
#include "app/report/show.hpp"
#include "app/report/text_table.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/rings/ring_load.hpp"

namespace ringcast {
namespace {

/// The order of a ring's GPUs, `0 3 2 1`, in some nodes.
struct Passage {
  std::vector<std::string> nodes;
  std::string order;
  friend bool operator==(const Passage&, const Passage&) = default;
};

/// Equal rings.
struct AlikeRings {
  std::vector<std::string> channels;
  std::vector<Passage> passages;
};

std::vector<Passage> passages_of(const RingOrder& ring, const JobMap& map) {
  std::vector<Passage> alike;
  for (const HostVisit& visit : visits_of(ring, map)) {
    const std::vector<int> devices =
        mapped(visit.ranks, [&](Rank rank) { return map.place_of(rank).device; });
    std::string order = fmt::format("{}", fmt::join(devices, " "));
    auto known = std::ranges::find(alike, order, &Passage::order);
    if (known == alike.end()) known = alike.insert(known, {{}, std::move(order)});
    known->nodes.push_back(map.host_of(visit));
  }
  return alike;
}

std::vector<AlikeRings> alike_rings(const std::vector<RingOrder>& rings, const JobMap& map) {
  std::vector<AlikeRings> alike;
  for (std::size_t channel = 0; channel < rings.size(); ++channel) {
    std::vector<Passage> passages = passages_of(rings[channel], map);
    auto known = std::ranges::find(alike, passages, &AlikeRings::passages);
    if (known == alike.end()) known = alike.insert(known, {{}, std::move(passages)});
    known->channels.push_back(std::to_string(channel));
  }
  return alike;
}

/// Not local to its function: GCC 12 fails on a local type here.
struct RingLine {
  std::string channels, nodes, order;
};

}  // namespace

std::string ring_table(const TransferPaths& paths) {
  const std::vector<RingOrder> rings = rings_of_nccl(paths);
  const JobMap map = job_map(paths);
  std::string text = fmt::format("Rings{} under {}: {}", map.gpus ? " of NCCL's rule" : "",
                                 paths.profile().name, counted(rings.size(), "channel"));
  if (const auto bottleneck = ring_bottleneck(paths, rings)) {
    text += fmt::format(", bus bandwidth {} at most ({})", to_text(bottleneck->busbw),
                        paths.topology().name_of(bottleneck->link));
  }
  std::vector<RingLine> lines;
  for (const AlikeRings& ring : alike_rings(rings, map)) {
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
