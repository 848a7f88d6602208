#include "sim/simgrid/streams.hpp"

#include <utility>

namespace ringcast {

Stream::Stream(Streams& all, Platform& platform, Rank from, Rank to, Tag tag)
    : all_{&all},
      platform_{&platform},
      from_{from},
      to_{to},
      tag_{tag},
      messages_{MessageCost{platform.paths(), platform.paths().between(from, to)}} {}

void Stream::post_send(MessageSide& send) {
  messages_.post_send(send);
  all_->add_overhead(*this);
  begin_next();
}

void Stream::post_lent(MessageSide& send, Stream& answers) {
  messages_.post_lent(send, answers.messages_);
  all_->add_overhead(*this);
  begin_next();
}

void Stream::post_recv(MessageSide& recv) {
  messages_.post_recv(recv);
  begin_next();
}

void Stream::withdraw(MessageSide& side) noexcept {
  if (!all_->stopped() && messages_.withdraw(side)) {
    std::erase(all_->beginning_, this);
    flow_.cancel();
    begin_next();
  }
}

void Stream::begin_next() {
  if (messages_.begin(platform_->now())) {
    all_->begin_soon(*this);
  }
}

void Stream::start_flow() {
  platform_->start_flow(flow_,
                        {from_, to_, messages_.wire_bytes(),
                         messages_.first_byte() - platform_->now(), messages_.wire_limit()},
                        this);
}

void Stream::end_flow() {
  flow_.ended();
  if (all_->stopped()) {
    return;
  }
  const Seconds now = platform_->now();
  const auto [send, recv] = messages_.end(now);
  all_->delivered({from_, to_, tag_, send.length, messages_.first_byte(), now});
  all_->wake_for(send, from_);
  all_->wake_for(recv, to_);
  begin_next();
}

Streams::Streams(Platform& platform, TrafficOptions options)
    : platform_{&platform},
      options_{std::move(options)},
      awaits_any_(static_cast<std::size_t>(platform.ranks())),
      overheads_(awaits_any_.size()) {
  platform.on_flow_end([](void* stream) { static_cast<Stream*>(stream)->end_flow(); });
}

Stream& Streams::between(Rank from, Rank to, Tag tag) {
  return streams_.try_emplace({from, to, tag}, *this, *platform_, from, to, tag).first->second;
}

void Streams::begin_soon(Stream& stream) {
  beginning_.push_back(&stream);
  if (beginning_.size() == 1) {
    platform_->before_time_passes([this] {
      if (!stopped_) {
        for (Stream* const each : std::exchange(beginning_, {})) {
          each->start_flow();
        }
      }
    });
  }
}

void Streams::wait_for_any(Rank rank) {
  const auto at = static_cast<std::size_t>(index_of(rank));
  awaits_any_[at] = true;
  platform_->block();
  awaits_any_[at] = false;
}

void Streams::wake_for(const MessageSide& done, Rank rank) const {
  if (done.is_awaited || awaits_any_[static_cast<std::size_t>(index_of(rank))]) {
    platform_->wake(rank);
  }
}

void Streams::add_overhead(const Stream& stream) {
  overheads_[static_cast<std::size_t>(index_of(stream.from_))] +=
      stream.messages_.cost().overhead();
}

void Streams::delivered(const DeliveredMessage& message) {
  if (options_.record_messages) {
    messages_.push_back(message);
  }
  if (++delivered_ % 4096 == 0 && options_.progress) {
    options_.progress(delivered_);
  }
}

std::vector<PairTraffic> Streams::traffic() const {
  std::map<std::pair<Rank, Rank>, PairTraffic> pairs;
  for (const auto& [key, stream] : streams_) {
    const StreamTraffic& carried = stream.messages_.traffic();
    PairTraffic& pair =
        pairs
            .try_emplace({stream.from_, stream.to_},
                         PairTraffic{stream.from_, stream.to_, 0, Bytes{0}, Bytes{0}})
            .first->second;
    pair.messages += carried.messages;
    pair.bytes += Bytes{carried.bytes};
    pair.on_cables += Bytes{carried.on_cables};
    ++pair.streams;
  }
  std::vector<PairTraffic> all;
  all.reserve(pairs.size());
  for (const auto& [key, pair] : pairs) {
    all.push_back(pair);
  }
  return all;
}

}  // namespace ringcast
