#include "tests/engine/reference/rendezvous.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

namespace ringcast::detail {
namespace {

using Kind = Posting::Kind;
using State = Posting::State;

bool is_send(const Posting& posting) {
  return posting.kind == Kind::send;
}

std::string describe(const Posting& posting) {
  constexpr std::string_view kinds[] = {"send", "recv", "recv_accumulate"};
  return fmt::format("{} of {} bytes {} rank {} under tag {}",
                     kinds[static_cast<std::size_t>(posting.kind)], posting.bytes.size(),
                     is_send(posting) ? "to" : "from", index_of(posting.peer),
                     static_cast<int>(posting.tag));
}

std::string describe_mismatch(const Posting& mine, const Posting& other) {
  return fmt::format("rank {}: {}: rank {} {} {} bytes", index_of(mine.owner), describe(mine),
                     index_of(other.owner), is_send(other) ? "sends" : "expects",
                     other.bytes.size());
}

}  // namespace

Rendezvous::Rendezvous(int ranks, Reduction reduction)
    : reduction_{reduction}, seats_(static_cast<std::size_t>(ranks)), awake_{ranks} {}

void Rendezvous::post(Posting& posting) {
  std::unique_lock lock{mutex_};
  if (stopped_) {
    throw Stopped{};
  }
  std::deque<Posting*>& stream = unmatched_[stream_of(posting)];
  if (stream.empty() || is_send(*stream.front()) == is_send(posting)) {
    stream.push_back(&posting);
    return;
  }
  Posting& partner = *stream.front();
  stream.pop_front();
  if (posting.bytes.size() != partner.bytes.size()) {
    posting.failure = describe_mismatch(posting, partner);
    partner.failure = describe_mismatch(partner, posting);
    settle(posting, State::failed);
    settle(partner, State::failed);
    return;
  }

  partner.state = State::moving;  // from here on its owner cannot withdraw it
  lock.unlock();
  move_bytes(is_send(posting) ? posting : partner, is_send(posting) ? partner : posting);
  lock.lock();
  settle(posting, State::done);
  settle(partner, State::done);
}

void Rendezvous::wait(Posting& posting) {
  std::unique_lock lock{mutex_};
  Seat& seat = seat_of(posting.owner);
  if (posting.state == State::posted || posting.state == State::moving) {
    seat.waits_for = &posting;
    fall_asleep();
  }
  seat.woken.wait(lock, [&] {
    return posting.state == State::posted ? stopped_ : posting.state != State::moving;
  });
  if (posting.state == State::posted) {
    seat.waits_for = nullptr;
    take_back(posting);
    throw Stopped{};
  }
  if (posting.state == State::failed) {
    throw TransportError{posting.failure};
  }
}

void Rendezvous::withdraw(Posting& posting) noexcept {
  std::unique_lock lock{mutex_};
  seat_of(posting.owner).woken.wait(lock, [&] { return posting.state != State::moving; });
  if (posting.state == State::posted) {
    take_back(posting);
  }
}

void Rendezvous::sleep_until(Rank rank, Clock::time_point end) {
  std::unique_lock lock{mutex_};
  if (seat_of(rank).woken.wait_until(lock, end, [this] { return stopped_; })) {
    throw Stopped{};
  }
}

void Rendezvous::leave(Rank rank) {
  const std::lock_guard lock{mutex_};
  seat_of(rank).has_left = true;
  fall_asleep();
}

void Rendezvous::fail(std::exception_ptr why) {
  const std::lock_guard lock{mutex_};
  stop(std::move(why));
}

void Rendezvous::rethrow_failure() const {
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

Rendezvous::Stream Rendezvous::stream_of(const Posting& posting) {
  return is_send(posting) ? Stream{posting.owner, posting.peer, posting.tag}
                          : Stream{posting.peer, posting.owner, posting.tag};
}

void Rendezvous::move_bytes(const Posting& sent, const Posting& received) const {
  if (received.kind == Kind::recv_accumulate) {
    accumulate_bytes(reduction_, received.bytes, sent.bytes);
  } else {
    std::ranges::copy(sent.bytes, received.bytes.begin());
  }
}

void Rendezvous::settle(Posting& posting, Posting::State state) {
  posting.state = state;
  Seat& seat = seat_of(posting.owner);
  if (seat.waits_for == &posting) {
    seat.waits_for = nullptr;
    ++awake_;  // counted here: its thread may take a while to notice
  }
  seat.woken.notify_one();
}

void Rendezvous::fall_asleep() {
  --awake_;
  if (awake_ > 0 || stopped_ || std::ranges::all_of(seats_, &Seat::has_left)) {
    return;
  }
  stop(std::make_exception_ptr(TransportError{fmt::format("deadlock: {}", blocked_ranks())}));
}

void Rendezvous::stop(std::exception_ptr why) {
  if (stopped_) {
    return;
  }
  failure_ = std::move(why);
  stopped_ = true;
  for (Seat& seat : seats_) {
    seat.woken.notify_one();
  }
}

void Rendezvous::take_back(Posting& posting) {
  std::erase(unmatched_[stream_of(posting)], &posting);
}

std::string Rendezvous::blocked_ranks() const {
  constexpr std::size_t most_ranks = 16;
  std::string text;
  for (std::size_t rank = 0; rank < std::min(seats_.size(), most_ranks); ++rank) {
    const Posting* const awaited = seats_[rank].waits_for;
    text += fmt::format("{}rank {} {}", rank == 0 ? "" : "; ", rank,
                        awaited == nullptr ? "has ended" : "waits for a " + describe(*awaited));
  }
  if (seats_.size() > most_ranks) {
    text += fmt::format("; and {} more", seats_.size() - most_ranks);
  }
  return text;
}

}  // namespace ringcast::detail
