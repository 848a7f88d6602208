#include "real/mpi/segment.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/numbers/available_memory.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw TransportError{fmt::format("{}: {}", what, std::generic_category().message(errno))};
}

/// Anonymous memory needs no file.
int file_for(Sharing sharing) {
  if (sharing == Sharing::this_process) {
    return -1;
  }
  const int file = memfd_create("ringcast", MFD_CLOEXEC);
  if (file < 0) {
    fail("memfd_create");
  }
  return file;
}

int open_of(pid_t owner, int descriptor) {
  const std::string path = fmt::format("/proc/{}/fd/{}", owner, descriptor);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    fail(path);
  }
  return file;
}

std::span<std::byte> map(Bytes size, int file) {
  const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void* const address = mmap(nullptr, size.count(), PROT_READ | PROT_WRITE, flags, file, 0);
  if (address == MAP_FAILED) {
    fail(fmt::format("mapping {} of memory", to_text(size)));
  }
  return {static_cast<std::byte*>(address), size.count()};
}

/// `rest`: the bytes of `size` that are not reserved yet.
void expect_available(std::uint64_t rest, Bytes size) {
  const Bytes available = available_memory();
  if (!has_room(available, static_cast<double>(rest))) {
    throw TransportError{fmt::format("taking {} of memory: the host has {} left", to_text(size),
                                     to_text(available))};
  }
}

/// Reserves the pages now, so that too little memory is an error here. Later it would be a SIGBUS,
/// or the kernel's OOM killer would end some process: a memfd has no other limit.
void reserve(Bytes size, int file) {
  if (file < 0) {
    expect_available(size.count(), size);
    return;
  }
  // In steps, because other ranks reserve memory concurrently.
  constexpr std::uint64_t most_at_once = std::uint64_t{64} << 20U;
  for (std::uint64_t at = 0; at < size.count(); at += most_at_once) {
    const std::uint64_t length = std::min(most_at_once, size.count() - at);
    expect_available(size.count() - at, size);
    const int failure = posix_fallocate(file, static_cast<off_t>(at), static_cast<off_t>(length));
    if (failure != 0) {
      errno = failure;
      fail(fmt::format("taking {} of shared memory", to_text(size)));
    }
  }
}

}  // namespace

Segment::Segment(Bytes size, Sharing sharing) : file_{file_for(sharing)} {
  reserve(size, file_.value());
  bytes_ = map(size, file_.value());
}

Segment::Segment(Bytes size, pid_t owner, int descriptor)
    : bytes_{map(size, Descriptor{open_of(owner, descriptor)}.value())} {}

void Segment::discard() const noexcept {
  madvise(bytes_.data(), bytes_.size(), file_.is_open() ? MADV_REMOVE : MADV_DONTNEED);
}

void Segment::restore() const {
  reserve(Bytes{bytes_.size()}, file_.value());
}

Segment::~Segment() {
  munmap(bytes_.data(), bytes_.size());
}

}  // namespace ringcast
