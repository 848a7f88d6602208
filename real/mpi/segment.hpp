#pragma once

#include <cstddef>
#include <span>

#include <sys/types.h>

#include "engine/numbers/units.hpp"
#include "engine/system/descriptor.hpp"

namespace ringcast {

/// The processes that may read and write a segment.
enum class Sharing { this_process, this_host };

/// Zero-filled memory in pages of its own. Other processes of the host can map a shared one for as
/// long as this object lives. It has no name, so nothing of it is left behind, however a process
/// ends. Throws TransportError where there is no memory.
class Segment {
 public:
  Segment(Bytes size, Sharing sharing);
  /// The segment that another process of this host has under the number `descriptor`.
  Segment(Bytes size, pid_t owner, int descriptor);
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  /// The number under which another process opens it.
  [[nodiscard]] int descriptor() const { return file_.value(); }

 private:
  Descriptor file_;
  std::span<std::byte> bytes_;
};

}  // namespace ringcast
