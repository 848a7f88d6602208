#include "app/config/cluster/gpu_model_reader.hpp"

#include <map>
#include <optional>
#include <string>
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

void check_number_of_links(const InputNode& gpu, const GpuModel& model, const NodeTypeSpec& type) {
  if (model.nvlinks == 0) return;
  if (type.nvswitch && type.nvswitch->links_per_gpu > model.nvlinks) {
    gpu.fail(fmt::format("a GPU with {} NVLinks beside an nvswitch with {} links_per_gpu",
                         model.nvlinks, type.nvswitch->links_per_gpu),
             fmt::format("links_per_gpu of at most {}", model.nvlinks));
  }
  std::map<int, int> links;  // of each GPU, in all bundles
  for (const NvlinkSpec& bundle : type.nvlinks) {
    for (const int end : {bundle.gpu_a, bundle.gpu_b}) {
      if ((links[end] += bundle.links) <= model.nvlinks) continue;
      gpu.fail(fmt::format("a GPU with {} NVLinks beside nvlinks that give GPU {} {} links",
                           model.nvlinks, end, links[end]),
               fmt::format("bundles of at most {} links in all at each GPU", model.nvlinks));
    }
  }
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
  for (const NvlinkSpec& nvlink : type.nvlinks)
    check(nvlink.cable);
  if (!type.nvswitch) return;
  const std::string& link = type.nvswitch->cable.base_class;
  check(type.nvswitch->cable);
  if (model.nvlink_class.empty() && nvlink_generation(link)) {
    gpu.fail(fmt::format("a GPU without NVLinks beside an nvswitch of {}", link),
             fmt::format("a GPU of {}, or no nvswitch", link));
  }
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
