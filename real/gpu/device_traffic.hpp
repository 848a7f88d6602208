#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/collectives/fifo.hpp"
#include "engine/contracts/endpoint.hpp"
#include "real/gpu/device_memory.hpp"
#include "real/gpu/device_moves.hpp"
#include "real/gpu/device_routes.hpp"

namespace ringcast {

/// One side of a message, from posting to completion.
struct DeviceMessage {
  enum class Kind { send, recv, recv_accumulate };
  enum class State { posted, moving, done, failed };

  Kind kind;
  Rank peer;
  Tag tag;
  Slice slice;
  DeviceMemory::Place place{};
  std::int64_t id = 0;
  MessagePath path{};
  State state = State::posted;
  std::unique_ptr<Pipeline> pipeline{};
  std::string failure{};

  [[nodiscard]] bool is_in_flight() const {
    return state == State::posted || state == State::moving;
  }
};

/// The messages of one rank in one run. A send offers its slice by a note. The receiver matches the
/// offer with a posted receive, and pulls the bytes or receives them over the wire.
class DeviceTraffic {
 public:
  /// `run` identifies the notes of this run.
  DeviceTraffic(int run, const MoveTools& tools, Device& device, DeviceMemory& memory,
                const std::vector<DeviceRoute>& routes);

  /// The message must not move until it has ended or forget() was called.
  void post(DeviceMessage& message);
  /// Withdraws a message whose transfer has not begun; false if it has.
  bool withdraw(DeviceMessage& message);
  /// Drops all references to the message, in any state.
  void forget(DeviceMessage& message) noexcept;
  /// Makes progress on all messages without blocking; true if any was made.
  bool progress();
  [[nodiscard]] std::string describe(const DeviceMessage& message) const;

 private:
  /// The messages with one tag in one direction between two ranks, in order.
  struct Lane {
    explicit Lane(DeviceStream& used) : stream{&used} {}
    DeviceStream* stream;
    Fifo<DeviceMessage*> posted{};
    std::vector<Note> offers{};
    Fifo<DeviceMessage*> moving{};
  };
  using LaneKey = std::pair<Rank, Tag>;
  using Lanes = std::map<LaneKey, Lane>;

  Lane& lane_of(Lanes& lanes, Rank peer, Tag tag);
  void offer(DeviceMessage& message);
  void handle(const ArrivedNote& arrived);
  void handle_answer(const ArrivedNote& arrived);
  void take_offer_back(Rank from, const Note& note);
  void match(Rank peer, Lane& lane);
  void accept(DeviceMessage& message, const Note& offer, Lane& lane);
  void begin_sending(DeviceMessage& message);
  [[nodiscard]] const std::byte* open(Rank owner, const Note& offer);
  [[nodiscard]] Note note_of(Note::Kind kind, const DeviceMessage& message) const;
  bool advance(Lane& lane);
  void complete(DeviceMessage& message);
  void fail(DeviceMessage& message, std::string_view theirs, std::uint64_t length) const;

  int run_;
  MoveTools tools_;
  Device* device_;
  DeviceMemory* memory_;
  const std::vector<DeviceRoute>* routes_;
  std::int64_t sent_ = 0;
  std::map<std::int64_t, DeviceMessage*> sends_;
  /// Opened allocations of other ranks, by the rank and its number for the block.
  std::map<std::pair<Rank, std::uint64_t>, OwnedBytes> opened_;
  Lanes incoming_;
  Lanes outgoing_;
  /// Declared last: destroying a stream waits for work that uses the members above.
  std::vector<std::unique_ptr<DeviceStream>> streams_;
  std::size_t next_stream_ = 0;
};

}  // namespace ringcast
