#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "real/mpi/segment.hpp"

namespace ringcast {

/// The location of a message's bytes, in a segment of its sender, if they are not in the envelope.
struct Parcel {
  std::uint64_t length = 0;
  std::uint64_t offset = 0;
  std::uint64_t segment_size = 0;
  std::int32_t segment = 0;
  std::uint32_t ticket = 0;
  /// The tag of the receiver's answer, if the bytes are lent.
  std::optional<std::int32_t> back = std::nullopt;
  /// Whether the answer is written into the same bytes; if not, it is an ordinary message.
  bool is_answered_in_place = false;
};

/// The description of a message to a rank of the same host, with the content of small messages.
struct alignas(64) Envelope {
  /// The largest message that is copied through its envelope.
  static constexpr std::uint64_t most_content = 4096;

  /// The sequence number of the message from sender to receiver, from 1 on; set last.
  std::atomic<std::uint64_t> number{0};
  std::int32_t tag = 0;
  std::uint32_t run = 0;
  Parcel parcel;
  alignas(64) std::array<std::byte, most_content> content;
};

/// The state of a large message, shared by its sender and receiver.
struct alignas(64) Ticket {
  /// Lent bytes are `read` until they are answered in place.
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
  /// If `refused`, the length that the receiver expected; if `misanswered`, the length of the
  /// answer.
  std::uint64_t other_length = 0;
};

/// The shared memory of a rank, with its messages to every other rank of its host.
class SharedWindow {
 public:
  /// Envelopes per receiver; further messages wait at their sender.
  static constexpr std::uint64_t most_envelopes = 64;
  static constexpr std::uint32_t tickets = 1024;

  /// Creates a window for this number of receivers, with a unique `mark`.
  SharedWindow(int receivers, std::uint64_t mark);
  /// Maps the window of another process.
  SharedWindow(int receivers, pid_t owner, int descriptor);

  [[nodiscard]] int descriptor() const { return segment_.descriptor(); }
  [[nodiscard]] std::uint64_t mark() const { return head().mark; }
  [[nodiscard]] Envelope& envelope(int receiver, std::uint64_t number);
  /// The number of messages that the receiver has taken.
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
