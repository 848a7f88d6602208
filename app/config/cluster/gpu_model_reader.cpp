#include "app/config/cluster/gpu_model_reader.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/config/cluster/cluster_parts.hpp"
#include "app/config/cluster/device_names.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

/// The generation of the GPUs decides, among others, whether NCCL sums in switches.
void check_generation(const InputNode& gpu, const GpuModel& model, const std::string& link_class) {
  const std::optional<int> own = nvlink_generation(model.nvlink_class);
  const std::optional<int> linked = nvlink_generation(link_class);
  if (!own || !linked || own == linked) return;
  gpu.fail(fmt::format("a GPU of {} beside {}", model.nvlink_class, link_class),
           fmt::format("a GPU of {}, or links of class {}", link_class, model.nvlink_class));
}

/// The most links of one GPU, to switches and in all bundles.
int most_links(const NodeTypeSpec& type) {
  std::map<int, int> in_bundles;
  for (const NvlinkSpec& bundle : type.nvlinks) {
    in_bundles[bundle.gpu_a] += bundle.links;
    in_bundles[bundle.gpu_b] += bundle.links;
  }
  int most = 0;
  for (const auto& [gpu, links] : in_bundles)
    most = std::max(most, links);
  return most + (type.nvswitch ? type.nvswitch->links_per_gpu : 0);
}

void check_number_of_links(const InputNode& gpu, const GpuModel& model, const NodeTypeSpec& type) {
  const int links = most_links(type);
  if (model.nvlinks == 0 || links <= model.nvlinks) return;
  const auto [kind, of] = type.nvswitch ? std::pair{"an nvswitch", "links_per_gpu"}
                                        : std::pair{"nvlinks", "links at each GPU"};
  gpu.fail(fmt::format("a GPU with {} links between GPUs beside {} with {} {}", model.nvlinks, kind,
                       links, of),
           fmt::format("{} of at most {}", of, model.nvlinks));
}

/// Links of a class with a bandwidth of its own, too.
void check_links_of_gpus(const InputNode& gpu, const GpuModel& model, const NodeTypeSpec& type) {
  const auto check = [&](const CableSpec& cable) {
    check_generation(gpu, model, cable.base_class);
    const bool of_amd = cable.base_class.starts_with("xgmi-mi");
    const bool of_nvidia = cable.base_class.starts_with("nvlink-");
    if (!(model.is_amd() ? of_nvidia : of_amd)) return;
    const auto [own, other] =
        model.is_amd() ? std::pair{"AMD", "NVIDIA"} : std::pair{"NVIDIA", "AMD"};
    gpu.fail(
        fmt::format("a GPU of {} beside {}, which joins those of {}", own, cable.base_class, other),
        fmt::format("a GPU of {}, or links of {}", other, own));
  };
  for_each_device_of(type, [&](const DeviceSpec& device) { check(device.cable); });
  const auto check_nvlink = [&](const CableSpec& cable, std::string_view kind) {
    check(cable);
    const std::string& link = cable.base_class;
    if (!model.nvlink_class.empty() || !nvlink_generation(link)) return;
    gpu.fail(fmt::format("a GPU without NVLinks beside {} of {}", kind, link),
             fmt::format("a GPU of {}, or no nvlinks and no nvswitch", link));
  };
  for (const NvlinkSpec& nvlink : type.nvlinks)
    check_nvlink(nvlink.cable, "nvlinks");
  if (type.nvswitch) check_nvlink(type.nvswitch->cable, "an nvswitch");
}

void take_model(const InputNode& gpu, NodeTypeSpec& type) {
  const GpuModel& model = gpu_model_named(gpu, "without the key the links tell");
  check_links_of_gpus(gpu, model, type);
  check_number_of_links(gpu, model, type);
  if (parts_of(type).gpus == 0) gpu.fail("a model of GPUs in a node without", "no such key");
  type.gpu = gpu.text();
  type.gpudirect = model.gpudirect;
}

}  // namespace

void read_gpu_model(const InputNode& node, NodeTypeSpec& type) {
  if (const auto gpu = node.find("gpu")) take_model(*gpu, type);
  if (const auto gpudirect = node.find("gpudirect")) type.gpudirect = gpudirect->truth();
}

}  // namespace ringcast
