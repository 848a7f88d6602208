#include "app/config/cluster/link_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "app/common/counted.hpp"
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

/// `4.0` for 4; empty for a number with more than one decimal.
std::string one_decimal(double number) {
  const double tenths = std::round(number * 10);
  return std::abs(number * 10 - tenths) < 1e-6 ? fmt::format("{:.1f}", number) : "";
}

// Each family of links returns the classes that a name may mean; empty: it is of another family.

/// The generation whose lanes have this rate, GT/s; 0: none.
double generation_of(double rate) {
  constexpr std::array<double, 6> rates{2.5, 5, 8, 16, 32, 64};
  const auto* const found = std::ranges::find(rates, rate);
  return found == rates.end() ? 0 : static_cast<double>(found - rates.begin() + 1);
}

/// The classes of a generation, with the given number of lanes if any.
Classes pcie_of(double generation, std::optional<double> lanes) {
  const auto begin = fmt::format("pcie-{}-x", one_decimal(generation));
  Classes found = lanes ? known_classes({fmt::format("{}{}", begin, *lanes)}) : Classes{};
  if (found.empty()) found = known_classes({begin + "16", begin + "8", begin + "4"});
  return found.empty() ? classes_like("pcie-") : found;
}

/// `PCIe 4.0 x16`, `Gen4 x16`, `PCIe 16 GT/s x16`.
Classes pcie(const Spelling& name) {
  std::vector<double> numbers = name.numbers();
  const auto lanes = name.after("x") ? name.after("x") : name.before("x");
  const bool named = name.has_any({"pcie", "pci"});
  const bool unnamed = lanes && numbers.size() > 1 && name.has_any({"gen", "gt"});
  const bool alone =
      name.has_only({"pcie", "pci", "express", "e", "gen", "v", "x", "gt", "s", "oculink"});
  if (!named && !(unnamed && alone)) return {};
  const auto take = [&numbers](double number) {
    const auto found = std::ranges::find(numbers, number);
    if (found != numbers.end()) numbers.erase(found);
  };
  if (lanes && numbers.size() > 1) take(*lanes);
  if (const auto rate = name.before("gt")) {
    take(*rate);  // may have been read as lanes: `x16 GT/s`
    if (numbers.empty()) numbers.push_back(generation_of(*rate));
    if (numbers.front() != generation_of(*rate)) numbers.clear();
  }
  return numbers.size() == 1 && alone ? pcie_of(numbers.front(), lanes) : classes_like("pcie-");
}

Classes nvlink(const Spelling& name) {
  if (name.has("c") && name.numbers() == std::vector{2.0}) return {"nvlink-c2c"};
  // nvidia-smi's NV12 is twelve links.
  if (name.after("nv")) return classes_like("nvlink-");
  if (!name.has("nvlink")) return {};
  if (name.has("bridge")) return {"nvlink-3.0-rtx", "nvlink-4.0", "nvlink-2.0"};
  const std::vector<double> numbers = name.numbers();
  const bool ampere =
      numbers.empty() || numbers == std::vector{3.0} || numbers == std::vector{3090.0};
  if (name.has("rtx") && ampere) return {"nvlink-3.0-rtx"};
  if (name.has("rtx")) return {"nvlink-3.0-rtx", "nvlink-2.0"};  // 2080 Ti: NVLink 2.0
  if (numbers.size() != 1) return classes_like("nvlink-");
  Classes found = known_classes({fmt::format("nvlink-{}", one_decimal(numbers.front()))});
  if (!found.empty()) return found;
  found = classes_like("nvlink-");
  std::erase_if(found, [](const std::string& each) { return !each.ends_with(".0"); });
  std::ranges::reverse(found);
  return found;
}

Classes of_amd(const Spelling& name) {
  const bool fabric = name.has("xgmi") || (name.has("infinity") && name.has("fabric"));
  if (!fabric) return {};
  const std::vector<double> numbers = name.numbers();
  if (numbers.size() > 1) return classes_like("xgmi-");
  if (const auto model = name.after("mi")) {
    // Variants with the same links: MI350X and MI355X, MI250 and MI250X.
    const double board = *model == 350 ? 355 : *model;
    Classes found = known_classes({fmt::format("xgmi-mi{}{}", board, name.has("a") ? "a" : "x")});
    if (found.empty()) found = known_classes({fmt::format("xgmi-mi{}", board)});
    return found.empty() ? classes_like("xgmi-mi") : found;
  }
  if (numbers.empty()) return classes_like("xgmi-");
  const Classes found = known_classes({fmt::format("xgmi-{}", numbers.front())});
  return found.empty() ? Classes{"xgmi-3", "xgmi-2"} : found;  // between sockets
}

Classes of_intel(const Spelling& name) {
  for (const std::string_view family : {"qpi", "upi"}) {
    if (!name.has(family)) continue;
    const std::string prefix = fmt::format("{}-", family);
    const std::vector<double> rates = name.numbers();
    // UPI 2.0 is a generation: 16 GT/s of Sapphire Rapids, 20 of Emerald and 24 of Granite Rapids.
    if (family == "upi" && rates == std::vector{2.0}) return {"upi-16", "upi-20", "upi-24"};
    Classes found;
    if (rates.size() == 1) {
      found = known_classes({fmt::format("{}{}", prefix, rates.front()),
                             fmt::format("{}{}", prefix, one_decimal(rates.front()))});
      if (found.size() > 1) found.resize(1);
    }
    return found.empty() ? classes_like(prefix) : found;
  }
  return {};
}

/// POWER's link between sockets.
Classes of_power(const Spelling& name) {
  const bool x_bus = name.has("xbus") || (name.has("x") && name.has("bus"));
  return x_bus && name.has_only({"x", "bus", "xbus", "ibm"}) ? Classes{"host-power9"} : Classes{};
}

