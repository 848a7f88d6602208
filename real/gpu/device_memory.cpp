#include "real/gpu/device_memory.hpp"

#include <algorithm>

#include "engine/contracts/contract_checks.hpp"

namespace ringcast {
namespace {

/// The alignment of cudaMalloc.
constexpr std::uint64_t alignment = 256;
/// CUDA IPC shares memory in multiples of this (CUDA C++ programming guide, interprocess
/// communication), so no other data is in these pages.
constexpr std::uint64_t shared_unit = 2U << 20U;
constexpr std::uint64_t smallest_block = 4 * shared_unit;

constexpr Bytes rounded_up(Bytes size, std::uint64_t unit) {
  return Bytes{(size.count() + unit - 1) / unit * unit};
}

}  // namespace

DeviceMemory::DeviceMemory(Device& device) : device_{&device}, stream_{device.make_stream()} {
  add_block(Bytes{smallest_block});
}

void DeviceMemory::add_block(Bytes size) {
  blocks_.push_back({device_->allocate(size), size, Bytes{0}});
}

DeviceMemory::Buffer DeviceMemory::reserve(Bytes size) {
  const Bytes length = rounded_up(size, alignment);
  if (blocks_.back().used + length > blocks_.back().size) {
    add_block(std::max(rounded_up(length, shared_unit), Bytes{smallest_block}));
  }
  const Buffer buffer{blocks_.size() - 1, blocks_.back().used};
  blocks_.back().used += length;
  return buffer;
}

BufferId DeviceMemory::allocate(Bytes size) {
  buffers_.push_back(reserve(size));
  const BufferId buffer = sizes_.allocate(size);
  if (size > Bytes{0}) {
    stream_->clear(find({buffer, Bytes{0}, size}).address, size);
    wait_for(*stream_->mark());
  }
  return buffer;
}

void DeviceMemory::write(Slice to, std::span<const std::byte> bytes) {
  std::byte* const address = find(to).address;
  expect_same_size(to, bytes.size());
  stream_->copy(address, bytes.data(), to.length);
  wait_for(*stream_->mark());
}

void DeviceMemory::read(Slice from, std::span<std::byte> bytes) const {
  const std::byte* const address = find(from).address;
  expect_same_size(from, bytes.size());
  stream_->copy(bytes.data(), address, from.length);
  wait_for(*stream_->mark());
}

DeviceMemory::Place DeviceMemory::find(Slice slice) const {
  sizes_.check(slice);
  const Buffer& buffer = buffers_[static_cast<std::size_t>(slice.buffer)];
  const Bytes offset = buffer.offset + slice.offset;
  return {blocks_[buffer.block].memory.get() + offset.count(), buffer.block, offset};
}

const SharedHandle& DeviceMemory::handle_of(std::size_t block) {
  Block& shared = blocks_.at(block);
  if (!shared.handle) {
    shared.handle = device_->share(shared.memory.get());
  }
  return *shared.handle;
}

}  // namespace ringcast
