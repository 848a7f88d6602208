#pragma once

#include <functional>
#include <string_view>

#include "engine/contracts/endpoint.hpp"
#include "engine/contracts/processor.hpp"
#include "engine/contracts/reducer.hpp"

namespace ringcast {

/// One rank's access to its backend. Valid only while the rank's program runs.
struct RankContext {
  Endpoint& network;
  Memory& memory;
  Reducer& reducer;
  Processor& processor;
};

/// A rank's program: the same on every rank; `network` has the rank's number.
using RankProgram = std::function<void(RankContext&)>;

/// A backend, which runs one program on every rank.
///
/// - All ranks: run() returns when the program has returned on every rank that this process hosts.
/// - Failure: if a rank throws, the others are stopped and the first exception is rethrown.
/// - Deadlock: if every rank is blocked, each waiting for another, run() throws TransportError.
class Transport {
 public:
  virtual ~Transport() = default;
  /// For tables and messages.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// The ranks of the job, on all processes together.
  [[nodiscard]] virtual int size() const = 0;
  virtual void run(const RankProgram& program) = 0;
};

}  // namespace ringcast