/// Removes the number of links from a name: 3 of `3x UPI`, and of `UPI-16 x3`, whose number before
/// the x is the rate.
std::optional<int> take_link_count(Spelling& name) {
  Spelling rated = name;
  rated.drop("x");
  const auto count = name.after("x");
  for (const auto& family : {of_amd(rated), of_intel(rated)}) {
    if (!count || family.size() != 1) continue;
    name = rated;
    return static_cast<int>(*count);
  }
  return detail::take_count(name);
}

/// `3x UPI`, `4x xGMI 3`.
std::optional<LinkNames> links_between_sockets(const Spelling& all) {
  Spelling name = all;
  if (!name.has_any({"upi", "qpi", "xgmi"}) || name.has("mi")) return std::nullopt;
  const auto count = take_link_count(name);
  if (!count) return std::nullopt;
  for (const auto& [family, whole] :
       {std::pair{of_amd(name), of_amd(all)}, std::pair{of_intel(name), of_intel(all)}}) {
    if (family.empty() || whole.size() == 1) continue;
    LinkNames names{family, counted(*count, "link")};
    std::erase_if(names.classes, [](const auto& each) { return each.starts_with("xgmi-mi"); });
    names.remark = "a class stands for all links between two sockets";
    return names;
  }
  return std::nullopt;
}

/// Protocols, which are described by the network that carries them.
std::optional<LinkNames> protocol_named(Spelling name, std::string_view text) {
  for (const auto& [word, network, what] :
       {std::tuple{"ipoib", "infiniband", "TCP over InfiniBand"},
        std::tuple{"tcp", "ethernet", "a protocol"}}) {
    if (!name.has(word)) continue;
    name.rename(word, network);
    auto names = detail::network_named(name, text);
    if (names && names->what.empty()) names->what = what;
    if (names) names->remark = "with --transport nccl-sockets";
    return names;
  }
  return std::nullopt;
}

/// The name with abbreviations and product names replaced by common words.
Spelling common_spelling(std::string_view text) {
  Spelling name{text};
  name.rename("cx", "connectx");
  if (name.after("ss") == 10.0 || name.after("ss") == 11.0) {
    if (name.has("slingshot")) name.drop_word("ss");
    name.rename("ss", "slingshot");
  }
  if (name.after("quantum") == 2.0) name.rename("quantum", 2, "ndr");  // its switches
  if (name.has("spectrum")) {
    constexpr double latest = 6;
    name.drop_word("x");  // Spectrum-X
    const double generation = name.after("spectrum").value_or(latest);
    if (generation <= latest) name.rename("spectrum", generation, "spectrum");
  }
  return name;
}

/// The classes that are in both lists, in the order of the first.
Classes in_both(const Classes& nic, const Classes& network) {
  Classes both;
  std::ranges::copy_if(nic, std::back_inserter(both), [&](const std::string& each) {
    return std::ranges::find(network, each) != network.end();
  });
  return both;
}

/// A network, or the networks that a NIC may be connected to if the name has no more.
std::optional<LinkNames> network_or_nic(const Spelling& name, std::string_view text,
                                        std::optional<LinkNames> nic) {
  std::optional<LinkNames> network = detail::network_named(name, text);
  if (!network || !nic) return network ? network : nic;
  const bool several = network->what.empty() && network->classes.size() > 1;
  Classes both = several ? in_both(nic->classes, network->classes) : Classes{};
  if (!both.empty()) return LinkNames{std::move(both), nic->what};
  // No NIC has `GbE` in its name.
  const bool no_rate = name.numbers().empty() && network->classes == Classes{"ethernet-1g"};
  return no_rate ? nic : network;
}

}  // namespace

LinkNames link_names(std::string_view text) {
  Spelling name = common_spelling(text);
  const auto nic = detail::nic_named(name);
  // `ConnectX-7 NDR200` names its rate.
  name.drop("connectx");
  name.drop("bluefield");
  if (name.after("thor") == 2.0) name.rename("thor", 2, "broadcom");
  for (const auto& found :
       {network_or_nic(name, text, nic), protocol_named(name, text), detail::rate_named(name, text),
        links_between_sockets(name), detail::tunnel_named(name)})
    if (found) return *found;
  const auto gpu = detail::gpu_named(name, text);
  for (const auto& family :
       {of_amd(name), of_intel(name), of_power(name), nvlink(name), pcie(name)})
    if (family.size() == 1 || (!family.empty() && !gpu)) return {family};
  return gpu ? *gpu : LinkNames{detail::processor_named(name).value_or(Classes{})};
}

std::string_view cpu_vendor(std::string_view text) {
  const Spelling name{text};
  const Classes classes = detail::processor_named(name).value_or(Classes{""});
  if (classes.empty()) return "";  // an unknown processor: Zen 9
  const std::string& of_class = classes.front();
  const auto found = std::ranges::find_if(cpu_vendors, [&](std::string_view vendor) {
    return name.has(vendor) || vendor_of_socket_link(of_class) == vendor;
  });
  return found == cpu_vendors.end() ? "" : *found;
}

std::string_view vendor_of_socket_link(std::string_view link_class) {
  static constexpr std::pair<std::string_view, std::string_view> families[] = {
      {"qpi-", "intel"},  {"upi-", "intel"},       {"host-intel-", "intel"},
      {"xgmi-", "amd"},   {"host-amd-", "amd"},    {"host-arm", "arm"},
      {"cnvlink", "arm"}, {"host-power", "power"}, {"host-zhaoxin", "zhaoxin"}};
  const auto* const found = std::ranges::find_if(
      families, [&](const auto& family) { return link_class.starts_with(family.first); });
  return found == std::end(families) ? "" : found->second;
}

}  // namespace ringcast
