#include "app/config/cluster/device_names.hpp"

#include <array>
#include <span>

namespace ringcast::detail {

namespace {

/// A GPU or a network card, and what it is connected with.
struct NamedDevice {
  std::string_view word;
  double number;
  std::array<std::string_view, 3> classes;
};

constexpr std::array<std::string_view, 3> hopper{"nvlink-4.0", "pcie-5.0-x16"};
constexpr std::array<std::string_view, 3> blackwell{"nvlink-5.0", "pcie-5.0-x16"};
constexpr std::array<std::string_view, 3> ampere{"nvlink-3.0", "pcie-4.0-x16"};
constexpr std::array<std::string_view, 3> bridged{"pcie-4.0-x16", "nvlink-3.0-rtx"};
constexpr std::array<std::string_view, 3> gen3{"pcie-3.0-x16"};
constexpr std::array<std::string_view, 3> gen4{"pcie-4.0-x16"};
constexpr std::array<std::string_view, 3> gen5{"pcie-5.0-x16"};
constexpr std::array gpus{NamedDevice{"h", 100, hopper},
                          NamedDevice{"h", 200, hopper},
                          NamedDevice{"h", 800, hopper},
                          NamedDevice{"h", 20, hopper},
                          NamedDevice{"gh", 200, hopper},
                          NamedDevice{"b", 200, blackwell},
                          NamedDevice{"b", 300, blackwell},
                          NamedDevice{"gb", 200, blackwell},
                          NamedDevice{"gb", 300, blackwell},
                          NamedDevice{"a", 100, ampere},
                          NamedDevice{"a", 800, ampere},
                          NamedDevice{"a", 30, ampere},
                          NamedDevice{"a", 40, bridged},
                          NamedDevice{"a", 6000, bridged},
                          NamedDevice{"rtx", 3090, bridged},
                          NamedDevice{"a", 10, gen4},
                          NamedDevice{"l", 4, gen4},
                          NamedDevice{"l", 40, gen4},
                          NamedDevice{"rtx", 4090, gen4},
                          NamedDevice{"rtx", 6000, gen4},
                          NamedDevice{"rtx", 5090, gen5},
                          NamedDevice{"pro", 6000, gen5},
                          NamedDevice{"t", 4, gen3},
                          NamedDevice{"rtx", 2080, {"pcie-3.0-x16", "nvlink-2.0"}},
                          NamedDevice{"v", 100, {"nvlink-2.0", "pcie-3.0-x16"}},
                          NamedDevice{"p", 100, {"nvlink-1.0", "pcie-3.0-x16"}},
                          NamedDevice{"mi", 100, {"xgmi-mi100", "pcie-4.0-x16"}},
                          NamedDevice{"mi", 210, {"xgmi-mi210", "pcie-4.0-x16"}},
                          NamedDevice{"mi", 250, {"xgmi-mi250x", "pcie-4.0-x16"}},
                          NamedDevice{"mi", 300, {"xgmi-mi300x", "pcie-5.0-x16"}},
                          NamedDevice{"mi", 325, {"xgmi-mi325x", "pcie-5.0-x16"}},
                          NamedDevice{"mi", 350, {"xgmi-mi355x", "pcie-5.0-x16"}},
                          NamedDevice{"mi", 355, {"xgmi-mi355x", "pcie-5.0-x16"}}};
constexpr std::array cards{
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

std::optional<LinkNames> gpu_named(const Spelling& name) {
  return device(name, gpus, "a GPU");
}

std::optional<LinkNames> card_named(const Spelling& name) {
  return device(name, cards, "a network card");
}

std::optional<LinkNames> tunnel_named(const Spelling& name) {
  if (name.has("oculink") && name.numbers().empty()) {
    return LinkNames{{"pcie-4.0-x4", "pcie-3.0-x4"}, "a cable of PCIe"};
  }
  return device(name, tunnels, "a tunnel of PCIe");
}

}  // namespace ringcast::detail
