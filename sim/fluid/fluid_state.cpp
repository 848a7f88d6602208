#include <algorithm>

#include "sim/fluid/fluid_simulation.hpp"

namespace ringcast {
namespace {

void add_time(Seconds time, RoundState& state) {
  state.seconds.push_back(std::max(0.0, (time - state.now).count()));
}

/// The posted messages of one side. For those on the wire, the time of posting no longer matters.
void add_queue(const MessageStream::Queue& queue, std::size_t on_wire, const MessageCost& cost,
               RoundState& state) {
  for (std::size_t place = 0; place < queue.size(); ++place) {
    const MessageSide& side = *queue[place];
    state.counts.add(side.length.count());
    state.counts.add((side.is_lent ? 1U : 0U) + (side.limit > BytesPerSecond{0} ? 2U : 0U));
    if (place >= on_wire) {
      add_time(side.posted + cost.delay(side.length), state);
    }
  }
}

}  // namespace

RoundState FluidSimulation::state() const {
  RoundState state;
  state.now = now_;
  state.ranks = rounds_of_ranks();
  state.is_complete = skipper_.has_seen(state.ranks);
  if (!state.is_complete) return state;
  for (const RankState& rank : ranks_) {
    add_time(rank.is_waiting ? rank.wakes : now_, state);
  }
  add_copies(state);
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
    add_stream(stream, state);
    state.traffic.push_back(streams_[stream].messages.traffic());
  }
  return state;
}

Fingerprint FluidSimulation::rounds_of_ranks() const {
  Fingerprint all;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const RankState& rank = ranks_[i];
    all.add(static_cast<std::uint64_t>(skipper_.lead(i)));
    all.add(static_cast<std::uint64_t>(2 * rank.operations + (rank.is_waiting ? 1 : 0)));
  }
  return all;
}

/// The flows of local copies, which follow those of the streams.
void FluidSimulation::add_copies(RoundState& state) const {
  for (std::size_t i = streams_.size(); i < flows_.size(); ++i) {
    const int flow = static_cast<int>(i);
    state.counts.add(flows_.is_active(flow) ? 1U : 0U);
    add_time(flows_.is_active(flow) ? flows_.end(flow) : now_, state);
  }
}

/// The end of the message on the wire, or the earliest begin of the next one, and all posted
/// messages.
void FluidSimulation::add_stream(std::size_t index, RoundState& state) const {
  const MessageStream& stream = streams_[index].messages;
  const int flow = static_cast<int>(index);
  const bool flows = flows_.is_active(flow);
  state.counts.add(stream.sends().size());
  state.counts.add(stream.recvs().size());
  state.counts.add(static_cast<std::uint64_t>(stream.answers_due()));
  state.counts.add((stream.is_busy() ? 1U : 0U) + (flows ? 2U : 0U));
  const Seconds wire = flows ? flows_.end(flow) : stream.first_byte();
  add_time(stream.is_busy() ? wire : stream.last_end() + stream.cost().overhead(), state);
  const std::size_t on_wire = stream.is_busy() ? 1 : 0;
  add_queue(stream.sends(), on_wire, stream.cost(), state);
  add_queue(stream.recvs(), on_wire, stream.cost(), state);
}

}  // namespace ringcast
