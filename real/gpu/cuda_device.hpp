#pragma once

#include <memory>
#include <span>
#include <string>

#include "real/gpu/device.hpp"

namespace ringcast {

/// How many GPUs CUDA finds here. None where the program was built without CUDA, or without a
/// driver.
[[nodiscard]] int count_cuda_devices() noexcept;
/// What NVIDIA calls the GPU of that number; empty where there is none.
[[nodiscard]] std::string cuda_device_name(int index);

/// The GPU of that number, counted from 0. Throws BackendUnavailable where there is none, or the
/// program was built without CUDA.
[[nodiscard]] std::unique_ptr<Device> make_cuda_device(int index);

/// The arithmetic of the kernels on host bytes, for tests without a GPU: the same source, compiled
/// for the CPU. Both sides are aligned to the element size. Throws BackendUnavailable where the
/// program was built without CUDA.
void accumulate_as_kernels_do(Reduction reduction, std::span<std::byte> into,
                              std::span<const std::byte> from);
void finish_as_kernels_do(Reduction reduction, std::span<std::byte> into, int ranks);

}  // namespace ringcast
