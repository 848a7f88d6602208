#include "real/gpu/device_endpoint.hpp"

#include "engine/contracts/contract_checks.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

class DeviceEndpoint::Operation final : public Pending::Operation {
 public:
  Operation(DeviceEndpoint& endpoint, DeviceMessage message)
      : endpoint_{&endpoint}, message_{std::move(message)} {
    endpoint_->traffic_->post(message_);
  }
  void wait() override {
    try {
      endpoint_->finish(message_);
    } catch (...) {
      drop();
      throw;
    }
    if (message_.state == DeviceMessage::State::failed) {
      throw TransportError{message_.failure};
    }
  }
  /// Waits for a transfer in flight: nothing may write into the slice after the owner has it back.
  void cancel() noexcept override {
    try {
      if (!endpoint_->traffic_->withdraw(message_)) {
        endpoint_->finish(message_);
      }
    } catch (...) {
      drop();
    }
  }

 private:
  void drop() noexcept {
    endpoint_->is_broken_ = true;
    endpoint_->traffic_->forget(message_);
  }

  DeviceEndpoint* endpoint_;
  DeviceMessage message_;
};

DeviceEndpoint::DeviceEndpoint(const Wire& wire, DeviceTraffic& traffic, Watch& watch,
                               Bytes element_size, Seconds timeout)
    : wire_{&wire},
      traffic_{&traffic},
      watch_{&watch},
      element_size_{element_size},
      timeout_{timeout} {}

Pending DeviceEndpoint::send(Rank to, Slice source, Tag tag, Returns /*returns*/) {
  return post(DeviceMessage::Kind::send, to, source, tag);
}

Pending DeviceEndpoint::recv(Rank from, Slice destination, Tag tag) {
  return post(DeviceMessage::Kind::recv, from, destination, tag);
}

Pending DeviceEndpoint::recv_accumulate(Rank from, Slice into, Tag tag) {
  expect_whole_elements(into, element_size_);
  return post(DeviceMessage::Kind::recv_accumulate, from, into, tag);
}

Pending DeviceEndpoint::post(DeviceMessage::Kind kind, Rank peer, Slice slice, Tag tag) {
  expect_valid_message(*this, peer, slice);
  strand_ = std::this_thread::get_id();
  return Pending{std::make_unique<Operation>(*this, DeviceMessage{kind, peer, tag, slice})};
}

void DeviceEndpoint::make_progress() {
  if (strand_.load() == std::this_thread::get_id()) {
    traffic_->progress();
    watch_->check();
  }
}

void DeviceEndpoint::finish(DeviceMessage& message) {
  constexpr unsigned tries_between_checks = 64;  // a check costs a call per rank
  Clock::time_point last_moved = Clock::now();
  for (unsigned tries = 1; message.is_in_flight(); ++tries) {
    if (is_broken_) {
      throw TransportError{traffic_->describe(message) + ": the run has failed before"};
    }
    if (traffic_->progress()) {
      last_moved = Clock::now();
      continue;
    }
    if (tries % tries_between_checks == 0) {
      watch_->check();
      if (Clock::now() - last_moved > timeout_) {
        watch_->give_up(message.peer, traffic_->describe(message));
      }
    }
    std::this_thread::yield();  // there may be more ranks than cores
  }
}

}  // namespace ringcast
