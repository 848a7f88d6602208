#pragma once

#include <deque>
#include <random>
#include <vector>

#include "real/gpu/device.hpp"

namespace ringcast::testing {

/// Host memory that behaves like a GPU, for tests without one:
/// - work is only queued; each time somebody asks whether something is done, a few pieces run, or
///   none, in a random order of the streams. Who does not wait sees what was there before;
/// - an address of device memory cannot be read or written by the host: that is a segmentation
///   fault. New memory is not zero;
/// - another process of this host, or another device of this one, can open its memory.
/// One thread at a time.
class FakeDevice final : public Device {
 public:
  explicit FakeDevice(unsigned seed) : random_{seed} {}
  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] OwnedBytes allocate(Bytes size) override;
  [[nodiscard]] OwnedBytes allocate_pinned(Bytes size) override;
  [[nodiscard]] std::unique_ptr<DeviceStream> make_stream() override;
  [[nodiscard]] SharedHandle share(std::byte* allocation) override;
  [[nodiscard]] OwnedBytes open(const SharedHandle& handle) override;

 private:
  class Stream;
  class Mark;
  /// Up to three pieces of what is queued, each of a random stream.
  void work();

  std::minstd_rand random_;
  std::vector<Stream*> streams_;
};

/// Where the bytes really are, of device memory and of other memory: for network cards that reach
/// it.
[[nodiscard]] std::byte* reach(const std::byte* address);

}  // namespace ringcast::testing
