// Which GPUs CUDA finds, and why it finds none.
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <span>

#include <fmt/ranges.h>

#include <cuda_runtime.h>

#include "engine/numbers/error.hpp"
#include "real/gpu/cuda_check.hpp"
#include "real/gpu/cuda_device.hpp"

namespace ringcast {
namespace {

/// In the order of the PCI bus, as nvidia-smi and the cluster files have them; CUDA's default is
/// the fastest first. To be called before CUDA's first call.
void order_devices() {
  static const int result = ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
  static_cast<void>(result);
}

/// Nothing if there is no such GPU.
std::optional<cudaDeviceProp> properties_of(int index) {
  if (index < 0 || index >= count_cuda_devices()) return std::nullopt;
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  return properties;
}

}  // namespace

void check_cuda(int code, std::string_view call) {
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // clears the error for the next call
    throw TransportError{
        fmt::format("{}: {}", call, cudaGetErrorString(static_cast<cudaError_t>(code)))};
  }
}

int count_cuda_devices() noexcept {
  order_devices();
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return count;
}

std::string cuda_fault() {
  order_devices();
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  if (code == cudaSuccess || code == cudaErrorNoDevice || driver == 0) return {};
  const auto version = [](int number) {
    return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
  };
  return fmt::format("{} (built with CUDA {}; the driver is for {})", cudaGetErrorString(code),
                     version(CUDART_VERSION), version(driver));
}

std::string cuda_device_name(int index) {
  const auto properties = properties_of(index);
  return properties ? properties->name : std::string{};
}

std::string cuda_device_id(int index) {
  const auto properties = properties_of(index);
  return properties ? fmt::format("{:02x}",
                                  fmt::join(std::as_bytes(std::span{properties->uuid.bytes}), ""))
                    : std::string{};
}

std::optional<Bytes> cuda_free_memory(int index) {
  std::size_t free = 0;
  std::size_t all = 0;
  if (cudaSetDevice(index) == cudaSuccess && cudaMemGetInfo(&free, &all) == cudaSuccess) {
    return Bytes{free};
  }
  static_cast<void>(cudaGetLastError());
  return std::nullopt;
}

}  // namespace ringcast
