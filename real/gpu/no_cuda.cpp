// Replaces cuda_device.cpp in builds without CUDA: the same symbols.
#include "engine/numbers/error.hpp"
#include "real/gpu/cuda_device.hpp"

namespace ringcast {
namespace {

[[noreturn]] void refuse() {
  throw BackendUnavailable{
      "CUDA: this ringcast was built without it (install nvcc 12 or newer, then build again with "
      "-DRINGCAST_CUDA=ON)"};
}

}  // namespace

int count_cuda_devices() noexcept {
  return 0;
}

std::string cuda_fault() {
  return {};
}

std::string cuda_device_name(int /*index*/) {
  return {};
}

std::string cuda_device_id(int /*index*/) {
  return {};
}

std::optional<Bytes> cuda_free_memory(int /*index*/) {
  return std::nullopt;
}

std::unique_ptr<Device> make_cuda_device(int /*index*/) {
  refuse();
}

void accumulate_as_kernels_do(Reduction /*reduction*/, std::span<std::byte> /*into*/,
                              std::span<const std::byte> /*from*/) {
  refuse();
}

void finish_as_kernels_do(Reduction /*reduction*/, std::span<std::byte> /*into*/, int /*ranks*/) {
  refuse();
}

}  // namespace ringcast
