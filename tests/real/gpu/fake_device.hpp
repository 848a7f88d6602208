#pragma once

#include <deque>
#include <random>
#include <vector>

#include "real/gpu/device.hpp"

namespace ringcast::testing {

/// Host memory that behaves like a GPU, for tests without one:
/// - work is only queued; each poll runs a few pieces, or none, in a random order of the streams. A
///   program that does not wait sees the old contents;
/// - an address of device memory cannot be read or written by the host: that is a segmentation
///   fault. New memory is not zero;
/// - another process of this host, or another device of this one, can open its memory, unless the
///   other does not open any.
/// One thread at a time.
class FakeDevice final : public Device {
 public:
  explicit FakeDevice(unsigned seed, bool opens = true) : random_{seed}, opens_{opens} {}
  [[nodiscard]] OwnedBytes allocate(Bytes size) override;
  [[nodiscard]] OwnedBytes allocate_pinned(Bytes size) override;
  [[nodiscard]] std::unique_ptr<DeviceStream> make_stream() override;
  [[nodiscard]] SharedHandle share(std::byte* allocation) override;
  [[nodiscard]] OwnedBytes open(const SharedHandle& handle) override;

 private:
  class Stream;
  class Mark;
  /// Runs up to three pieces of queued work, each of a random stream.
  void work();

  std::minstd_rand random_;
  bool opens_;
  std::vector<Stream*> streams_;
};

/// The accessible address of device memory or other memory, for RDMA by NICs.
[[nodiscard]] std::byte* reach(const std::byte* address);

}  // namespace ringcast::testing
