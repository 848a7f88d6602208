#pragma once

#include "engine/collectives/collective_options.hpp"
#include "engine/collectives/parameter_server_pull.hpp"
#include "engine/contracts/collective.hpp"

namespace ringcast {

/// The first half: what ParameterServerAllreduce does until the servers have their results.
class ParameterServerPush final : public Collective {
 public:
  explicit ParameterServerPush(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "parameter-server-push"; }
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

/// Each server holds a shard of the buffer: every worker pushes its part of the shard to the
/// server, which combines what comes and sends the result back to all (Li et al. 2014, "Scaling
/// Distributed Machine Learning with the Parameter Server", in synchronous steps). A server adds
/// the workers in a fixed sequence, so that sums have the same bits every time: the workers after
/// it in the first channel's order, one after the other. Thus no two servers wait for one worker at
/// a time. Several contributions at once (CollectiveOptions::serve_at_once) are no faster where
/// they share the server's cable; they need scratch of a shard for each worker.
///
/// A server may be a worker too. A rank beyond those of the ring orders is a dedicated server: it
/// calls run() with a buffer of the same length, whose content is ignored, and ends with the result
/// of its shard in it. Job: the ranks of the ring orders and the dedicated servers, without gaps.
///
/// Segments go through in blocks: while one block is pushed, the results of those before travel
/// back.
class ParameterServerAllreduce final : public Collective {
 public:
  using ReduceHalf = ParameterServerPush;
  using GatherHalf = ParameterServerPull;

  explicit ParameterServerAllreduce(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "parameter-server"; }
  [[nodiscard]] static double messages(const CollectiveOptions& options, std::uint64_t elements,
                                       Bytes element_size);
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

}  // namespace ringcast
