#include "topology/rings/flow_network.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

namespace ringcast::detail {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using BoostGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<
        boost::edge_capacity_t, FlowNetwork::Rate,
        boost::property<boost::edge_residual_capacity_t, FlowNetwork::Rate,
                        boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

/// The vertices that the source still reaches once the flow is maximal.
std::vector<bool> reached_from(const BoostGraph& graph, std::size_t source) {
  std::vector<bool> reached(num_vertices(graph));
  std::vector<std::size_t> open{source};
  reached[source] = true;
  while (!open.empty()) {
    const auto [begin, end] = out_edges(open.back(), graph);
    open.pop_back();
    for (auto edge = begin; edge != end; ++edge) {
      const std::size_t next = target(*edge, graph);
      if (!reached[next] && get(boost::edge_residual_capacity, graph, *edge) > 0) {
        reached[next] = true;
        open.push_back(next);
      }
    }
  }
  return reached;
}

}  // namespace

class FlowNetwork::Graph : public BoostGraph {};

FlowNetwork::FlowNetwork() : graph_(std::make_unique<Graph>()) {}
FlowNetwork::~FlowNetwork() = default;

std::size_t FlowNetwork::add_vertex() {
  return boost::add_vertex(*graph_);
}

void FlowNetwork::connect(std::size_t from, std::size_t to, Rate rate) {
  const auto forth = add_edge(from, to, *graph_).first;
  const auto back = add_edge(to, from, *graph_).first;
  put(boost::edge_capacity, *graph_, forth, rate);
  put(boost::edge_capacity, *graph_, back, 0);
  put(boost::edge_reverse, *graph_, forth, back);
  put(boost::edge_reverse, *graph_, back, forth);
}

TransferCut FlowNetwork::cut(std::size_t from, std::size_t to) {
  const Rate flow = push_relabel_max_flow(*graph_, from, to);
  const std::vector<bool> reached = reached_from(*graph_, from);
  TransferCut found{BytesPerSecond{static_cast<double>(flow)}, {}};
  for (const NamedLink& each : links_) {
    if (reached[each.from] && !reached[each.to]) {
      found.links.push_back(each.link);
    }
  }
  return found;
}

std::optional<TransferCut> FlowNetwork::narrowest_cut(std::span<const std::size_t> vertices) {
  std::optional<TransferCut> found;
  for (std::size_t i = 1; i < vertices.size(); ++i) {
    const auto [root, other] = std::pair{vertices[0], vertices[i]};
    for (const auto& [from, to] : {std::pair{root, other}, std::pair{other, root}}) {
      TransferCut each = cut(from, to);
      if (!found || each.capacity < found->capacity) {
        found = std::move(each);
      }
    }
  }
  return found;
}

}  // namespace ringcast::detail
