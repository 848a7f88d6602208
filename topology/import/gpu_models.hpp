#pragma once

#include <span>
#include <string_view>

namespace ringcast {

/// What the links of a GPU's generation are.
struct GpuModel {
  std::string_view chip;        // part of the names of its products: "A100"
  std::string_view pcie_class;  // of its PCIe link
  std::string_view nvlink_class = {};
  int nvlinks = 0;  // of one GPU
  /// The vendor's driver lets others access its memory over PCIe.
  bool gpudirect = true;
  bool superchip = false;  // with NVIDIA's Grace processor, which NVLink-C2C joins to it
};

/// GPUs by their data sheets. A chip whose name is part of another's follows it.
[[nodiscard]] std::span<const GpuModel> gpu_models();
/// The first model whose chip is in the text, e.g. "NVIDIA A100-SXM4-40GB"; null if there is none.
[[nodiscard]] const GpuModel* find_gpu_model(std::string_view text);
/// The model that has such bundles of NVLinks, and so many links in all bundles of one GPU, where
/// nothing else is known.
[[nodiscard]] const GpuModel& gpu_with_bundles_of(int links, int of_one_gpu);

}  // namespace ringcast
