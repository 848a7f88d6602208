#include "app/config/cluster/link_names.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "app/config/cluster/class_lists.hpp"
#include "app/config/cluster/device_names.hpp"
#include "app/config/cluster/network_names.hpp"
#include "app/config/cluster/processor_names.hpp"
#include "app/config/yaml/spelling.hpp"

namespace ringcast {

namespace {

using detail::classes_like;
using detail::known_classes;
using Classes = detail::Classes;

std::optional<Classes> pcie(const Spelling& name) {
  if (!name.has_any({"pcie", "pci"})) return std::nullopt;
  std::vector<double> numbers = name.numbers();
  const auto lanes = name.after("x") ? name.after("x") : name.before("x");
  if (lanes && numbers.size() > 1) numbers.erase(std::ranges::find(numbers, *lanes));
  if (numbers.size() != 1 || !name.has_only({"pcie", "pci", "express", "e", "gen", "v", "x"})) {
    return classes_like("pcie-");
  }
  const auto generation = fmt::format("pcie-{}-x", detail::one_decimal(numbers.front()));
  Classes found = known_classes({generation + "16", generation + "8", generation + "4"});
  if (!lanes) return found.empty() ? classes_like("pcie-") : found;
  const Classes exact = known_classes({fmt::format("{}{}", generation, *lanes)});
  if (!exact.empty()) return exact;
  return found.empty() ? classes_like("pcie-") : found;
}

std::optional<Classes> nvlink(const Spelling& name) {
  if (name.has("c") && name.numbers() == std::vector{2.0}) return Classes{"nvlink-c2c"};
  // nvidia-smi's NV12 is twelve links.
  if (name.after("nv")) return classes_like("nvlink-");
  if (!name.has("nvlink")) return std::nullopt;
  if (name.has("bridge")) return Classes{"nvlink-3.0-rtx", "nvlink-4.0", "nvlink-2.0"};
  const std::vector<double> numbers = name.numbers();
  const bool ampere =
      numbers.empty() || numbers == std::vector{3.0} || numbers == std::vector{3090.0};
  if (name.has("rtx") && ampere) return Classes{"nvlink-3.0-rtx"};
  if (name.has("rtx")) return Classes{"nvlink-3.0-rtx", "nvlink-2.0"};  // 2080 Ti: NVLink 2.0
  if (numbers.size() != 1) return classes_like("nvlink-");
  const Classes found =
      known_classes({fmt::format("nvlink-{}", detail::one_decimal(numbers.front()))});
  return found.empty() ? classes_like("nvlink-") : found;
}

std::optional<Classes> of_amd(const Spelling& name) {
  const bool fabric = name.has("xgmi") || (name.has("infinity") && name.has("fabric"));
  if (!fabric) return std::nullopt;
  const std::vector<double> numbers = name.numbers();
  if (numbers.size() > 1) return classes_like("xgmi-");
  if (const auto model = name.after("mi")) {
    // One board, whose cooling differs: MI350X and MI355X, MI250 and MI250X.
    const double board = *model == 350 ? 355 : *model;
    Classes found = known_classes({fmt::format("xgmi-mi{}{}", board, name.has("a") ? "a" : "x")});
    if (found.empty()) found = known_classes({fmt::format("xgmi-mi{}", board)});
    return found.empty() ? classes_like("xgmi-mi") : found;
  }
  const Classes found =
      numbers.empty() ? Classes{} : known_classes({fmt::format("xgmi-{}", numbers.front())});
  return found.empty() ? classes_like("xgmi-") : found;
}

std::optional<Classes> of_intel(const Spelling& name) {
  for (const std::string_view family : {"qpi", "upi"}) {
    if (!name.has(family)) continue;
    const std::string prefix = fmt::format("{}-", family);
    const std::vector<double> rates = name.numbers();
    // UPI 2.0 is a generation: 16 GT/s of Sapphire Rapids, 20 of Emerald and 24 of Granite Rapids.
    if (family == "upi" && rates == std::vector{2.0}) return Classes{"upi-16", "upi-20", "upi-24"};
    Classes found;
    if (rates.size() == 1) {
      found = known_classes({fmt::format("{}{}", prefix, rates.front()),
                             fmt::format("{}{}", prefix, detail::one_decimal(rates.front()))});
      if (found.size() > 1) found.resize(1);
    }
    return found.empty() ? classes_like(prefix) : found;
  }
  return std::nullopt;
}

}  // namespace

LinkNames link_names(std::string_view text) {
  Spelling name{text};
  name.rename("cx", "connectx");
  const auto card = detail::card_named(name);
  // `ConnectX-7 NDR200` says its rate.
  name.drop("connectx");
  name.drop("bluefield");
  if (auto network = detail::network_named(name, text)) return *network;
  if (card) return *card;
  if (auto rate = detail::rate_named(name, text)) return *rate;
  auto gpu = detail::gpu_named(name);
  for (const auto& family : {of_amd(name), of_intel(name), nvlink(name), pcie(name)})
    if (family && (family->size() == 1 || !gpu)) return {*family};
  if (gpu) return *gpu;
  return {detail::processor_named(name).value_or(Classes{})};
}

std::string_view cpu_vendor(std::string_view text) {
  static constexpr std::array<std::string_view, 4> vendors{"intel", "amd", "arm", "power"};
  const Spelling name{text};
  const Classes classes = detail::processor_named(name).value_or(Classes{""});
  if (classes.empty()) return "";  // no processor that is known: Zen 9
  const std::string& of_class = classes.front();
  const auto found = std::ranges::find_if(vendors, [&](std::string_view vendor) {
    return name.has(vendor) || of_class.starts_with(fmt::format("host-{}", vendor));
  });
  return found == vendors.end() ? "" : *found;
}

}  // namespace ringcast
