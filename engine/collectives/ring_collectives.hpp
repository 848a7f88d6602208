#pragma once

#include "engine/collectives/collective_options.hpp"
#include "engine/contracts/collective.hpp"

namespace ringcast {

/// Each element ends combined on one rank: chunk p of each channel's share on the rank at position
/// p of that channel's ring. The rest of the buffer holds partial results.
/// n - 1 steps; every rank sends (n - 1)/n of the buffer.
class RingReduceScatter final : public Collective {
 public:
  /// Throws ContractViolation without channels, with rings of different sizes, or a zero segment.
  explicit RingReduceScatter(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "ring-reduce-scatter"; }
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

/// The reverse of the distribution that reduce-scatter leaves: every rank ends with every chunk.
class RingAllGather final : public Collective {
 public:
  explicit RingAllGather(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "ring-all-gather"; }
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

/// Reduce-scatter, then all-gather: 2(n - 1) steps, 2(n - 1)/n of the buffer sent by each rank
/// (Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of
/// workstations"). Segments flow from one phase into the other without a stop between them.
class RingAllreduce final : public Collective {
 public:
  using ReduceHalf = RingReduceScatter;
  using GatherHalf = RingAllGather;

  explicit RingAllreduce(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "ring"; }
  [[nodiscard]] static double messages(const CollectiveOptions& options, std::uint64_t elements,
                                       Bytes element_size);
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

/// The root's buffer travels once round each ring, segment by segment.
class RingBroadcast final : public Collective {
 public:
  RingBroadcast(CollectiveOptions options, Rank root);
  [[nodiscard]] std::string_view name() const override { return "ring-broadcast"; }
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
  Rank root_;
};

}  // namespace ringcast
