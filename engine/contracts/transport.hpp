#pragma once

#include <functional>
#include <string_view>

#include "engine/contracts/endpoint.hpp"
#include "engine/contracts/processor.hpp"
#include "engine/contracts/reducer.hpp"

namespace ringcast {

/// All that one rank may touch. Valid only while its program runs.
struct RankContext {
  Endpoint& network;
  Memory& memory;
  Reducer& reducer;
  Processor& processor;
};

using RankProgram = std::function<void(RankContext&)>;

/// A backend: something that can run one program on every rank.
///
/// - All ranks: run() returns when the program has returned on every rank that this process hosts.
/// - Failure: if a rank throws, the others are stopped and the first exception is rethrown.
/// - Deadlock: if every rank is blocked, each waiting for the other, TransportError
///   is thrown; a run that did not end has no time.
class Transport {
 public:
  virtual ~Transport() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void run(const RankProgram& program) = 0;
};

}  // namespace ringcast
