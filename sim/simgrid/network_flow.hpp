#pragma once

#include <utility>

namespace simgrid::s4u {
class Comm;
}  // namespace simgrid::s4u

namespace ringcast {

/// Owns a flow of the Platform. Empty until assigned; dropping one that is on its way leaves it so.
class NetworkFlow {
 public:
  NetworkFlow() = default;
  explicit NetworkFlow(simgrid::s4u::Comm* comm);
  NetworkFlow(const NetworkFlow&) = delete;
  NetworkFlow& operator=(const NetworkFlow&) = delete;
  NetworkFlow(NetworkFlow&& other) noexcept : comm_{std::exchange(other.comm_, nullptr)} {}
  NetworkFlow& operator=(NetworkFlow&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }
  ~NetworkFlow();

  /// It ends at once, and is not reported to have ended.
  void cancel() noexcept;

 private:
  simgrid::s4u::Comm* comm_ = nullptr;
};

}  // namespace ringcast
