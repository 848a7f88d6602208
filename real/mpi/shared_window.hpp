#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "real/mpi/segment.hpp"

namespace ringcast {

/// Where the bytes of a message lie: in a segment of its sender, if they are not in the envelope.
struct Parcel {
  std::uint64_t length = 0;
  std::uint64_t offset = 0;
  std::uint64_t segment_size = 0;
  std::int32_t segment = 0;
  std::uint32_t ticket = 0;
  /// Under which tag the receiver will answer, if they are lent.
  std::optional<std::int32_t> back = std::nullopt;
  /// It writes the answer to the same bytes; else it is a message like all others.
  bool is_answered_in_place = false;
};

/// A message as its sender describes it to a rank of the same host. The small ones are in it.
struct alignas(64) Envelope {
  /// The largest message that travels in its envelope, copied in and out.
  static constexpr std::uint64_t most_content = 4096;

  /// The sequence number of the message from sender to receiver, from 1 on; set last.
  std::atomic<std::uint64_t> number{0};
  std::int32_t tag = 0;
  std::uint32_t run = 0;
  Parcel parcel;
  alignas(64) std::array<std::byte, most_content> content;
};

/// The state of a large message, by which its sender learns its fate.
struct alignas(64) Ticket {
  /// Lent bytes that are answered in place are `read` until then.
  enum class State : std::uint32_t {
    unused,
    posted,
    moving,
    read,
    done,
    refused,
    misanswered,
    withdrawn
  };
  std::atomic<State> state{State::unused};
  /// The length that the receiver expected, if it refused, or of the answer, if that did not fit.
  std::uint64_t other_length = 0;
};

/// The shared memory of a rank: its messages to each other rank of its host.
class SharedWindow {
 public:
  /// Envelopes to one receiver that it has not taken yet; more messages wait with their sender.
  static constexpr std::uint64_t most_envelopes = 64;
  static constexpr std::uint32_t tickets = 1024;

  /// A new window for this number of receivers; `mark` is unique to it.
  SharedWindow(int receivers, std::uint64_t mark);
  /// The window of another process.
  SharedWindow(int receivers, pid_t owner, int descriptor);

  [[nodiscard]] int descriptor() const { return segment_.descriptor(); }
  [[nodiscard]] std::uint64_t mark() const { return head().mark; }
  [[nodiscard]] Envelope& envelope(int receiver, std::uint64_t number);
  /// How many messages the receiver has taken.
  [[nodiscard]] std::atomic<std::uint64_t>& taken(int receiver);
  [[nodiscard]] Ticket& ticket(std::uint32_t index);

 private:
  struct alignas(64) Head {
    std::uint64_t mark = 0;
    std::array<Ticket, tickets> all_tickets{};
  };
  struct Line {
    alignas(64) std::atomic<std::uint64_t> taken{0};
    std::array<Envelope, most_envelopes> envelopes{};
  };

  [[nodiscard]] static Bytes size_for(int receivers);
  [[nodiscard]] Head& head() const;
  [[nodiscard]] Line& line(int receiver) const;

  Segment segment_;
};

}  // namespace ringcast
