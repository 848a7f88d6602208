#include "topology/fabric_cuts.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

#include "topology/index.hpp"

namespace ringcast::detail {

namespace {

/// Minimum cuts are searched for at most this many links, over all pairs of nodes: some 0.1 s.
constexpr std::size_t most_links = 100'000;

using CutTraits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using CutGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<
        boost::edge_capacity_t, std::int64_t,
        boost::property<boost::edge_residual_capacity_t, std::int64_t,
                        boost::property<boost::edge_reverse_t, CutTraits::edge_descriptor>>>>;

/// The switches, and each node of the job as one vertex. Other nodes forward nothing.
class FabricFlow {
 public:
  FabricFlow(const Topology& topology, const std::vector<JobNode>& job) : topology_{&topology} {
    const Cluster& cluster = topology.cluster();
    std::vector<bool> in_job;
    for (const JobNode& each : job) {
      in_job.resize(std::max(in_job.size(), index(each.node) + 1));
      in_job[index(each.node)] = true;
    }
    const auto element = [&](int at) {
      const int node = cluster.vertices[index(at)].node;
      return node < 0 ? at : -1 - node;
    };
    const auto counts = [&](int each) {
      return each >= 0 || (index(-1 - each) < in_job.size() && in_job[index(-1 - each)]);
    };
    for (std::size_t i = 0; i < cluster.cables.size(); ++i) {
      const int a = element(cluster.cables[i].a);
      const int b = element(cluster.cables[i].b);
      if (a != b && counts(a) && counts(b)) {
        add_link(a, b, 2 * i);
        add_link(b, a, 2 * i + 1);
      }
    }
    for (const auto& [ends, rate] : rates_) {
      connect(ends.first, ends.second, rate);
    }
  }

  TransferCut cut(int from_node, int to_node) {
    const std::size_t from = vertex(-1 - from_node);
    const std::int64_t flow = push_relabel_max_flow(graph_, from, vertex(-1 - to_node));
    const std::vector<bool> reached = reached_from(from);
    TransferCut found{BytesPerSecond{static_cast<double>(flow)}, {}};
    for (const auto& [link, ends] : links_) {
      if (reached[ends.first] && !reached[ends.second]) {
        found.links.push_back(link);
      }
    }
    return found;
  }

 private:
  std::size_t vertex(int element) {
    const auto [known, is_new] = vertices_.try_emplace(element, 0);
    if (is_new) {
      known->second = add_vertex(graph_);
    }
    return known->second;
  }

  void add_link(int from, int to, std::size_t number) {
    const LinkId link{static_cast<int>(number)};
    const std::pair ends{vertex(from), vertex(to)};
    links_.emplace_back(link, ends);
    rates_[ends] += static_cast<std::int64_t>(topology_->links()[index_of(link)].bandwidth.value());
  }

  void connect(std::size_t from, std::size_t to, std::int64_t rate) {
    const auto forth = add_edge(from, to, graph_).first;
    const auto back = add_edge(to, from, graph_).first;
    put(boost::edge_capacity, graph_, forth, rate);
    put(boost::edge_capacity, graph_, back, 0);
    put(boost::edge_reverse, graph_, forth, back);
    put(boost::edge_reverse, graph_, back, forth);
  }

  /// The vertices that the source still reaches once the flow is maximal.
  std::vector<bool> reached_from(std::size_t source) {
    std::vector<bool> reached(num_vertices(graph_));
    std::vector<std::size_t> open{source};
    reached[source] = true;
    while (!open.empty()) {
      const auto [begin, end] = out_edges(open.back(), graph_);
      open.pop_back();
      for (auto edge = begin; edge != end; ++edge) {
        const std::size_t next = target(*edge, graph_);
        if (!reached[next] && get(boost::edge_residual_capacity, graph_, *edge) > 0) {
          reached[next] = true;
          open.push_back(next);
        }
      }
    }
    return reached;
  }

  const Topology* topology_;
  CutGraph graph_;
  std::map<int, std::size_t> vertices_;  // by switch, or -1 - node
  std::vector<std::pair<LinkId, std::pair<std::size_t, std::size_t>>> links_;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> rates_;  // parallel cables as one
};

}  // namespace

std::optional<TransferCut> narrowest_fabric_cut(const Topology& topology,
                                                const std::vector<JobNode>& job,
                                                const std::vector<std::size_t>& nodes) {
  // A fabric has at least as many cables as groups.
  if (nodes.size() < 2 || nodes.size() * nodes.size() > most_links) {
    return std::nullopt;
  }
  const Cluster& cluster = topology.cluster();
  const auto in_fabric = std::ranges::count_if(cluster.cables, [&cluster](const Cable& cable) {
    return cluster.vertices[index(cable.a)].node < 0 || cluster.vertices[index(cable.b)].node < 0;
  });
  if (2 * static_cast<std::size_t>(in_fabric) * nodes.size() > most_links) {
    return std::nullopt;
  }
  FabricFlow fabric{topology, job};
  std::optional<TransferCut> found;
  const int root = job[nodes.front()].node;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const int other = job[nodes[i]].node;
    for (const auto& [from, to] : {std::pair{root, other}, std::pair{other, root}}) {
      TransferCut cut = fabric.cut(from, to);
      if (!found || cut.capacity < found->capacity) {
        found = std::move(cut);
      }
    }
  }
  return found;
}

}  // namespace ringcast::detail
