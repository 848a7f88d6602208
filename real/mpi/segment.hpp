#pragma once

#include <cstddef>
#include <span>

#include <sys/types.h>

#include "engine/numbers/units.hpp"
#include "engine/system/descriptor.hpp"

namespace ringcast {

/// The processes that may read and write a segment.
enum class Sharing { this_process, this_host };

/// Zero-filled memory in its own pages. Other processes of the host can map a shared segment while
/// this object lives. It has no name in the file system, so nothing is left behind if a process is
/// killed. Throws TransportError if there is too little memory.
class Segment {
 public:
  Segment(Bytes size, Sharing sharing);
  /// Maps the segment of another process of this host, which has the file descriptor `descriptor`
  /// there.
  Segment(Bytes size, pid_t owner, int descriptor);
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  /// Gives the pages back to the host. The bytes are zero then and must not be written before
  /// restore(), which throws as the constructor does.
  void discard() const noexcept;
  void restore() const;

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  /// The file descriptor, for other processes to map it.
  [[nodiscard]] int descriptor() const { return file_.value(); }

 private:
  Descriptor file_;
  std::span<std::byte> bytes_;
};

}  // namespace ringcast
