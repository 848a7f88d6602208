#include "sim/folding/job_graph.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ringcast {
namespace {

using Colour = ColouredGraph::Colour;

/// Computes a colour from numbers: equal ones give equal colours.
class ColourOf {
 public:
  explicit ColourOf(std::uint64_t kind) { add(kind); }
  ColourOf& add(std::uint64_t word) {
    colour_.add(word);
    return *this;
  }
  ColourOf& add(double number) { return add(std::bit_cast<std::uint64_t>(number)); }
  ColourOf& add(Seconds time) { return add(time.count()); }
  [[nodiscard]] Colour get() const { return colour_.bits(); }

 private:
  Fingerprint colour_;
};

enum class Kind : std::uint64_t { rank, stream, copy, link };
ColourOf colour_of(Kind kind) {
  return ColourOf{static_cast<std::uint64_t>(kind)};
}

Colour colour_of(const TransferPath& path, BytesPerSecond limit, Symmetry symmetry) {
  const auto longer = [&](Seconds latency) {
    return symmetry == Symmetry::but_latency ? Seconds{0} : latency;
  };
  ColourOf colour = colour_of(Kind::stream);
  colour.add(path.overhead).add(limit.value()).add(path.lent_share);
  colour.add(path.time_per_byte).add(path.fill_seconds_per_byte);
  for (const TransferPath::Protocol& each : path.protocols) {
    const auto& [latency, efficiency, handshakes, channel_rate] = each;
    colour.add(longer(latency)).add(efficiency).add(handshakes).add(channel_rate.value());
  }
  if (path.rendezvous) {
    colour.add(path.rendezvous->above.count()).add(longer(path.rendezvous->handshake));
  }
  return colour.add(path.copy_down ? 1.0 : 0.0).add(path.copy_up ? 1.0 : 0.0).get();
}

// Labels of edges. At a rank: the place of the stream among the rank's. At the stream: this place,
// and whether the stream begins or ends at the rank. Copies have labels above those of all streams.
// The crossings of links share two labels.
int label_at_stream(int place, bool begins) {
  return 2 * place + (begins ? 0 : 1);
}
constexpr int first_copy_label = 1 << 28;
constexpr int link_label = -1;
constexpr int flow_label = -2;

}  // namespace

JobGraph::JobGraph(const JobParts& job, Symmetry symmetry) : job_{job} {
  add_ranks(symmetry);
  const FlowRoutes routes = find_routes();
  for (std::size_t flow = 0; flow < routes.size(); ++flow) {
    limits_.push_back(routes.limit(flow));
    static_cast<void>(graph_.add_vertex(colour_of_flow(flow, symmetry)));
  }
  const std::vector<int> vertex_of = add_links(routes);
  graph_.connect([&](const auto& visit) {
    visit_uses(visit);
    for (std::size_t flow = 0; flow < routes.size(); ++flow) {
      for (const Crossing& crossing : routes.crossings(flow)) {
        const int link = vertex_of[static_cast<std::size_t>(crossing.link)];
        for (int i = 0; i < crossing.times; ++i) {
          visit({first_flow() + static_cast<int>(flow), link_label, link, flow_label});
        }
      }
    }
  });
}

void JobGraph::add_ranks(Symmetry symmetry) {
  for (int rank = 0; rank < first_flow(); ++rank) {
    const auto& [first, second] = job_.run.ranks[static_cast<std::size_t>(rank)].shape.bits();
    ColourOf colour = colour_of(Kind::rank);
    colour.add(first).add(second).add(rank < job_.gpus ? 1.0 : 0.0);
    const bool alone = symmetry == Symmetry::none;
    static_cast<void>(graph_.add_vertex(colour.add(alone ? 1.0 + rank : 0.0).get()));
  }
}

/// The contended links of each flow.
FlowRoutes JobGraph::find_routes() const {
  std::vector<BytesPerSecond> bandwidths;
  for (const Link& link : job_.paths.topology().links()) {
    bandwidths.push_back(link.bandwidth);
  }
  std::size_t crossings = 0;
  for (const TransferPath* const path : job_.path_of) {
    crossings += path->main.links.size();
  }
  FlowRoutes routes;
  routes.reserve(job_.path_of.size() + job_.copies.size(), crossings);
  for (const TransferPath* const path : job_.path_of) {
    routes.add(path->main.links, path->main.limit);
  }
  for (const RankCopy& copy : job_.copies) {
    routes.add(copy.leg.links, copy.leg.limit);
  }
  return over_contended_links(bandwidths, std::move(routes));
}

ColouredGraph::Colour JobGraph::colour_of_flow(std::size_t flow, Symmetry symmetry) const {
  const BytesPerSecond limit = limits_[flow];
  const std::size_t streams = job_.path_of.size();
  if (flow < streams) return colour_of(*job_.path_of[flow], limit, symmetry);
  const RankCopy& copy = job_.copies[flow - streams];
  ColourOf colour = colour_of(Kind::copy);
  colour.add(static_cast<std::uint64_t>(copy.direction)).add(copy.leg.latency);
  return colour.add(limit.value()).get();
}

/// Returns the vertex of each link that is crossed.
std::vector<int> JobGraph::add_links(const FlowRoutes& routes) {
  const std::span<const Link> links = job_.paths.topology().links();
  std::vector<int> vertex_of(links.size(), -1);
  for (std::size_t flow = 0; flow < routes.size(); ++flow) {
    for (const Crossing& crossing : routes.crossings(flow)) {
      const auto link = static_cast<std::size_t>(crossing.link);
      if (vertex_of[link] >= 0) continue;
      vertex_of[link] =
          graph_.add_vertex(colour_of(Kind::link).add(links[link].bandwidth.value()).get());
      links_.push_back(LinkId{crossing.link});
    }
  }
  return vertex_of;
}

/// Visits the streams and copies that each rank uses.
template <typename Visit>
void JobGraph::visit_uses(const Visit& visit) const {
  for (int rank = 0; rank < first_flow(); ++rank) {
    const auto& streams = job_.run.ranks[static_cast<std::size_t>(rank)].streams;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const bool begins = job_.run.streams[static_cast<std::size_t>(streams[i])].from == Rank{rank};
      const int place = static_cast<int>(i);
      visit({rank, place, first_flow() + streams[i], label_at_stream(place, begins)});
    }
  }
  int vertex = first_flow() + static_cast<int>(job_.path_of.size());
  for (const RankCopy& copy : job_.copies) {
    const int label = first_copy_label + static_cast<int>(copy.direction);
    visit({copy.rank, label, vertex++, label});
  }
}

}  // namespace ringcast
