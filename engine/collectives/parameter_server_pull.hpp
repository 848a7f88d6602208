#pragma once

#include "engine/collectives/collective_options.hpp"
#include "engine/contracts/collective.hpp"

namespace ringcast {

/// The second half of ParameterServerAllreduce: each server sends its shard to all workers, in
/// blocks of segments, of which three are under way. Dedicated servers get nothing.
class ParameterServerPull final : public Collective {
 public:
  explicit ParameterServerPull(CollectiveOptions options);
  [[nodiscard]] std::string_view name() const override { return "parameter-server-pull"; }
  void run(const CollectiveRequest& request, RankContext& self) const override;

 private:
  CollectiveOptions options_;
};

}  // namespace ringcast
