#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/simgrid/network_flow.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace simgrid::s4u {
class Host;
}  // namespace simgrid::s4u

namespace ringcast {

/// A job's transfer paths as a SimGrid platform: a host per rank, a link per Link of the Topology,
/// routes computed when a message needs them. One per process, because SimGrid has one engine and
/// one configuration per process; a second throws ContractViolation.
///
/// Links are shared max-min fairly. A flow's latency elapses before it takes any bandwidth, and
/// does not affect the sharing.
class Platform {
 public:
  /// The paths must outlive the platform.
  explicit Platform(const TransferPaths& paths);
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;
  ~Platform();

  [[nodiscard]] int ranks() const { return paths_->ranks(); }
  [[nodiscard]] const TransferPaths& paths() const { return *paths_; }
  [[nodiscard]] simgrid::s4u::Host* host(Rank rank) const;
  [[nodiscard]] Seconds now() const;
  /// Blocks the current actor while a rank copies `size` bytes between its host and device memory.
  void copy(Rank rank, CopyDirection direction, Bytes size) const;

  /// Registers `body` as the program of a rank; run() starts it.
  void start_rank(Rank rank, const std::function<void()>& body);
  /// Blocks the current rank until another one or the kernel wakes it.
  void block() const;
  void wake(Rank rank) const;

  struct FlowSpec {
    Rank from;
    Rank to;
    Bytes bytes;
    Seconds latency;       // until it takes bandwidth
    BytesPerSecond limit;  // zero: none
  };
  /// To be called in the kernel, while `on` has no flow in flight. All flows of `on` have the same
  /// two ranks. `owner`, which must not be null, is passed to the function of on_flow_end().
  void start_flow(NetworkFlow& on, const FlowSpec& flow, void* owner);
  /// Delays each message from now on by the random_delay() of its hosts.
  void delay_messages(std::uint64_t seed) { delay_seed_ = seed; }
  /// `ended` is called in the kernel with the owner of the flow that has just ended.
  void on_flow_end(std::function<void(void* owner)> ended);
  /// Calls `action` in the kernel at the current time, when all ranks are blocked and the kernel
  /// has updated its flows. `action` may start flows.
  void before_time_passes(std::function<void()> action);
  /// Runs all actors. `deadlock` is called if all of them are blocked for ever.
  void run(const std::function<void()>& deadlock);

 private:
  struct Engine;
  const TransferPaths* paths_;
  std::unique_ptr<Engine> engine_;
  std::optional<std::uint64_t> delay_seed_;
};

}  // namespace ringcast
