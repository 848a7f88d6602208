#include "sim/fluid/fluid_simulation.hpp"

#include <algorithm>
#include <limits>

#include "engine/numbers/error.hpp"
#include "engine/reference/stopped.hpp"

namespace ringcast {
namespace {

constexpr Seconds never{std::numeric_limits<double>::infinity()};

/// Events this close count as one: the rounding of times that are equal.
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
    streams_.push_back(Stream{MessageCost{paths, *stream.path, stream.delay},
                              static_cast<std::size_t>(stream.from),
                              static_cast<std::size_t>(stream.to)});
  }
  for (std::size_t rank = 0; rank < job.copies.size(); ++rank) {
    for (const auto& [direction, flow] : job.copies[rank]) {
      copier_[static_cast<std::size_t>(flow)] = rank;
    }
  }
}

/// Goes to the next event or end of a flow, and handles all of that time; false if there is none.
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

void FluidSimulation::run(const std::function<void(std::size_t rank)>& body) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    fibers_.start(rank, [&body, rank] { body(rank); });
  }
  while (true) {
    fibers_.run_ready();
    if (fibers_.all_ended()) {
      return;
    }
    if (stopped_) {
      end_all_waits();
      continue;
    }
    flows_.share(now_);
    if (skipper_.wants_state()) {
      skip_repeated_rounds();
    }
    if (!advance()) {
      deadlock_();
      stopped_ = true;
    }
  }
}

std::uint64_t FluidSimulation::schedule(Seconds time, int flow, std::size_t rank) {
  events_.push({time, ++events_made_, flow, rank});
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
  stream.begin_event = 0;
  const MessageSide& send = *stream.sends.front();
  const MessageSide& recv = *stream.recvs.front();
  flows_.start(event.flow, stream.cost.on_wire(send.length, send.is_lent),
               stream.cost.limit(recv.length, recv.limit, send.is_lent), now_);
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
  MessageSide& send = *stream.sends.pop_front();
  MessageSide& recv = *stream.recvs.pop_front();
  count_delivered();
  ++stream.traffic.messages;
  stream.traffic.bytes += send.length.count();
  stream.traffic.on_cables += stream.cost.on_wire(send.length, send.is_lent).count();
  recv.bytes = std::move(send.bytes);
  recv.sent_length = send.length;
  stream.is_busy = false;
  stream.last_end = now_;
  send.is_done = recv.is_done = true;
  if (send.is_awaited) {
    fibers_.wake(stream.from);
  }
  if (recv.is_awaited) {
    fibers_.wake(stream.to);
  }
  try_begin(index);
}

void FluidSimulation::try_begin(int index) {
  Stream& stream = at(index);
  if (stream.is_busy || stream.sends.empty() || stream.recvs.empty()) {
    return;
  }
  stream.is_busy = true;
  const MessageSide& send = *stream.sends.front();
  const Seconds ready = stream.cost.ready(send.posted, stream.recvs.front()->posted, send.length);
  stream.begin = std::max(now_, stream.cost.begin(ready, stream.last_end));
  stream.begin_event = schedule(stream.begin, index, 0);
}

void FluidSimulation::post(int index, Fifo<MessageSide*> Stream::*queue, MessageSide& side) {
  Stream& stream = at(index);
  side.posted = now_;
  (stream.*queue).push_back(&side);
  ++ranks_[queue == &Stream::sends ? stream.from : stream.to].operations;
  try_begin(index);
}

void FluidSimulation::post_send(int index, MessageSide& send) {
  Stream& stream = at(index);
  if (stream.owed > 0) {
    --stream.owed;
    send.is_lent = stream.cost.lends();
  }
  post(index, &Stream::sends, send);
}

void FluidSimulation::post_lent(int index, MessageSide& send, int answers) {
  ++at(answers).owed;
  send.is_lent = at(index).cost.lends();
  post_send(index, send);
}

void FluidSimulation::post_recv(int index, MessageSide& recv) {
  post(index, &Stream::recvs, recv);
}

void FluidSimulation::wait(std::size_t rank, MessageSide& side) {
  ++ranks_[rank].operations;
  side.is_awaited = true;
  while (!side.is_done) {
    block();
  }
}

void FluidSimulation::withdraw(int index, MessageSide& side) noexcept {
  if (side.is_done) {
    return;
  }
  Stream& stream = at(index);
  const bool is_first = (!stream.sends.empty() && stream.sends.front() == &side) ||
                        (!stream.recvs.empty() && stream.recvs.front() == &side);
  stream.sends.remove(&side);
  stream.recvs.remove(&side);
  if (is_first && stream.is_busy) {
    flows_.stop(index);
    stream.begin_event = 0;
    stream.is_busy = false;
    try_begin(index);
  }
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

std::int64_t FluidSimulation::repeats(std::size_t rank, std::int64_t rounds) {
  ranks_[rank].operations = 0;
  return skipper_.repeats(rank, rounds);
}

void FluidSimulation::skip_repeated_rounds() {
  const auto skip = skipper_.observe(state());
  if (!skip) {
    return;
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    streams_[i].traffic.add(1, skip->traffic[i], {});
    delivered_ += skip->traffic[i].messages;
  }
}

}  // namespace ringcast
