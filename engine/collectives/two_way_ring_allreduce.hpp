#pragma once

#include "engine/collectives/ring_collectives.hpp"

namespace ringcast {

/// Half of each channel goes round its ring forwards, half backwards, so that both directions of
/// the cables between neighbours carry something.
class TwoWayRingAllreduce final : public Collective {
 public:
  explicit TwoWayRingAllreduce(const CollectiveOptions& options);
  [[nodiscard]] std::string_view name() const override { return "two-way-ring"; }
  [[nodiscard]] static double messages(const CollectiveOptions& options, std::uint64_t elements,
                                       Bytes element_size);
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  RingAllreduce both_ways_;
};

}  // namespace ringcast
