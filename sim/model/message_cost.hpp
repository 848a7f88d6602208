#pragma once

#include <cstdint>

#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The costs of the messages on one path: the same for every way of finding a time.
///
/// Messages of one tag follow each other, as on one connection. A message may take the wire when
/// both sides are there and its overhead and latency have passed, but not before the message ahead
/// of it has left and its own overhead is paid:
///   begin = max(max(sent, received) + overhead + latency(length), end of the one ahead + overhead)
/// From then on it is a flow of on_wire() bytes, no faster than limit().
class MessageCost {
 public:
  /// Both must outlive this. `later`: for each message.
  MessageCost(const TransferPaths& paths, const TransferPath& path, Seconds later = Seconds{0})
      : paths_{&paths}, path_{&path}, later_{later} {}

  [[nodiscard]] const TransferPath& path() const { return *path_; }
  /// For which the next message of the stream waits.
  [[nodiscard]] Seconds overhead() const { return path_->overhead; }
  /// From the moment that both sides are there to the first byte: overhead, cables, handshake,
  /// filling of the staging buffer.
  [[nodiscard]] Seconds delay(Bytes length) const {
    return path_->overhead + paths_->latency(*path_, length) + later_;
  }
  /// Whether a message sent with Returns, or its answer, costs other than a message.
  [[nodiscard]] bool lends() const { return path_->lent_share > 0; }
  /// The bytes on the cables.
  [[nodiscard]] Bytes on_wire(Bytes length, bool is_lent) const;
  /// The limit of the flow of a message whose payload arrives no faster than `payload`; zero: none.
  /// The rate of a lent message includes its reduction.
  [[nodiscard]] BytesPerSecond limit(Bytes length, BytesPerSecond payload, bool is_lent) const;
  /// The time at which a message could take a free wire.
  [[nodiscard]] Seconds ready(Seconds sent, Seconds received, Bytes length) const {
    return std::max(sent, received) + delay(length);
  }
  /// The time at which it does, behind a message that has left at `ahead`.
  [[nodiscard]] Seconds begin(Seconds ready, Seconds ahead) const {
    return std::max(ready, ahead + overhead());
  }

 private:
  const TransferPaths* paths_;
  const TransferPath* path_;
  Seconds later_;
};

/// Delays that show whether nanoseconds change a time: messages from one place to another are later
/// by a part of `most_delay` that follows from the places and the seed, but looks random.
inline constexpr Seconds most_delay{1e-9};
[[nodiscard]] Seconds random_delay(std::uint64_t seed, std::uint64_t from, std::uint64_t to);

/// The cost of a rank's reductions.
struct ReductionCost {
  BytesPerSecond rate{0};  // zero: no time per byte
  Seconds overhead{0};     // of each that is no part of a receive

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
