#pragma once

#include <span>
#include <string_view>

namespace ringcast {

/// The generations of NVIDIA's GPUs that NCCL distinguishes. Older ones and Turing count as Volta,
/// Ada as Ampere. AMD's GPUs are taken as Ampere.
enum class GpuGeneration { volta, ampere, hopper, blackwell };

/// A GPU model: its chip and its links.
struct GpuModel {
  std::string_view product;     // part of its names: "A100"
  int capability = 0;           // CUDA's compute capability, 90 for 9.0; zero: made by AMD
  std::string_view pcie_class;  // of its PCIe link
  std::string_view nvlink_class = {};
  int nvlinks = 0;  // of one GPU
  /// The vendor's driver allows other devices to access its memory over PCIe.
  bool gpudirect = true;
  bool superchip = false;  // connected to a Grace processor by NVLink-C2C

  [[nodiscard]] bool is_amd() const { return capability == 0; }
  [[nodiscard]] GpuGeneration generation() const;
};

/// The generation of an unknown model, by that of its PCIe: GPUs of PCIe 5.0 without GPUDirect are
/// GeForce RTX 50.
[[nodiscard]] GpuGeneration generation_on_pcie(int pcie, bool gpudirect);

/// The table of GPUs, from data sheets. A product whose name is part of another's comes after it.
[[nodiscard]] std::span<const GpuModel> gpu_models();
/// The first model whose product name is in the text, e.g. "NVIDIA A100-SXM4-40GB" or "GA100 [A100
/// SXM4 40GB]"; null if there is none.
[[nodiscard]] const GpuModel* find_gpu_model(std::string_view text);
/// Guesses the model from the number of NVLinks in a bundle, and in all bundles of one GPU.
[[nodiscard]] const GpuModel& gpu_with_bundles_of(int links, int of_one_gpu);

}  // namespace ringcast
