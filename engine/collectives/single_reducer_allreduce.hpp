#pragma once

#include "engine/collectives/collective_options.hpp"
#include "engine/contracts/collective.hpp"

namespace ringcast {

/// Everyone sends to the rank at position 0, which combines what comes in the order of positions.
///
/// Contributions come one after the other: together they would be no faster, since they share the
/// cable, and would need n - 1 buffers of scratch. Within one, segments overlap with the reduction.
class SingleReducerReduce final : public Collective {
 public:
  explicit SingleReducerReduce(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "single-reducer-reduce"; }
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

/// The rank at position 0 sends what it has to each.
class SingleReducerBroadcast final : public Collective {
 public:
  explicit SingleReducerBroadcast(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "single-reducer-broadcast"; }
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

/// One, then the other: what a parameter server does, and the naive way that the ring is measured
/// against (Gibiansky 2017, "Bringing HPC Techniques to Deep Learning"). All of 2(n - 1) buffers
/// cross the one cable of that rank.
class SingleReducerAllreduce final : public Collective {
 public:
  using ReduceHalf = SingleReducerReduce;
  using GatherHalf = SingleReducerBroadcast;

  explicit SingleReducerAllreduce(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "single-reducer"; }
  [[nodiscard]] static double messages(const CollectiveOptions& options, std::uint64_t elements,
                                       Bytes element_size);
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  SingleReducerReduce reduce_;
  SingleReducerBroadcast broadcast_;
};

}  // namespace ringcast
