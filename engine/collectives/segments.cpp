#include "engine/collectives/segments.hpp"

#include <algorithm>

#include "engine/schedule/ring_schedule.hpp"

namespace ringcast {
namespace {

template <typename Start>
void transfer_all(const Segments& segments, const Start& start) {
  Window window;
  for (int i = 0; i < segments.count(); ++i) {
    window.add(start(segments[i]));
  }
  window.wait_all();
}

/// The bytes in flight bound the scratch of trees. At least 16 segments, since 1 MiB in few long
/// ones would pause for a message's latency; at most 32 where nothing else is asked for, since tiny
/// ones would cost the memory of as many messages.
int window_of(Bytes segment, std::optional<Bytes> in_flight) {
  constexpr Bytes enough{1 << 20};
  constexpr std::uint64_t least = 16;
  constexpr std::uint64_t most = 32;
  if (segment == Bytes{0}) return least;
  return static_cast<int>(
      std::clamp<std::uint64_t>(in_flight.value_or(enough).count() / segment.count(), least,
                                in_flight ? max_in_flight : most));
}

}  // namespace

double message_count(std::uint64_t elements, const CollectiveOptions& options, Bytes element_size) {
  const std::uint64_t segment = segment_elements(options, element_size);
  if (elements == 0 || segment == 0) {
    return elements == 0 ? 0 : 1;
  }
  const std::uint64_t count = (elements - 1) / segment + 1;
  return static_cast<double>(count);
}

Segments::Segments(BufferId buffer, ElementRange range, const CollectiveOptions& options,
                   Bytes element_size)
    : buffer_{buffer},
      range_{range},
      element_size_{element_size},
      count_{range.count == 0
                 ? 0
                 : segment_count(range.count, segment_elements(options, element_size))},
      chunks_{range, std::max(count_, 1)},
      window_{window_of(operator[](0).length, options.in_flight)} {}

Slice Segments::operator[](int segment) const {
  return slice_of(buffer_, chunks_[segment], element_size_);
}

int Segments::as_long_from(int segment) const {
  const int longer = static_cast<int>(range_.count % static_cast<std::uint64_t>(count_));
  return (segment < longer ? longer : count_) - segment;
}

void Window::add(Pending transfer) {
  in_flight_.push_back(std::move(transfer));
  if (in_flight_.size() > max_in_flight) {
    in_flight_.pop_front().wait();
  }
}

void Window::wait_all() {
  while (!in_flight_.empty()) {
    in_flight_.pop_front().wait();
  }
}

void send_all(Endpoint& network, Rank to, const Segments& segments, Tag tag, Returns returns) {
  transfer_all(segments, [&](Slice slice) { return network.send(to, slice, tag, returns); });
}

void recv_all(Endpoint& network, Rank from, const Segments& segments, Tag tag) {
  transfer_all(segments, [&](Slice slice) { return network.recv(from, slice, tag); });
}

void recv_accumulate_all(Endpoint& network, Rank from, const Segments& segments, Tag tag) {
  transfer_all(segments, [&](Slice slice) { return network.recv_accumulate(from, slice, tag); });
}

}  // namespace ringcast
