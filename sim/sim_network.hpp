#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/endpoint.hpp"
#include "engine/host_memory.hpp"
#include "engine/reducer.hpp"
#include "sim/platform.hpp"

namespace ringcast {

/// One message that was delivered. Its bytes were on the wire from `begin` to `end`.
struct DeliveredMessage {
  Rank from;
  Rank to;
  Tag tag;
  Bytes length;
  Seconds begin;
  Seconds end;
};

/// What went from one rank to another.
struct PairTraffic {
  Rank from;
  Rank to;
  std::uint64_t messages = 0;
  Bytes bytes;
};

/// The messages between simulated ranks: matching, order within a tag, data, and the record of it.
class SimNetwork {
 public:
  struct Options {
    bool record_messages = false;
    /// Called after every 4,096th message with the number delivered so far.
    std::function<void(std::uint64_t messages)> progress;
  };

  SimNetwork(Platform& platform, const TransportProfile& profile, Options options);
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;
  ~SimNetwork();

  /// The endpoint of one rank, for use inside its actor. `data` is null when only sizes travel.
  [[nodiscard]] std::unique_ptr<Endpoint> endpoint(Rank rank, Memory& memory, HostMemory* data,
                                                   Reducer& reducer);
  /// From now on dropped operations are left alone: the simulation is being torn down.
  void stop();
  /// Which rank waits for what, for the message about a deadlock.
  [[nodiscard]] std::string blocked_ranks() const;
  [[nodiscard]] std::vector<PairTraffic> traffic() const;
  [[nodiscard]] const std::vector<DeliveredMessage>& messages() const;

 private:
  class BlockedHere;
  class SimEndpoint;
  class SendOperation;
  class RecvOperation;
  struct BlockedOn;
  struct Message;
  struct Stream;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringcast
