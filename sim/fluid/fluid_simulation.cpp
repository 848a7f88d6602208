#include "sim/fluid/fluid_simulation.hpp"

#include <algorithm>
#include <limits>

#include "engine/reference/stopped.hpp"

namespace ringcast {
namespace {

constexpr Seconds never{std::numeric_limits<double>::infinity()};

/// Times up to this one count as equal to `time`: they differ by rounding.
Seconds with_rounding(Seconds time) {
  constexpr double relative = 1e-15;
  constexpr Seconds least{1e-18};
  return time + relative * time + least;
}

}  // namespace

FluidSimulation::FluidSimulation(const FluidJob& job, const TransferPaths& paths)
    : job_{&job},
      paths_{&paths},
      fibers_{job.ranks.size()},
      flows_{job.bandwidths, job.routes},
      ranks_(job.ranks.size()),
      copier_(job.routes.size()),
      skipper_{job.ranks.size()} {
  streams_.reserve(job.streams.size());
  for (const FluidJob::Stream& stream : job.streams) {
    streams_.push_back(Stream{MessageStream{MessageCost{paths, *stream.path, stream.delay}},
                              static_cast<std::size_t>(stream.from),
                              static_cast<std::size_t>(stream.to)});
  }
  for (std::size_t rank = 0; rank < job.copies.size(); ++rank) {
    for (const auto& [direction, flow] : job.copies[rank]) {
      copier_[static_cast<std::size_t>(flow)] = rank;
    }
  }
}

/// Handles all events and ends of flows of the next time at which there are any; false if none.
bool FluidSimulation::advance() {
  const Seconds next_event = events_.empty() ? never : events_.top().time;
  const Seconds next = std::min(next_event, flows_.next_end());
  if (next == never) {
    return false;
  }
  now_ = std::max(now_, next);
  const Seconds limit = with_rounding(now_);
  while (!events_.empty() && events_.top().time <= limit) {
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
  for (int flow = flows_.pop_ended(limit); flow >= 0; flow = flows_.pop_ended(limit)) {
    end_flow(flow);
  }
  return true;
}

std::exception_ptr FluidSimulation::run(const std::function<void(std::size_t rank)>& body) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    fibers_.start(rank, [this, &body, rank] { attempt([&] { body(rank); }); });
  }
  for (fibers_.run_ready(); !fibers_.all_ended(); fibers_.run_ready()) {
    if (!stopped_) attempt([this] { pass_time(); });
    if (stopped_) end_all_waits();
  }
  return failure_;
}

/// All ranks are blocked.
void FluidSimulation::pass_time() {
  flows_.share(now_);
  if (skipper_.wants_state()) {
    skip_repeated_rounds();
  }
  if (!advance()) {
    deadlock_();
    stop();
  }
}

/// An exception ends the run.
template <typename Action>
void FluidSimulation::attempt(const Action& action) noexcept {
  try {
    action();
  } catch (const Stopped&) {
  } catch (...) {
    failure_ = failure_ ? failure_ : std::current_exception();
    stop();
  }
}

std::uint64_t FluidSimulation::schedule(Seconds time, int flow, std::size_t rank) {
  try {
    events_.push({time, ++events_made_, flow, rank});
  } catch (...) {
    stop();  // streams may have sides of operations that end with this exception
    throw;
  }
  return events_made_;
}

void FluidSimulation::handle(const Event& event) {
  if (event.flow < 0) {
    ranks_[event.rank].is_waiting = false;
    fibers_.wake(event.rank);
    return;
  }
  if (!is_stream(event.flow)) {
    flows_.start(event.flow, ranks_[event.rank].copied, BytesPerSecond{0}, now_);
    return;
  }
  Stream& stream = at(event.flow);
  if (stream.begin_event != event.number) {
    return;  // the message was withdrawn
  }
  note_begin(stream);
  flows_.start(event.flow, stream.messages.wire_bytes(), stream.messages.wire_limit(), now_);
}

void FluidSimulation::note_begin(Stream& stream) {
  const Bytes length = stream.messages.sends().front().length;
  if (!stream.begun) {
    stream.begun = {now(), length, length};
    if (++begun_streams_ == awaited_begins_) stop();
  }
  stream.begun->shortest = std::min(stream.begun->shortest, length);
  stream.begun->longest = std::max(stream.begun->longest, length);
}

