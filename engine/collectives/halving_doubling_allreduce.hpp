#pragma once

#include "engine/collectives/collective_options.hpp"
#include "engine/contracts/collective.hpp"

namespace ringcast {

/// Reduce-scatter by exchanging halves, quarters, ... of the buffer with partners at distance 1, 2,
/// ...; then all-gather the same way back: 2 log2(n) steps, 2(n - 1)/n of the buffer sent by each
/// rank (Rabenseifner 2004, "Optimization of Collective Reduction Operations"; Thakur, Rabenseifner
/// and Gropp 2005, "Optimization of Collective Communication Operations in MPICH"). The large
/// exchanges are between neighbours of the first channel's order.
///
/// Where n is no power of two, the first positions fold in pairs: of each pair the first hands its
/// buffer to the second, and gets the result at the end.
class HalvingDoublingAllreduce final : public Collective {
 public:
  explicit HalvingDoublingAllreduce(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "recursive-halving-doubling"; }
  [[nodiscard]] static double messages(const CollectiveOptions& options, std::uint64_t elements,
                                       Bytes element_size);
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

}  // namespace ringcast
