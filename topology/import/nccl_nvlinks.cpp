#include <algorithm>

#include <fmt/format.h>

#include "topology/import/gpu_models.hpp"
#include "topology/import/import_hints.hpp"
#include "topology/import/nccl_xml_parts.hpp"

namespace ringcast::detail {

void add_nvlinks(const std::vector<AddressedNvlinks>& all, HostHardware& host) {
  const std::map<std::string, int> gpus = gpu_numbers(host);
  NvlinkRates rates;
  for (const AddressedNvlinks& links : all) {
    const int gpu = gpus.at(links.gpu);
    const auto peer = gpus.find(links.target);
    if (links.to_switch) {
      rates.to_switches[gpu] = rates.to_switches[gpu] + links.rate;
    } else if (peer == gpus.end() || links.target == links.gpu) {
      host.remarks.push_back(fmt::format(
          "GPU {}: {} NVLinks to {} are left out, {}", links.gpu, links.count, links.target,
          links.target == links.gpu ? "which is itself" : "which is no GPU of the file"));
    } else {
      BytesPerSecond& known = rates.between[std::minmax(gpu, peer->second)];
      known = std::max(known, links.rate);
    }
  }
  ringcast::add_nvlinks(rates, host);
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
