#pragma once

#include "engine/collectives/collective_options.hpp"
#include "engine/contracts/collective.hpp"
#include "engine/schedule/node_groups.hpp"

namespace ringcast {

/// Reduce-scatter round a ring inside each node; an all-reduce of each chunk round a ring across
/// the nodes, of the ranks that hold it; all-gather inside the node: the steps across the network
/// grow with the nodes, not with the ranks (the 2D-torus all-reduce of Mikami et al. 2018,
/// "Massively Distributed SGD: ImageNet/ResNet-50 Training in a Flash"). Each channel has rings of
/// its own, in its order of ranks. Each phase runs in segments, and ends on a rank before that rank
/// begins the next.
///
/// A share is cut into as many chunks as the largest node has ranks. The ranks of a smaller node
/// hold several consecutive chunks each, as evenly as can be, and are in the ring of each across
/// the nodes; so every rank takes part, and the bytes that enter and leave a node are the least
/// that an all-reduce between the nodes needs.
///
/// On one node it is the ring; with one rank on each node, too.
class HierarchicalRingAllreduce final : public Collective {
 public:
  explicit HierarchicalRingAllreduce(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "hierarchical-ring"; }
  [[nodiscard]] static double messages(const CollectiveOptions& options, std::uint64_t elements,
                                       Bytes element_size);
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
  std::vector<NodeGroups> channels_;
};

}  // namespace ringcast
