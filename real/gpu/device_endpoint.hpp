#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "engine/contracts/endpoint.hpp"
#include "real/gpu/device_traffic.hpp"

namespace ringcast {

/// One rank's network between devices. Every wait makes progress on all messages of the rank.
class DeviceEndpoint final : public Endpoint {
 public:
  DeviceEndpoint(const Wire& wire, DeviceTraffic& traffic, Watch& watch, Bytes element_size,
                 Seconds timeout);
  [[nodiscard]] Rank rank() const override { return wire_->rank(); }
  [[nodiscard]] int size() const override { return wire_->size(); }
  [[nodiscard]] Seconds now() const override { return Clock::now() - begin_; }
  Pending send(Rank to, Slice source, Tag tag, Returns returns) override;
  Pending recv(Rank from, Slice destination, Tag tag) override;
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override;

  /// Progress during any other wait: lets messages go on if the calling strand is the one
  /// that posted the last. Throws what ends this rank if another one has failed.
  void attend();

 private:
  using Clock = std::chrono::steady_clock;
  class Operation;
  Pending post(DeviceMessage::Kind kind, Rank peer, Slice slice, Tag tag);
  void finish(DeviceMessage& message);

  const Wire* wire_;
  DeviceTraffic* traffic_;
  Watch* watch_;
  Bytes element_size_;
  Seconds timeout_;
  Clock::time_point begin_ = Clock::now();
  bool is_broken_ = false;
  std::atomic<std::thread::id> strand_{};
};

}  // namespace ringcast
