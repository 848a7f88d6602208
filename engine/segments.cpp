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

std::vector<Pending> send_all(Endpoint& network, Rank to, const Segments& segments, Tag tag) {
  std::vector<Pending> sent;
  for (int i = 0; i < segments.count(); ++i) {
    sent.push_back(network.send(to, segments[i], tag));
  }
  return sent;
}

std::vector<Pending> recv_all(Endpoint& network, Rank from, const Segments& segments, Tag tag) {
  std::vector<Pending> received;
  for (int i = 0; i < segments.count(); ++i) {
    received.push_back(network.recv(from, segments[i], tag));
  }
  return received;
}

std::vector<Pending> recv_accumulate_all(Endpoint& network, Rank from, const Segments& segments,
                                         Tag tag) {
  std::vector<Pending> received;
  for (int i = 0; i < segments.count(); ++i) {
    received.push_back(network.recv_accumulate(from, segments[i], tag));
  }
  return received;
}

void wait_all(std::vector<Pending> transfers) {
  for (Pending& transfer : transfers) {
    transfer.wait();
  }
}

}  // namespace ringcast
