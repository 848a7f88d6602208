#pragma once

namespace simgrid {
namespace s4u {
class Comm;
}  // namespace s4u
namespace kernel::resource {
class Action;
}  // namespace kernel::resource
}  // namespace simgrid

namespace ringcast {

/// The flows of the Platform between two hosts, one at a time.
class NetworkFlow {
 public:
  NetworkFlow() = default;
  NetworkFlow(const NetworkFlow&) = delete;
  NetworkFlow& operator=(const NetworkFlow&) = delete;
  ~NetworkFlow() { cancel(); }

  /// Ends the flow in flight at once; on_flow_end() does not report it.
  void cancel() noexcept;
  /// To be called when the Platform reports the flow's end.
  void ended() { running_ = nullptr; }

 private:
  friend class Platform;
  simgrid::s4u::Comm* comm_ = nullptr;
  simgrid::kernel::resource::Action* running_ = nullptr;
};

}  // namespace ringcast
