// The fake GPU of the tests fulfils the contract of a device, and detects the same mistakes as a
// GPU.
#include "tests/real/gpu/fake_device.hpp"

#include "tests/real/gpu/device_contract.hpp"

namespace ringcast::testing {
namespace {

const DeviceUnderTest fake{"fake", [] { return std::make_unique<FakeDevice>(1); }};

INSTANTIATE_TEST_SUITE_P(Fake, DeviceContract, ::testing::Values(fake));

TEST(FakeDevice, ReadsTheOldContentsWithoutAWait) {
  FakeDevice device{1};
  const std::unique_ptr<DeviceStream> stream = device.make_stream();
  const OwnedBytes memory = device.allocate(Bytes{4});
  std::byte value{5};

  stream->clear(memory.get(), Bytes{4});
  stream->copy(&value, memory.get(), Bytes{1});
  EXPECT_EQ(value, std::byte{5});
  wait_for(*stream->mark());
  EXPECT_EQ(value, std::byte{0});
}

TEST(FakeDeviceDeathTest, TheHostCanNotReadDeviceMemory) {
  FakeDevice device{1};
  const OwnedBytes memory = device.allocate(Bytes{4});
  EXPECT_DEATH(static_cast<void>(*const_cast<volatile std::byte*>(memory.get())), "");
}

}  // namespace
}  // namespace ringcast::testing
