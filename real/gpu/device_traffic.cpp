#include "real/gpu/device_traffic.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using Kind = DeviceMessage::Kind;
using State = DeviceMessage::State;

/// Several streams, so that a message of one channel does not wait for one of another. More streams
/// than channels that share a GPU's copy engines gain nothing.
constexpr std::size_t most_streams = 4;
/// Concurrent transfers of a lane: while one is in flight the next can begin.
constexpr std::size_t most_moving = 4;

}  // namespace

DeviceTraffic::DeviceTraffic(int run, const MoveTools& tools, Device& device, DeviceMemory& memory,
                             const std::vector<DeviceRoute>& routes)
    : run_{run}, tools_{tools}, device_{&device}, memory_{&memory}, routes_{&routes} {}

DeviceTraffic::Lane& DeviceTraffic::lane_of(Lanes& lanes, Rank peer, Tag tag) {
  const auto known = lanes.find({peer, tag});
  if (known != lanes.end()) {
    return known->second;
  }
  if (streams_.size() < most_streams) {
    streams_.push_back(device_->make_stream());
  }
  DeviceStream& stream = *streams_[next_stream_++ % streams_.size()];
  return lanes.emplace(LaneKey{peer, tag}, stream).first->second;
}

Note DeviceTraffic::note_of(Note::Kind kind, const DeviceMessage& message) const {
  Note note;
  note.kind = kind;
  note.run = run_;
  note.message = message.id;
  note.tag = static_cast<int>(message.tag);
  note.path = message.path;
  note.length = message.slice.length.count();
  return note;
}

void DeviceTraffic::post(DeviceMessage& message) {
  message.place = memory_->find(message.slice);
  if (message.kind == Kind::send) {
    offer(message);
    return;
  }
  Lane& lane = lane_of(incoming_, message.peer, message.tag);
  lane.posted.push_back(&message);
  match(message.peer, lane);
}

void DeviceTraffic::offer(DeviceMessage& message) {
  const DeviceRoute& route = (*routes_)[static_cast<std::size_t>(index_of(message.peer))];
  if (!route.refusal.empty()) {
    throw BackendUnavailable{route.refusal};
  }
  message.path = route.path;
  message.id = ++sent_;
  Note note = note_of(Note::Kind::offer, message);
  if (route.path == MessagePath::ipc) {
    note.block = message.place.block;
    note.offset = message.place.offset.count();
    note.handle = memory_->handle_of(message.place.block);
  }
  sends_.emplace(message.id, &message);
  tools_.wire->post(message.peer, note);
}

bool DeviceTraffic::withdraw(DeviceMessage& message) {
  if (message.state != State::posted) {
    return false;
  }
  if (message.kind == Kind::send) {
    sends_.erase(message.id);
    tools_.wire->post(message.peer, note_of(Note::Kind::withdrawn, message));
  } else {
    lane_of(incoming_, message.peer, message.tag).posted.remove(&message);
  }
  return true;
}

void DeviceTraffic::forget(DeviceMessage& message) noexcept {
  const bool is_sent = message.kind == Kind::send;
  Lanes& lanes = is_sent ? outgoing_ : incoming_;
  const auto lane = lanes.find({message.peer, message.tag});
  if (lane != lanes.end()) {
    lane->second.posted.remove(&message);
    lane->second.moving.remove(&message);
  }
  if (is_sent) {
    sends_.erase(message.id);
  }
}

bool DeviceTraffic::progress() {
  bool moved = false;
  while (const std::optional<ArrivedNote> arrived = tools_.wire->poll()) {
    if (arrived->note.run == run_) {
      handle(*arrived);
      moved = true;
    }
  }
  for (Lanes* lanes : {&incoming_, &outgoing_}) {
    for (auto& [key, lane] : *lanes) {
      moved |= advance(lane);
    }
  }
  return moved;
}

void DeviceTraffic::handle(const ArrivedNote& arrived) {
  const Note& note = arrived.note;
  if (note.kind == Note::Kind::offer) {
    Lane& lane = lane_of(incoming_, arrived.from, Tag{note.tag});
    lane.offers.push_back(note);
    match(arrived.from, lane);
  } else if (note.kind == Note::Kind::withdrawn) {
    take_offer_back(arrived.from, note);
  } else {
    handle_answer(arrived);
  }
}

void DeviceTraffic::take_offer_back(Rank from, const Note& note) {
  Lane& lane = lane_of(incoming_, from, Tag{note.tag});
  std::erase_if(lane.offers, [&](const Note& offer) { return offer.message == note.message; });
  for (std::size_t i = 0; i < lane.moving.size(); ++i) {
    DeviceMessage& message = *lane.moving[i];
    if (message.id == note.message && message.path != MessagePath::ipc) {
      message.pipeline.reset();  // its bytes will not arrive
      message.state = State::failed;
      message.failure = fmt::format("{}: its sender dropped it", describe(message));
      lane.moving.remove(&message);
      return;
    }
  }
}

