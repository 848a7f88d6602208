#include <algorithm>

#include "sim/fluid/fluid_simulation.hpp"

namespace ringcast {
namespace {

constexpr double rounding = 1e-15;  // of a time, relative

void add_time(Seconds time, RoundState& state) {
  state.seconds.push_back(std::max(0.0, (time - state.now).count()));
}

void add_kind(const MessageSide& side, RoundState& state) {
  state.counts.add(side.length.count());
  state.counts.add((side.is_lent ? 1U : 0U) + (side.limit > BytesPerSecond{0} ? 2U : 0U));
}

/// The posted messages of one side. For those on the wire, the time of posting no longer matters,
/// nor does it for those that are ready to begin.
void add_posted(const PostedSides& posted, std::size_t on_wire, const MessageCost& cost,
                RoundState& state) {
  const std::size_t size = posted.size();
  for (std::size_t place = 0; place < (posted.are_alike() ? std::min<std::size_t>(size, 1) : size);
       ++place) {
    add_kind(posted[place], state);
  }
  const Seconds now = (1 + rounding) * state.now;
  std::size_t place = size;
  for (; place > on_wire; --place) {
    const MessageSide& side = posted[place - 1];
    const Seconds ready = side.posted + cost.delay(side.length);
    if (posted.are_alike() && ready <= now) break;  // as are those posted before it
    add_time(ready, state);
  }
  state.counts.add(place);
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
  add_posted(stream.sends(), on_wire, stream.cost(), state);
  add_posted(stream.recvs(), on_wire, stream.cost(), state);
}

}  // namespace ringcast
