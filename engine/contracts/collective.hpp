#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "engine/contracts/transport.hpp"

namespace ringcast {

/// The arguments of a collective, equal on all ranks except for the BufferId.
struct CollectiveRequest {
  BufferId data{};
  std::uint64_t elements = 0;
};

/// A collective operation in place on `data`.
///
/// - All ranks: every rank of the job calls run() with the same request; ranks need not enter or
///   leave it together.
/// - Sequence: every rank runs its collectives in the same sequence.
/// - Reuse: it keeps no state between runs; one object serves all ranks, also at the same time.
class Collective {
 public:
  virtual ~Collective() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  virtual void run(const CollectiveRequest& request, RankContext& self) const = 0;
};

/// Makes a Collective from a function. The name must outlive it.
[[nodiscard]] std::unique_ptr<Collective> make_collective(
    std::string_view name, std::function<void(const CollectiveRequest&, RankContext&)> run);

}  // namespace ringcast
