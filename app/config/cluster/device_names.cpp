#include "app/config/cluster/device_names.hpp"

#include <array>
#include <span>

#include <fmt/ranges.h>

#include "app/config/yaml/nearest_name.hpp"

namespace ringcast {

const GpuModel& gpu_model_named(const InputNode& text, std::string_view otherwise) {
  const std::string name = text.text("a model, e.g. H100");
  const GpuModel* const model = find_gpu_model(name);
  if (model != nullptr) return *model;
  constexpr std::size_t shown = 12;
  const std::vector<std::string_view> products = names_of(gpu_models(), &GpuModel::product);
  text.fail(fmt::format("unknown GPU {}{}", in_quotes(name), suggestion(name, products)),
            fmt::format("a name with one of {}, ...; {}",
                        fmt::join(std::span{products}.first(shown), ", "), otherwise));
}

}  // namespace ringcast

namespace ringcast::detail {

namespace {

/// A GPU or a NIC, and the classes of its links.
struct NamedDevice {
  std::string_view word;
  double number;
  std::array<std::string_view, 3> classes;
};

/// GPUs by names that are too short for gpu_models().
constexpr std::array gpus{NamedDevice{"rtx", 6000, {"pcie-4.0-x16"}},
                          NamedDevice{"mi", 250, {"xgmi-mi250x", "pcie-4.0-x16"}},
                          NamedDevice{"mi", 300, {"xgmi-mi300x", "pcie-5.0-x16"}},
                          NamedDevice{"mi", 350, {"xgmi-mi355x", "pcie-5.0-x16"}}};
constexpr std::array nics{
    NamedDevice{"connectx", 3, {"infiniband-fdr-4x", "ethernet-40g"}},
    NamedDevice{"connectx", 4, {"infiniband-edr-4x", "ethernet-100g"}},
    NamedDevice{"connectx", 5, {"infiniband-edr-4x", "ethernet-100g"}},
    NamedDevice{"connectx", 6, {"infiniband-hdr-4x", "infiniband-hdr-2x", "ethernet-200g"}},
    NamedDevice{"connectx", 7, {"infiniband-ndr-4x", "infiniband-ndr-2x", "ethernet-400g"}},
    NamedDevice{"connectx", 8, {"infiniband-xdr-4x", "ethernet-800g"}},
    NamedDevice{"thor", 2, {"ethernet-400g", "ethernet-200g"}},
    NamedDevice{"bluefield", 2, {"infiniband-hdr-4x", "ethernet-200g"}},
    NamedDevice{"bluefield", 3, {"infiniband-ndr-4x", "ethernet-400g"}}};

constexpr std::array tunnels{NamedDevice{"thunderbolt", 3, {"pcie-3.0-x4"}},
                             NamedDevice{"thunderbolt", 4, {"pcie-3.0-x4"}},
                             NamedDevice{"thunderbolt", 5, {"pcie-4.0-x4"}}};

std::optional<LinkNames> device(const Spelling& name, std::span<const NamedDevice> table,
                                std::string_view what) {
  for (const auto& [word, number, classes] : table) {
    if (name.after(word) != number) continue;
    LinkNames names{{}, std::string{what}};
    for (const std::string_view each : classes)
      if (!each.empty()) names.classes.emplace_back(each);
    return names;
  }
  return std::nullopt;
}

}  // namespace

std::optional<LinkNames> gpu_named(const Spelling& name, std::string_view text) {
  constexpr std::string_view what = "a GPU";
  const GpuModel* const model = find_gpu_model(text);
  if (model == nullptr) return device(name, gpus, what);
  LinkNames names{{std::string{model->pcie_class}}, std::string{what}};
  // The NVLink bridge between cards is an option.
  const bool is_bridge = model->nvlink_class == "nvlink-3.0-rtx" || !model->gpudirect;
  if (!model->nvlink_class.empty()) {
    names.classes.emplace(is_bridge ? names.classes.end() : names.classes.begin(),
                          model->nvlink_class);
  }
  return names;
}

std::optional<LinkNames> nic_named(const Spelling& name) {
  return device(name, nics, "a NIC");
}

std::optional<LinkNames> tunnel_named(const Spelling& name) {
  if (name.has("oculink") && name.numbers().empty()) {
    return LinkNames{{"pcie-4.0-x4", "pcie-3.0-x4"}, "a cable of PCIe"};
  }
  return device(name, tunnels, "a tunnel of PCIe");
}

}  // namespace ringcast::detail
