#pragma once

#include "engine/collectives/collective_options.hpp"
#include "engine/contracts/collective.hpp"

namespace ringcast {

/// Everyone sends its whole buffer to everyone, and combines all that comes itself, in the order of
/// positions: one step, but n - 1 buffers sent and received by each rank, where a ring takes less
/// than two. The fully connected exchange that Chan, Heimlich, Purkayastha and van de Geijn 2007
/// ("Collective communication: theory, practice, and experience") set out from.
///
/// All arrivals of a segment have to be there before the first is combined, so scratch is n - 1
/// buffers; with segments, 2(n - 1) segments.
class AllToAllAllreduce final : public Collective {
 public:
  explicit AllToAllAllreduce(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "all-to-all"; }
  [[nodiscard]] static double messages(const CollectiveOptions& options, std::uint64_t elements,
                                       Bytes element_size);
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

}  // namespace ringcast
