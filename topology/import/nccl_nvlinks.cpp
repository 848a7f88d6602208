#include "topology/import/nccl_nvlinks.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "topology/import/gpu_models.hpp"
#include "topology/import/import_hints.hpp"

namespace ringcast::detail {

namespace {

struct NumberedGpu {
  int number = 0;  // in the tree
  BytesPerSecond link_rate;
};

std::map<std::string, NumberedGpu> gpus_by_address(const HostHardware& host) {
  std::map<std::string, NumberedGpu> gpus;
  for_each_device_of(host, [&](const HardwareDevice& device) {
    if (device.kind == VertexKind::gpu) {
      const GpuModel* const model = find_gpu_model(device.model);
      const bool known = model != nullptr && !model->nvlink_class.empty();
      gpus.emplace(device.address,
                   NumberedGpu{static_cast<int>(gpus.size()),
                               reported_rate(known ? model->nvlink_class : "nvlink-2.0")});
    }
  });
  return gpus;
}

}  // namespace

void add_nvlinks(const std::vector<AddressedNvlinks>& all, HostHardware& host) {
  const std::map<std::string, NumberedGpu> gpus = gpus_by_address(host);
  std::map<std::pair<int, int>, BytesPerSecond> between;
  std::map<int, BytesPerSecond> to_switches;
  for (const AddressedNvlinks& links : all) {
    const NumberedGpu& gpu = gpus.at(links.gpu);
    const BytesPerSecond rate = static_cast<double>(links.count) * gpu.link_rate;
    const auto peer = gpus.find(links.target);
    if (links.to_switch) {
      to_switches[gpu.number] = to_switches[gpu.number] + rate;
    } else if (peer == gpus.end() || links.target == links.gpu) {
      host.remarks.push_back(fmt::format(
          "GPU {}: {} NVLinks to {} are left out, {}", links.gpu, links.count, links.target,
          links.target == links.gpu ? "which is itself" : "which is no GPU of the file"));
    } else {
      BytesPerSecond& known = between[std::minmax(gpu.number, peer->second.number)];
      known = std::max(known, rate);
    }
  }
  for (const auto& [pair, rate] : between) {
    host.nvlinks.push_back({pair.first, pair.second, rate});
  }
  for (const auto& [gpu, rate] : to_switches) {
    host.nvswitch = std::max(host.nvswitch, rate);
  }
}

void assume_nvswitch(const std::string& gpu, HostHardware& host) {
  const GpuModel* const model = find_gpu_model(gpu);
  constexpr int least_links = 12;  // boards of eight V100, with 6 each, have none
  const bool is_board = gpu.find("SXM") != std::string::npos && model != nullptr &&
                        model->nvlinks >= least_links && count_of(VertexKind::gpu, host) >= 8;
  if (!is_board) {
    host.remarks.emplace_back(
        "the GPUs have no gpu elements, so NVLinks are unknown and left out (--gpu \"A100 SXM\" "
        "assumes those of a board of eight)");
    return;
  }
  host.nvswitch = static_cast<double>(model->nvlinks) * reported_rate(model->nvlink_class);
  host.remarks.push_back(fmt::format(
      "the GPUs have no gpu elements; {} NVLinks of each are taken to lead to NVSwitches",
      model->nvlinks));
}

}  // namespace ringcast::detail