void FluidSimulation::end_flow(int flow) {
  if (is_stream(flow)) {
    end_message(flow);
    return;
  }
  const std::size_t rank = copier_[static_cast<std::size_t>(flow)];
  ranks_[rank].is_waiting = false;
  fibers_.wake(rank);
}

void FluidSimulation::end_message(int index) {
  Stream& stream = at(index);
  const auto [send, recv] = stream.messages.end(now_);
  count_delivered();
  wake_for(send, stream.from);
  wake_for(recv, stream.to);
  try_begin(index);
}

void FluidSimulation::wake_for(const MessageSide& done, std::size_t rank) {
  ++ranks_[rank].arrived;
  if (done.is_awaited || ranks_[rank].awaits_any) {
    fibers_.wake(rank);
  }
}

void FluidSimulation::try_begin(int index) {
  Stream& stream = at(index);
  if (const auto begin = stream.messages.begin(now_)) {
    stream.begin_event = schedule(*begin, index, 0);
  }
}

void FluidSimulation::posted(int index, std::size_t rank) {
  if (stopped_) throw Stopped{};
  ++ranks_[rank].operations;
  try_begin(index);
}

void FluidSimulation::add_overheads(const Stream& stream, std::uint64_t messages) {
  ranks_[stream.from].overheads +=
      static_cast<double>(messages) * stream.messages.cost().overhead();
}

void FluidSimulation::post_send(int index, MessageSide& send) {
  send.posted = now_;
  at(index).messages.post_send(send);
  add_overheads(at(index), 1);
  posted(index, at(index).from);
}

void FluidSimulation::post_lent(int index, MessageSide& send, int answers) {
  send.posted = now_;
  at(index).messages.post_lent(send, at(answers).messages);
  add_overheads(at(index), 1);
  posted(index, at(index).from);
}

void FluidSimulation::post_recv(int index, MessageSide& recv) {
  recv.posted = now_;
  at(index).messages.post_recv(recv);
  posted(index, at(index).to);
}

void FluidSimulation::wait(std::size_t rank, MessageSide& side) {
  ++ranks_[rank].operations;
  side.is_awaited = true;
  while (!side.is_done) {
    block();
  }
  --ranks_[rank].arrived;
}

void FluidSimulation::wait_for_any(std::size_t rank) {
  ranks_[rank].awaits_any = true;
  block();
  ranks_[rank].awaits_any = false;
}

void FluidSimulation::withdraw(int index, MessageSide& side) noexcept {
  if (stopped_) return;  // nothing reads the streams' queues any more
  Stream& stream = at(index);
  if (!stream.messages.withdraw(side)) return;
  attempt([&] {
    flows_.stop(index);
    stream.begin_event = 0;
    try_begin(index);
  });
}

void FluidSimulation::block() {
  if (!stopped_) {
    fibers_.block();
  }
  if (stopped_) {
    throw Stopped{};
  }
}

void FluidSimulation::sleep(std::size_t rank, Seconds duration) {
  if (duration <= Seconds{0}) {
    return;
  }
  RankState& state = ranks_[rank];
  ++state.operations;
  state.is_waiting = true;
  state.wakes = now_ + duration;
  schedule(state.wakes, -1, rank);
  while (state.is_waiting) {
    block();
  }
}

void FluidSimulation::copy(std::size_t rank, CopyDirection direction, Bytes size) {
  RankState& state = ranks_[rank];
  ++state.operations;
  state.is_waiting = true;
  state.copied = size;
  state.wakes = now_ + paths_->copy_leg(job_->ranks[rank], direction).latency;
  schedule(state.wakes, job_->copies[rank].at(direction), rank);
  while (state.is_waiting) {
    block();
  }
}

void FluidSimulation::end_all_waits() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    fibers_.wake(rank);
  }
}

std::int64_t FluidSimulation::repeats(std::size_t rank, AlikeRounds rounds) {
  ranks_[rank].operations = 0;
  return skipper_.repeats(rank, rounds);
}

void FluidSimulation::skip_repeated_rounds() {
  const auto skip = skipper_.observe(state());
  if (!skip) {
    return;
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    streams_[i].messages.add_traffic(skip->traffic[i]);
    add_overheads(streams_[i], skip->traffic[i].messages);
    delivered_ += skip->traffic[i].messages;
  }
}

}  // namespace ringcast
