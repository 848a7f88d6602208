#include "sim/model/message_stream.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ringcast {

/// 1 if the side at this place is not like the one before it.
int PostedSides::change_at(std::size_t place) const {
  if (place == 0 || place >= sides_.size()) return 0;
  const auto kind = [](const MessageSide& side) {
    return std::tuple{side.length, side.is_lent, side.limit};
  };
  return kind(*sides_[place]) == kind(*sides_[place - 1]) ? 0 : 1;
}

void PostedSides::push_back(MessageSide& side) {
  sides_.push_back(&side);
  changes_ += change_at(sides_.size() - 1);
}

MessageSide& PostedSides::pop_front() {
  changes_ -= change_at(1);
  return *sides_.pop_front();
}

void PostedSides::remove(MessageSide& side) {
  sides_.remove(&side);
  changes_ = 0;
  for (std::size_t place = 1; place < sides_.size(); ++place) {
    changes_ += change_at(place);
  }
}

void MessageStream::post_send(MessageSide& send) {
  if (answers_due_ > 0) {
    --answers_due_;
    send.is_lent = cost_.lends();
  }
  sends_.push_back(send);
}

void MessageStream::post_lent(MessageSide& send, MessageStream& answers) {
  ++answers.answers_due_;
  send.is_lent = cost_.lends();
  post_send(send);
}

bool MessageStream::withdraw(MessageSide& side) noexcept {
  const auto is_first = [&side](const PostedSides& posted) {
    return !posted.empty() && &posted.front() == &side;
  };
  const bool was_on_wire = is_busy_ && (is_first(sends_) || is_first(recvs_));
  sends_.remove(side);
  recvs_.remove(side);
  is_busy_ = is_busy_ && !was_on_wire;
  return was_on_wire;
}

std::optional<Seconds> MessageStream::begin(Seconds now) {
  if (is_busy_ || sends_.empty() || recvs_.empty()) {
    return std::nullopt;
  }
  is_busy_ = true;
  const MessageSide& send = sends_.front();
  on_wire_ = cost_.on_wire(send.length, send.is_lent);
  const Seconds ready = cost_.ready(send.posted, recvs_.front().posted, send.length);
  begin_ = std::max(now, cost_.begin(ready, last_end_));
  return begin_;
}

BytesPerSecond MessageStream::wire_limit() const {
  const MessageSide& recv = recvs_.front();
  return cost_.limit(recv.length, recv.limit, sends_.front().is_lent);
}

MessageStream::Sides MessageStream::end(Seconds now) {
  MessageSide& send = sends_.pop_front();
  MessageSide& recv = recvs_.pop_front();
  ++traffic_.messages;
  traffic_.bytes += send.length.count();
  traffic_.on_cables += on_wire_.count();
  recv.bytes = std::move(send.bytes);
  recv.sent_length = send.length;
  send.is_done = recv.is_done = true;
  is_busy_ = false;
  last_end_ = now;
  return {send, recv};
}

}  // namespace ringcast
