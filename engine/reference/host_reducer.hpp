#pragma once

#include "engine/reference/host_memory.hpp"

namespace ringcast {

/// Reduces on the CPU, in the calling thread: every operation completes when it is started.
class HostReducer final : public Reducer {
 public:
  /// `memory` must outlive this.
  HostReducer(Reduction reduction, AddressableMemory& memory)
      : reduction_{reduction}, memory_{&memory} {}
  [[nodiscard]] Reduction reduction() const override { return reduction_; }
  Pending accumulate(Slice into, Slice from) override;
  Pending finish(Slice into, int ranks) override;

 private:
  Reduction reduction_;
  AddressableMemory* memory_;
};

}  // namespace ringcast
