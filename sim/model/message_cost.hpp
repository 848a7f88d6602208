#pragma once

#include <cstdint>

#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The costs of the messages on one path, shared by all backends and recurrences.
///
/// Messages of one tag follow each other, as on one connection. A message takes the wire once both
/// sides are posted and its overhead and latency have elapsed, but not earlier than its overhead
/// after the end of the message before it:
///   begin = max(max(sent, received) + overhead + latency(length), previous end + overhead)
/// From then on it is a flow of on_wire() bytes with a rate of at most limit().
class MessageCost {
 public:
  /// Both must outlive this. `extra_delay`: of each message.
  MessageCost(const TransferPaths& paths, const TransferPath& path,
              Seconds extra_delay = Seconds{0})
      : paths_{&paths}, path_{&path}, extra_delay_{extra_delay} {}

  [[nodiscard]] const TransferPath& path() const { return *path_; }
  /// Separates a message from the end of the one before it.
  [[nodiscard]] Seconds overhead() const { return path_->overhead; }
  /// From the later post to the first byte: overhead, latency of the cables, handshake, filling of
  /// the staging buffer.
  [[nodiscard]] Seconds delay(Bytes length) const {
    return path_->overhead + paths_->latency(*path_, length) + extra_delay_;
  }
  /// Whether messages sent with Returns, and their answers, cost less or more than others.
  [[nodiscard]] bool lends() const { return path_->lent_share > 0; }
  /// The bytes on the cables.
  [[nodiscard]] Bytes on_wire(Bytes length, bool is_lent) const;
  /// The rate limit of the flow of a message whose payload has the rate limit `payload`; zero:
  /// none. The rate of a lent message includes its reduction.
  [[nodiscard]] BytesPerSecond limit(Bytes length, BytesPerSecond payload, bool is_lent) const;
  /// The time at which a message can take the wire if that is free.
  [[nodiscard]] Seconds ready(Seconds sent, Seconds received, Bytes length) const {
    return std::max(sent, received) + delay(length);
  }
  /// The time at which it does, after a message that ended at `previous_end`.
  [[nodiscard]] Seconds begin(Seconds ready, Seconds previous_end) const {
    return std::max(ready, previous_end + overhead());
  }

 private:
  const TransferPaths* paths_;
  const TransferPath* path_;
  Seconds extra_delay_;
};

/// Delays that show how much a time depends on nanoseconds: pseudo-random, uniform in
/// [0, most_delay), a function of the seed and of the message's two ends.
inline constexpr Seconds most_delay{1e-9};
[[nodiscard]] Seconds random_delay(std::uint64_t seed, std::uint64_t from, std::uint64_t to);

/// The cost of a rank's reductions.
struct ReductionCost {
  BytesPerSecond rate{0};  // zero: no time per byte
  Seconds overhead{0};     // of each that is not fused with a receive

  /// `is_gpu`: other ranks reduce on their hosts, without a kernel to launch.
  ReductionCost(const TransportProfile& profile, bool is_gpu)
      : rate{is_gpu ? profile.reduce_rate : profile.host_reduce_rate},
        overhead{is_gpu ? profile.reduce_overhead : Seconds{0}} {}
  [[nodiscard]] Seconds in_receive(Bytes length) const {
    return rate > BytesPerSecond{0} ? length / rate : Seconds{0};
  }
  [[nodiscard]] Seconds after_receive(Bytes length) const { return overhead + in_receive(length); }
};

}  // namespace ringcast
