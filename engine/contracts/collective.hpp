#pragma once

#include <cstdint>
#include <string_view>

#include "engine/contracts/transport.hpp"

namespace ringcast {

/// What every rank asks for, equal on all ranks but for the BufferId.
struct CollectiveRequest {
  BufferId data{};
  std::uint64_t elements = 0;
};

/// A collective operation in place on `data`: every rank calls run() with the same request.
class Collective {
 public:
  virtual ~Collective() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  virtual void run(const CollectiveRequest& request, RankContext& self) const = 0;
};

}  // namespace ringcast
