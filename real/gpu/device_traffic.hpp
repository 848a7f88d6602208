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

/// One side of a message, from its posting to its end.
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

/// The messages of one rank in one run. A send offers its slice by a note; the receiver matches the
/// offer with what is posted and pulls the bytes, or lets them come over the wire.
class DeviceTraffic {
 public:
  /// `run` marks the notes.
  DeviceTraffic(int run, const MoveTools& tools, Device& device, DeviceMemory& memory,
                const std::vector<DeviceRoute>& routes);

  /// The message stays where it is until it has ended or forget() was called.
  void post(DeviceMessage& message);
  /// Takes a message back that nobody has matched; true if that could be done.
  bool withdraw(DeviceMessage& message);
  /// The message is not touched any more, whatever becomes of it.
  void forget(DeviceMessage& message) noexcept;
  /// Does all that can be done without waiting; true if anything was.
  bool progress();
  [[nodiscard]] std::string describe(const DeviceMessage& message) const;

 private:
  /// The messages one way between two ranks under a tag, in order.
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
  /// Allocations of other ranks by their rank and its name for them.
  std::map<std::pair<Rank, std::uint64_t>, OwnedBytes> opened_;
  Lanes incoming_;
  Lanes outgoing_;
  /// Behind all that they use: destroying a stream waits for its work.
  std::vector<std::unique_ptr<DeviceStream>> streams_;
  std::size_t next_stream_ = 0;
};

}  // namespace ringcast
