#pragma once

#include "engine/collectives/collective_options.hpp"
#include "engine/contracts/collective.hpp"

namespace ringcast {

/// Half of the buffer through each tree of a double binary tree, segment by segment: up, combined
/// on the way, and down again. The number of hops grows with the logarithm of the ranks, and each
/// rank sends and receives 2 buffers at most (Sanders, Speck and Traeff 2009, see double_tree.hpp;
/// in NCCL since 2.4). Without segments each level waits for the whole of the one before.
class DoubleTreeAllreduce final : public Collective {
 public:
  explicit DoubleTreeAllreduce(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "tree"; }
  [[nodiscard]] static double messages(const CollectiveOptions& options, std::uint64_t elements,
                                       Bytes element_size);
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

}  // namespace ringcast
