// The first GPU: its kernels, bit for bit, its memory and its streams. Skipped if there is none.
#include "real/gpu/cuda_device.hpp"

#include "engine/numbers/error.hpp"
#include "tests/real/gpu/device_contract.hpp"

namespace ringcast::testing {
namespace {

const DeviceUnderTest gpu{"gpu", []() -> std::unique_ptr<Device> {
                            return count_cuda_devices() == 0 ? nullptr : make_cuda_device(0);
                          }};

INSTANTIATE_TEST_SUITE_P(Gpu, DeviceContract, ::testing::Values(gpu));

TEST(CudaDevice, ANumberThatNoGpuHasIsRefused) {
  EXPECT_THROW(static_cast<void>(make_cuda_device(count_cuda_devices())), BackendUnavailable);
  EXPECT_THROW(static_cast<void>(make_cuda_device(-1)), BackendUnavailable);
}

}  // namespace
}  // namespace ringcast::testing
