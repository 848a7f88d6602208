#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "engine/contracts/endpoint.hpp"
#include "real/gpu/device_traffic.hpp"

namespace ringcast {

/// A rank's endpoint for messages between devices. Every wait makes progress on all messages of the
/// rank.
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

  /// Makes progress on messages during waits for other work, if called from the thread that posted
  /// the last message. Throws Stopped if another rank has failed.
  void make_progress();

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
