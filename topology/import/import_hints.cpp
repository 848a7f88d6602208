#include "topology/import/import_hints.hpp"

#include <fmt/format.h>

#include "engine/numbers/ascii.hpp"
#include "topology/import/hardware_links.hpp"
#include "topology/links/gpu_models.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

BytesPerSecond reported_rate(std::string_view link_class) {
  return link_class_named(link_class).raw;
}

namespace {

/// `A100 SXM`, `a100-pcie`; `form` in lower case.
bool names_form(const std::string& gpu, std::string_view form) {
  return lower_case(gpu).find(form) != std::string::npos;
}

/// Joins each two of eight MI300X or later by one link, of four MI300A by two: all links of a GPU.
void assume_xgmi(const GpuModel& model, int gpus, const std::string& missing, HostHardware& host) {
  const bool is_mesh =
      (gpus == 8 && model.nvlinks == 7) || (gpus == 4 && model.product == "MI300A");
  if (!is_mesh) {
    host.remarks.push_back(fmt::format(
        "{}; they are left out (add them as nvlinks in the written file, if there are any)",
        missing));
    return;
  }
  const int links = model.nvlinks / (gpus - 1);
  const BytesPerSecond rate = static_cast<double>(links) * reported_rate(model.nvlink_class);
  for (int a = 0; a < gpus; ++a) {
    for (int b = a + 1; b < gpus; ++b)
      host.nvlinks.push_back({a, b, rate});
  }
  host.remarks.push_back(fmt::format("{}; the {} links of each are taken to lead to the other {}",
                                     missing, model.nvlinks, gpus - 1));
}

/// Connects the processors of GH200, GB200 and GB300 to each other, and their GPUs to them by
/// NVLink-C2C if the tool reports only the PCIe link.
void join_superchips(const ImportHints& hints, HostHardware& host) {
  bool are_superchips = false;
  std::string_view chip;
  for_each_device_of(host, [&](HardwareDevice& device) {
    if (device.kind != VertexKind::gpu) return;
    const GpuModel* const model = find_gpu_model(device.model);
    if (device.link_class.empty() && model != nullptr && model->superchip) {
      device.link_class = "nvlink-c2c";
      device.link = reported_rate(device.link_class);
      chip = model->product;
    }
    are_superchips = are_superchips || device.link_class == "nvlink-c2c";
  });
  for (HardwareSocket& socket : host.sockets) {
    const bool unknown = socket.link_class.empty() && hints.sockets.empty();
    if (are_superchips && (unknown || socket.link_class == "host-arm"))
      socket.link_class = "cnvlink";
  }
  if (chip.empty()) return;
  host.remarks.push_back(
      fmt::format("{} are superchips: NVLink-C2C is taken to join each GPU to a Grace processor, "
                  "and PCIe only the NICs",
                  chip));
}

}  // namespace

void apply_hints(const ImportHints& hints, HostHardware& host) {
  host.port_class = hints.network;
  join_superchips(hints, host);
  for (HardwareSocket& socket : host.sockets) {
    if (!hints.cpu.empty()) socket.cpu = hints.cpu;
    if (hints.sockets.empty()) continue;
    if (const std::string& known = socket.link_class;
        &socket == &host.sockets.front() && !known.empty() && known != hints.sockets) {
      host.remarks.push_back(fmt::format("{} names processors of {}: --cpu replaces them by {}",
                                         host.tool, known, hints.sockets));
    }
    socket.link_class = hints.sockets;
  }
  for_each_device_of(host, [&](HardwareDevice& device) {
    if (device.kind == VertexKind::nic && !hints.network.empty()) {
      device.port_class = hints.network;
    }
  });
}

void assume_pcie_links(const std::string& gpu, HostHardware& host) {
  const GpuModel* const model = find_gpu_model(gpu);
  if (model == nullptr) return;
  bool of_others = false;
  for_each_device_of(host, [&](HardwareDevice& device) {
    if (device.link > BytesPerSecond{0}) return;
    device.link = reported_rate(model->pcie_class);
    of_others = of_others || device.kind != VertexKind::gpu;
  });
  if (of_others) host.remarks.emplace_back(links_as_of_gpus);
}

void assume_gpus(const ImportHints& hints, const std::string& tool, HostHardware& host) {
  const GpuModel* const named = find_gpu_model(hints.gpu);
  std::string model;
  std::string replaced;
  for_each_device_of(host, [&](HardwareDevice& device) {
    if (device.kind != VertexKind::gpu) return;
    if (named != nullptr) {
      const GpuModel* const found = find_gpu_model(device.model);
      if (found != nullptr && found != named) replaced = device.model;
      device.model = hints.gpu;
    }
    model = device.model;
  });
  if (!replaced.empty()) {
    host.remarks.push_back(
        fmt::format("{} names GPUs {}: --gpu replaces them by {}", tool, replaced, hints.gpu));
  }
  assume_pcie_links(hints.gpu, host);
  const bool is_joined = !host.nvlinks.empty() || host.nvswitch > BytesPerSecond{0};
  if (!is_joined && has_nvlinks_in_servers(model)) {
    const std::string_view links = find_gpu_model(model)->is_amd() ? "xGMI links" : "NVLinks";
    assume_nvlinks(model, fmt::format("{} shows no {}", tool, links), host);
  }
}

bool has_nvlinks_in_servers(const std::string& gpu) {
  constexpr int least_links = 6;  // V100; bridges of workstations, of up to 4, are options
  const GpuModel* const model = find_gpu_model(gpu);
  return model != nullptr && model->nvlinks >= least_links && !names_form(gpu, "pci");
}

void assume_nvlinks(const std::string& gpu, const std::string& missing, HostHardware& host) {
  const GpuModel* const model = find_gpu_model(gpu);
  const int gpus = count_of(VertexKind::gpu, host);
  if (gpus < 2) return;
  if (model != nullptr && model->is_amd()) {
    assume_xgmi(*model, gpus, missing, host);
    return;
  }
  constexpr int least_links = 8;  // boards of eight V100, with 6 each, have none
  const bool may_have_switches = gpus >= 8 && (model == nullptr || model->nvlinks >= least_links);
  if (model == nullptr || !may_have_switches || !names_form(gpu, "sxm")) {
    const std::string remedy =
        may_have_switches ? fmt::format("--gpu \"{} SXM\" assumes those of a board of eight",
                                        model == nullptr ? "A100" : model->product)
                          : "add them as nvlinks in the written file, if there are any";
    host.remarks.push_back(
        fmt::format("{}, so NVLinks are unknown and left out ({})", missing, remedy));
    return;
  }
  host.nvswitch = static_cast<double>(model->nvlinks) * reported_rate(model->nvlink_class);
  host.remarks.push_back(fmt::format("{}; {} NVLinks of each are taken to lead to NVSwitches",
                                     missing, model->nvlinks));
}

}  // namespace ringcast
