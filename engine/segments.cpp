#include "engine/segments.hpp"

#include "engine/ring_schedule.hpp"

namespace ringcast {

std::uint64_t message_count(std::uint64_t elements, const RingOptions& options,
                            Bytes element_size) {
  if (elements == 0) {
    return 0;
  }
  return static_cast<std::uint64_t>(
      segment_count(elements, segment_elements(options, element_size)));
}

Segments::Segments(BufferId buffer, ElementRange range, const RingOptions& options,
                   Bytes element_size)
    : buffer_{buffer},
      range_{range},
      element_size_{element_size},
      count_{static_cast<int>(message_count(range.count, options, element_size))} {}

Slice Segments::operator[](int segment) const {
  return slice_of(buffer_, Chunks{range_, count_}[segment], element_size_);
}

void Window::add(Pending transfer) {
  under_way_.push_back(std::move(transfer));
  if (under_way_.size() > most_under_way) {
    under_way_.pop_front().wait();
  }
}

void Window::wait_all() {
  while (!under_way_.empty()) {
    under_way_.pop_front().wait();
  }
}

void send_all(Endpoint& network, Rank to, const Segments& segments, Tag tag) {
  Window window;
  for (int i = 0; i < segments.count(); ++i) {
    window.add(network.send(to, segments[i], tag));
  }
  window.wait_all();
}

void recv_all(Endpoint& network, Rank from, const Segments& segments, Tag tag) {
  Window window;
  for (int i = 0; i < segments.count(); ++i) {
    window.add(network.recv(from, segments[i], tag));
  }
  window.wait_all();
}

void recv_accumulate_all(Endpoint& network, Rank from, const Segments& segments, Tag tag) {
  Window window;
  for (int i = 0; i < segments.count(); ++i) {
    window.add(network.recv_accumulate(from, segments[i], tag));
  }
  window.wait_all();
}

}  // namespace ringcast
