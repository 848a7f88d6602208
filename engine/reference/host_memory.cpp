#include "engine/reference/host_memory.hpp"

#include "engine/contracts/contract_checks.hpp"
#include "engine/numbers/copy_bytes.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// The index of `slice.buffer`; throws ContractViolation unless it is below `buffers`.
std::size_t checked_index(Slice slice, std::size_t buffers) {
  const auto index = static_cast<int>(slice.buffer);
  expect(index >= 0 && static_cast<std::size_t>(index) < buffers, "buffer {} of {}", index,
         buffers);
  return static_cast<std::size_t>(index);
}

void expect_inside(Slice slice, std::uint64_t size) {
  const std::uint64_t offset = slice.offset.count();
  const std::uint64_t length = slice.length.count();
  expect(offset <= size && length <= size - offset,
         "{} bytes at {} of buffer {}, which has {} bytes", length, offset,
         static_cast<int>(slice.buffer), size);
}

}  // namespace

void AddressableMemory::write(Slice to, std::span<const std::byte> bytes) {
  const std::span<std::byte> target = find(to);
  expect_same_size(to, bytes.size());
  copy_bytes(bytes, target);
}

void AddressableMemory::read(Slice from, std::span<std::byte> bytes) const {
  const std::span<const std::byte> source = find(from);
  expect_same_size(from, bytes.size());
  copy_bytes(source, bytes);
}

std::span<std::byte> AddressableMemory::find(Slice slice) {
  const std::span<std::byte> buffer = buffers_[checked_index(slice, buffers_.size())];
  expect_inside(slice, buffer.size());
  return buffer.subspan(slice.offset.count(), slice.length.count());
}

std::span<const std::byte> AddressableMemory::find(Slice slice) const {
  const std::span<const std::byte> buffer = buffers_[checked_index(slice, buffers_.size())];
  expect_inside(slice, buffer.size());
  return buffer.subspan(slice.offset.count(), slice.length.count());
}

BufferId AddressableMemory::add(std::span<std::byte> buffer) {
  buffers_.push_back(buffer);
  return BufferId{static_cast<int>(buffers_.size() - 1)};
}

BufferId HostMemory::allocate(Bytes size) {
  return add(owned_.emplace_back(size.count()));
}

BufferId PhantomMemory::allocate(Bytes size) {
  sizes_.push_back(size);
  return BufferId{static_cast<int>(sizes_.size() - 1)};
}

void PhantomMemory::write(Slice to, std::span<const std::byte> bytes) {
  check(to);
  expect(false, "{} bytes written to a memory that holds no data", bytes.size());
}

void PhantomMemory::read(Slice from, std::span<std::byte> bytes) const {
  check(from);
  expect(false, "{} bytes read from a memory that holds no data", bytes.size());
}

void PhantomMemory::check(Slice slice) const {
  expect_inside(slice, sizes_[checked_index(slice, sizes_.size())].count());
}

}  // namespace ringcast
