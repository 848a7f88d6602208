#pragma once

#include "engine/contracts/transport.hpp"
#include "engine/numbers/element.hpp"

namespace ringcast {

/// The backend that defines correct behaviour: a thread per rank in this process, host memory, and
/// rendezvous sends, so that programs cannot rely on buffering.
class ReferenceTransport final : public Transport {
 public:
  /// Throws ContractViolation unless ranks > 0.
  ReferenceTransport(int ranks, Reduction reduction);
  [[nodiscard]] std::string_view name() const override { return "reference"; }
  [[nodiscard]] int size() const override { return ranks_; }
  void run(const RankProgram& program) override;

 private:
  int ranks_;
  Reduction reduction_;
};

}  // namespace ringcast
