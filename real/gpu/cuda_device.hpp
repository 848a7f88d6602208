#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "real/gpu/device.hpp"

namespace ringcast {

/// The number of GPUs of this host that CUDA finds; 0 if the program was built without CUDA, or
/// there is no driver.
[[nodiscard]] int count_cuda_devices() noexcept;
/// Why CUDA cannot use the GPUs of a host that has a driver, by CUDA; empty if it can, if there is
/// no GPU or no driver, or if the program was built without CUDA.
[[nodiscard]] std::string cuda_fault();
/// NVIDIA's name of the GPU with this index, and its identity, which is equal in all processes
/// (indices are not: CUDA_VISIBLE_DEVICES); empty if there is no such GPU.
[[nodiscard]] std::string cuda_device_name(int index);
[[nodiscard]] std::string cuda_device_id(int index);
/// Free memory of the GPU with this index; none if CUDA cannot say (make_cuda_device() says why).
[[nodiscard]] std::optional<Bytes> cuda_free_memory(int index);

/// The GPU with this index, from 0. Throws BackendUnavailable if there is no such GPU, the program
/// has no code for it, or it was built without CUDA.
[[nodiscard]] std::unique_ptr<Device> make_cuda_device(int index);

/// The arithmetic of the kernels on host bytes, for tests without a GPU: the same source, compiled
/// for the CPU. `into` and `from` are aligned to the element size. Throws BackendUnavailable if the
/// program was built without CUDA.
void accumulate_as_kernels_do(Reduction reduction, std::span<std::byte> into,
                              std::span<const std::byte> from);
void finish_as_kernels_do(Reduction reduction, std::span<std::byte> into, int ranks);

}  // namespace ringcast
