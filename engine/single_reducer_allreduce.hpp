#pragma once

#include "engine/collective.hpp"
#include "engine/collective_options.hpp"

namespace ringcast {

/// Everyone sends to the rank at position 0, which combines what comes in the order of positions
/// and sends the result back to each: what a parameter server does, and the naive way that the ring
/// is measured against (Gibiansky 2017, "Bringing HPC Techniques to Deep Learning"). All of
/// 2(n - 1) buffers cross the one cable of that rank.
///
/// Contributions come one after the other: together they would be no faster, since they share the
/// cable, and would need n - 1 buffers of scratch. Within one, segments overlap with the reduction.
class SingleReducerAllreduce final : public Collective {
 public:
  explicit SingleReducerAllreduce(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "single-reducer"; }
  [[nodiscard]] static double messages(const CollectiveOptions& options, std::uint64_t elements,
                                       Bytes element_size);
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

}  // namespace ringcast
