#include "real/segment.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/error.hpp"

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

/// Takes the pages now: where there are none, that is an error here and no SIGBUS later.
void reserve(Bytes size, int file) {
  if (file < 0) {
    return;
  }
  const int failure = posix_fallocate(file, 0, static_cast<off_t>(size.count()));
  if (failure != 0) {
    errno = failure;
    fail(fmt::format("taking {} of shared memory", to_text(size)));
  }
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) {
    close(number_);
  }
}

Segment::Segment(Bytes size, Sharing sharing) : file_{file_for(sharing)} {
  reserve(size, file_.number());
  bytes_ = map(size, file_.number());
}

Segment::Segment(Bytes size, pid_t owner, int descriptor) : file_{open_of(owner, descriptor)} {
  bytes_ = map(size, file_.number());
}

Segment::~Segment() {
  munmap(bytes_.data(), bytes_.size());
}

}  // namespace ringcast
