#include "real/gpu/staging.hpp"

#include "engine/numbers/error.hpp"

namespace ringcast {

BufferPool::Lease BufferPool::take() {
  if (free_.empty()) {
    prepare(all_.size() + 1);
  }
  std::byte* const buffer = free_.back();
  free_.pop_back();
  return {buffer, [this](std::byte* back) { free_.push_back(back); }};
}

void BufferPool::prepare(std::size_t buffers) {
  while (all_.size() < buffers) {
    all_.push_back(allocate_(size_));
    free_.reserve(all_.size());  // so that returning a buffer cannot fail
    free_.push_back(all_.back().get());
  }
}

Staging::Staging(Device& device, Bytes size)
    : segment{size},
      pinned{size, [&device](Bytes bytes) { return device.allocate_pinned(bytes); }},
      scratch{size + Bytes{vector_size},
              [&device](Bytes bytes) { return device.allocate(bytes); }} {
  expect(size > Bytes{0} && size.count() % 8 == 0, "segments of {} bytes", size.count());
}

}  // namespace ringcast
