#include "topology/rings/fabric_cuts.hpp"

#include <algorithm>
#include <map>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {

namespace {

/// Minimum cuts are searched for at most this many links, over all pairs of nodes: some 0.1 s.
constexpr std::size_t most_links = 100'000;

/// The flow network of the fabric: a vertex for each switch and for each node of the job. Other
/// nodes do not forward data.
class FabricFlow {
 public:
  FabricFlow(const Topology& topology, const std::vector<JobNode>& job, const BoundedRings& bounded)
      : topology_{&topology}, bounded_{&bounded} {
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
      flows_.connect(ends.first, ends.second, rate);
    }
  }

  /// The narrowest cut that separates some of these nodes of the job.
  std::optional<TransferCut> narrowest_cut(const std::vector<JobNode>& job,
                                           const std::vector<std::size_t>& nodes) {
    std::vector<std::size_t> vertices;
    vertices.reserve(nodes.size());
    for (const std::size_t each : nodes) {
      vertices.push_back(vertex(-1 - job[each].node));
    }
    return flows_.narrowest_cut(vertices);
  }

 private:
  std::size_t vertex(int element) {
    const auto [known, is_new] = vertices_.try_emplace(element, 0);
    if (is_new) {
      known->second = flows_.add_vertex();
    }
    return known->second;
  }

  void add_link(int from, int to, std::size_t number) {
    const LinkId link{static_cast<int>(number)};
    const std::pair ends{vertex(from), vertex(to)};
    flows_.name_link(link, ends.first, ends.second);
    rates_[ends] += static_cast<FlowNetwork::Rate>(
        bounded_->rate_over(topology_->links()[index_of(link)].bandwidth));
  }

  const Topology* topology_;
  const BoundedRings* bounded_;
  FlowNetwork flows_;
  std::map<int, std::size_t> vertices_;  // by switch, or -1 - node
  std::map<std::pair<std::size_t, std::size_t>, FlowNetwork::Rate>
      rates_;  // parallel cables as one
};

}  // namespace

std::optional<TransferCut> narrowest_fabric_cut(const Topology& topology,
                                                const std::vector<JobNode>& job,
                                                const std::vector<std::size_t>& nodes,
                                                const BoundedRings& bounded) {
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
  return FabricFlow{topology, job, bounded}.narrowest_cut(job, nodes);
}

}  // namespace ringcast::detail
