#include "topology/links/gpu_models.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "engine/numbers/ascii.hpp"

namespace ringcast {

namespace {

constexpr int amd = 0;  // GpuModel::capability

// NVIDIA, "CUDA GPU Compute Capability" (developer.nvidia.com/cuda-gpus), for the capabilities; a
// TITAN X may be 5.2 or 6.1, between which NCCL does not distinguish. NVIDIA's and AMD's data
// sheets, for the PCIe generation and the number of NVLinks or Infinity Fabric links between GPUs.
// GeForce RTX have no GPUDirect over PCIe: Puget Systems, "P2P on NVIDIA RTX 2080Ti vs GTX 1080Ti
// GPUs" (2019); README of tinygrad/open-gpu-kernel-modules for RTX 4090. Nor has GB10: NVIDIA's DGX
// Spark porting guide. A800 and H800 have 400 GB/s of NVLink in both directions: 8 links. MI300A:
// two links to each of the three others of a node. TU102 of the 2080 Ti has two links, TU104 of the
// 2080 one (TechPowerUp, "NVIDIA Turing GeForce RTX Technology & Architecture", 2018).
constexpr auto models = std::to_array<GpuModel>({
    {"P100", 60, "pcie-3.0-x16", "nvlink-1.0", 4},
    {"V100", 70, "pcie-3.0-x16", "nvlink-2.0", 6},
    {"TITAN RTX", 75, "pcie-3.0-x16", "nvlink-2.0", 2},
    {"A100", 80, "pcie-4.0-x16", "nvlink-3.0", 12},
    {"A800", 80, "pcie-4.0-x16", "nvlink-3.0", 8},
    {"A30", 80, "pcie-4.0-x16", "nvlink-3.0", 4},
    {"A6000", 86, "pcie-4.0-x16", "nvlink-3.0-rtx", 4},
    {"A5000", 86, "pcie-4.0-x16", "nvlink-3.0-rtx", 4},
    {"A40", 86, "pcie-4.0-x16", "nvlink-3.0-rtx", 4},
    {"3090", 86, "pcie-4.0-x16", "nvlink-3.0-rtx", 4, false},
    {"GH200", 90, "pcie-5.0-x16", "nvlink-4.0", 18, true, true},
    {"H100", 90, "pcie-5.0-x16", "nvlink-4.0", 18},
    {"H800", 90, "pcie-5.0-x16", "nvlink-4.0", 8},
    {"H200", 90, "pcie-5.0-x16", "nvlink-4.0", 18},
    {"H20", 90, "pcie-5.0-x16", "nvlink-4.0", 18},
    {"GB200", 100, "pcie-5.0-x16", "nvlink-5.0", 18, true, true},
    {"GB300", 103, "pcie-6.0-x16", "nvlink-5.0", 18, true, true},
    {"B100", 100, "pcie-5.0-x16", "nvlink-5.0", 18},
    {"B200", 100, "pcie-5.0-x16", "nvlink-5.0", 18},
    {"B300", 103, "pcie-6.0-x16", "nvlink-5.0", 18},
    {"VR200", 107, "pcie-6.0-x16", "nvlink-6.0", 36, true, true},
    {"Rubin", 107, "pcie-6.0-x16", "nvlink-6.0", 36},
    {"GB10", 121, "pcie-5.0-x16", "", 0, false, true},
    {"PRO 6000", 120, "pcie-5.0-x16"},
    {"PRO 5000", 120, "pcie-5.0-x16"},
    {"PRO 4500", 120, "pcie-5.0-x16"},
    {"PRO 4000", 120, "pcie-5.0-x16"},
    {"PRO 2000", 120, "pcie-5.0-x8"},
    {"5090", 120, "pcie-5.0-x16", "", 0, false},
    {"5080", 120, "pcie-5.0-x16", "", 0, false},
    {"5070", 120, "pcie-5.0-x16", "", 0, false},
    {"5060", 120, "pcie-5.0-x8", "", 0, false},
    {"4090", 89, "pcie-4.0-x16", "", 0, false},
    {"4080", 89, "pcie-4.0-x16", "", 0, false},
    {"4070", 89, "pcie-4.0-x16", "", 0, false},
    {"4060", 89, "pcie-4.0-x8", "", 0, false},
    {"L40", 89, "pcie-4.0-x16"},
    {"L4", 89, "pcie-4.0-x16"},
    {"L20", 89, "pcie-4.0-x16"},
    {"6000 Ada", 89, "pcie-4.0-x16"},
    {"5880 Ada", 89, "pcie-4.0-x16"},
    {"5000 Ada", 89, "pcie-4.0-x16"},
    {"4500 Ada", 89, "pcie-4.0-x16"},
    {"4000 Ada", 89, "pcie-4.0-x16"},
    {"A10", 86, "pcie-4.0-x16"},
    {"A16", 86, "pcie-4.0-x16"},
    {"A4500", 86, "pcie-4.0-x16", "nvlink-3.0-rtx", 4},
    {"A4000", 86, "pcie-4.0-x16"},
    {"A2000", 86, "pcie-4.0-x16"},
    {"3080", 86, "pcie-4.0-x16", "", 0, false},
    {"3070", 86, "pcie-4.0-x16", "", 0, false},
    {"3060", 86, "pcie-4.0-x16", "", 0, false},
    {"3050", 86, "pcie-4.0-x8", "", 0, false},
    {"2080 Ti", 75, "pcie-3.0-x16", "nvlink-2.0", 2, false},
    {"2080", 75, "pcie-3.0-x16", "nvlink-2.0", 1, false},
    {"2070", 75, "pcie-3.0-x16", "", 0, false},
    {"2060", 75, "pcie-3.0-x16", "", 0, false},
    {"Quadro RTX 8000", 75, "pcie-3.0-x16", "nvlink-2.0", 2},
    {"Quadro RTX 6000", 75, "pcie-3.0-x16", "nvlink-2.0", 2},
    {"1080", 61, "pcie-3.0-x16"},
    {"1070", 61, "pcie-3.0-x16"},
    {"TITAN V", 70, "pcie-3.0-x16"},
    {"TITAN", 61, "pcie-3.0-x16"},
    {"T4", 75, "pcie-3.0-x16"},
    {"K80", 37, "pcie-3.0-x16"},
    {"M40", 52, "pcie-3.0-x16"},
    {"M60", 52, "pcie-3.0-x16"},
    {"P40", 61, "pcie-3.0-x16"},
    {"P6000", 61, "pcie-3.0-x16"},
    {"MI50", amd, "pcie-4.0-x16"},
    {"MI60", amd, "pcie-4.0-x16"},
    {"MI100", amd, "pcie-4.0-x16", "xgmi-mi100", 3},
    {"MI210", amd, "pcie-4.0-x16", "xgmi-mi210", 3},
    {"MI250X", amd, "pcie-4.0-x16", "xgmi-mi250x", 8},
    {"MI250", amd, "pcie-4.0-x16", "xgmi-mi250x", 8},
    {"MI300A", amd, "pcie-5.0-x16", "xgmi-mi300a", 6},
    {"MI300X", amd, "pcie-5.0-x16", "xgmi-mi300x", 7},
    {"MI308X", amd, "pcie-5.0-x16", "xgmi-mi300x", 7},
    {"MI325X", amd, "pcie-5.0-x16", "xgmi-mi325x", 7},
    {"MI350X", amd, "pcie-5.0-x16", "xgmi-mi355x", 7},
    {"MI355X", amd, "pcie-5.0-x16", "xgmi-mi355x", 7},
    {"R9700", amd, "pcie-5.0-x16"},
    {"RX 9070", amd, "pcie-5.0-x16"},
    {"RX 7900", amd, "pcie-4.0-x16"},
    {"RX 6900", amd, "pcie-4.0-x16"},
    {"W7900", amd, "pcie-4.0-x16"},
});

/// Whether letters directly after a product's name are those of a variant (`A100X`, `V100S`,
/// `2080Ti`) or form factor (`A100SXM4`).
bool is_variant(std::string_view letters) {
  constexpr std::size_t most_letters = 2;
  constexpr std::array<std::string_view, 6> forms{"sxm", "pcie", "nvl", "oam", "hbm", "super"};
  return letters.size() <= most_letters || std::ranges::find(forms, letters) != forms.end();
}

/// Whether `given` contains the product's name, not as part of a longer number or word: A1000 is
/// not A100. Nor is the die GA100, which pci.ids writes before the product: GA100 [A800 SXM4 80GB].
bool names(const std::string& given, const std::string& product) {
  const auto is_digit_at = [&given](std::size_t at) {
    return at < given.size() && is_digit(given[at]);
  };
  for (std::size_t at = given.find(product); at != given.npos; at = given.find(product, at + 1)) {
    const std::string_view rest = std::string_view{given}.substr(at + product.size());
    const auto end = std::ranges::find_if_not(rest, is_letter);
    const bool is_die = at > 0 && given[at - 1] == 'g';
    if (!is_die && !is_digit_at(at - 1) && !is_digit_at(at + product.size()) &&
        is_variant(rest.substr(0, static_cast<std::size_t>(end - rest.begin())))) {
      return true;
    }
  }
  return false;
}

}  // namespace

GpuGeneration GpuModel::generation() const {
  if (is_amd()) return GpuGeneration::ampere;
  if (capability < 80) return GpuGeneration::volta;
  if (capability < 90) return GpuGeneration::ampere;
  return capability < 100 ? GpuGeneration::hopper : GpuGeneration::blackwell;
}

GpuGeneration generation_on_pcie(int pcie, bool gpudirect) {
  if (pcie <= 3) return GpuGeneration::volta;
  if (pcie == 4) return GpuGeneration::ampere;
  return gpudirect ? GpuGeneration::hopper : GpuGeneration::blackwell;
}

std::span<const GpuModel> gpu_models() {
  return models;
}

const GpuModel* find_gpu_model(std::string_view text) {
  const std::string given = lower_case(text);
  const auto* const found = std::ranges::find_if(models, [&](const GpuModel& model) {
    std::string product = lower_case(model.product);
    if (names(given, product)) return true;
    return std::erase(product, ' ') > 0 && names(given, product);  // 2080Ti
  });
  return found == models.end() ? nullptr : &*found;
}

const GpuModel& gpu_with_bundles_of(int links, int of_one_gpu) {
  // Meshes of four GPUs use all links of each, 18 or 12. Bundles above 6 lead to NVSwitches or join
  // pairs, with all links of a GPU or nearly. A single bundle of 4 is a bridge of workstations. A
  // P100 among eight has four bundles of 1, a V100 three of 2, or with NVSwitches one of 6.
  constexpr int hopper = 18;
  constexpr int ampere = 12;
  if (links > ampere || of_one_gpu == hopper) {
    return *find_gpu_model("H100");
  }
  if (links == 4 && of_one_gpu == 4) {
    return *find_gpu_model("A6000");
  }
  if (links > 6 || links == 4) {
    return *find_gpu_model("A100");
  }
  return *find_gpu_model(links == 1 && of_one_gpu == 4 ? "P100" : "V100");
}

}  // namespace ringcast