/// Handles a receiver's note about a message of this rank, which may have been cancelled since.
void DeviceTraffic::handle_answer(const ArrivedNote& arrived) {
  const auto found = sends_.find(arrived.note.message);
  if (found == sends_.end()) {
    return;
  }
  DeviceMessage& message = *found->second;
  switch (arrived.note.kind) {
    case Note::Kind::ready:
      return begin_sending(message);
    case Note::Kind::mismatch:
      fail(message, "expects", arrived.note.length);
      break;
    default:
      message.state = State::done;
  }
  sends_.erase(found);
}

void DeviceTraffic::match(Rank peer, Lane& lane) {
  while (!lane.posted.empty() && !lane.offers.empty()) {
    DeviceMessage& message = *lane.posted.pop_front();
    const Note offer = lane.offers.front();
    lane.offers.erase(lane.offers.begin());
    message.id = offer.message;
    message.path = offer.path;
    if (offer.length == message.slice.length.count()) {
      accept(message, offer, lane);
    } else {
      fail(message, "sends", offer.length);
      tools_.wire->post(peer, note_of(Note::Kind::mismatch, message));
    }
  }
}

void DeviceTraffic::accept(DeviceMessage& message, const Note& offer, Lane& lane) {
  std::byte* const mine = message.place.address;
  const Bytes length = message.slice.length;
  const bool accumulates = message.kind == Kind::recv_accumulate;
  if (message.path == MessagePath::ipc) {
    const std::byte* const theirs = open(message.peer, offer);
    message.pipeline = std::make_unique<Pipeline>(
        accumulates ? accumulate_pipeline(tools_, mine, theirs, length, *lane.stream)
                    : copy_pipeline(tools_, mine, theirs, length, *lane.stream));
  } else {
    const WireMessage on_wire{message.peer, message.id, message.path, length};
    message.pipeline = std::make_unique<Pipeline>(
        accumulates ? receive_accumulate_pipeline(tools_, on_wire, mine, *lane.stream)
                    : receive_pipeline(tools_, on_wire, mine, *lane.stream));
    tools_.wire->post(message.peer, note_of(Note::Kind::ready, message));
  }
  message.state = State::moving;
  lane.moving.push_back(&message);
}

void DeviceTraffic::begin_sending(DeviceMessage& message) {
  Lane& lane = lane_of(outgoing_, message.peer, message.tag);
  const WireMessage on_wire{message.peer, message.id, message.path, message.slice.length};
  message.pipeline = std::make_unique<Pipeline>(
      send_pipeline(tools_, on_wire, message.place.address, *lane.stream));
  message.state = State::moving;
  lane.moving.push_back(&message);
}

const std::byte* DeviceTraffic::open(Rank owner, const Note& offer) {
  OwnedBytes& memory = opened_[{owner, offer.block}];
  if (!memory) {
    memory = device_->open(offer.handle);
  }
  return memory.get() + offer.offset;
}

bool DeviceTraffic::advance(Lane& lane) {
  bool moved = false;
  for (std::size_t i = 0; i < std::min(lane.moving.size(), most_moving); ++i) {
    moved |= lane.moving[i]->pipeline->advance();
  }
  while (!lane.moving.empty() && lane.moving.front()->pipeline->done()) {
    complete(*lane.moving.pop_front());
    moved = true;
  }
  return moved;
}

void DeviceTraffic::complete(DeviceMessage& message) {
  message.state = State::done;
  message.pipeline.reset();
  if (message.kind == Kind::send) {
    sends_.erase(message.id);
  } else if (message.path == MessagePath::ipc) {
    tools_.wire->post(message.peer, note_of(Note::Kind::taken, message));
  }
}

void DeviceTraffic::fail(DeviceMessage& message, std::string_view theirs,
                         std::uint64_t length) const {
  message.state = State::failed;
  message.failure = fmt::format("{}: rank {} {} {} bytes", describe(message),
                                index_of(message.peer), theirs, length);
}

std::string DeviceTraffic::describe(const DeviceMessage& message) const {
  constexpr std::string_view kinds[] = {"send", "recv", "recv_accumulate"};
  return fmt::format("rank {}: {} of {} bytes {} rank {} under tag {}",
                     index_of(tools_.wire->rank()), kinds[static_cast<std::size_t>(message.kind)],
                     message.slice.length.count(), message.kind == Kind::send ? "to" : "from",
                     index_of(message.peer), static_cast<int>(message.tag));
}

}  // namespace ringcast
