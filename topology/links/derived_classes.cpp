#include "topology/links/derived_classes.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "topology/links/network_classes.hpp"

namespace ringcast::detail {

namespace {

/// A class of the table, and the fraction of its rates that another class has.
struct ScaledFrom {
  std::string base;
  double share;
};

/// Risers and M.2 slots have one or two lanes.
std::optional<ScaledFrom> fewer_lanes(std::string_view name) {
  if (!name.starts_with("pcie-") || !(name.ends_with("-x1") || name.ends_with("-x2"))) {
    return std::nullopt;
  }
  return ScaledFrom{fmt::format("{}8", name.substr(0, name.size() - 1)),
                    name.back() == '1' ? 1.0 / 8 : 2.0 / 8};
}

/// Ports of virtual machines have any rate. A single digit may be a number of ports, as in `4 GbE`.
std::optional<ScaledFrom> rate_of_ethernet(std::string_view name) {
  constexpr std::string_view family = "ethernet-";
  constexpr double least = 5;
  constexpr double most = 800;
  if (!name.starts_with(family) || !name.ends_with('g')) return std::nullopt;
  const std::string_view digits = name.substr(family.size(), name.size() - family.size() - 1);
  double rate = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), rate);
  const bool known = rate == 2.5 || (rate >= least && rate <= most);
  if (!known || digits != fmt::format("{}", rate)) return std::nullopt;
  return ScaledFrom{"ethernet-100g", rate / 100};
}

/// Cisco's UCS M7 selects UPI of 12.8 and 14.4 GT/s with the processors of upi-16 (BIOS token QPI
/// Link Frequency Select); Xeon 5500 and E5-2620 have QPI of 4.8 and 7.2 GT/s.
std::optional<ScaledFrom> rate_of_sockets(std::string_view name) {
  if (name == "upi-12.8") return ScaledFrom{"upi-16", 12.8 / 16};
  if (name == "upi-14.4") return ScaledFrom{"upi-16", 14.4 / 16};
  if (name == "qpi-4.8") return ScaledFrom{"qpi-8.0", 4.8 / 8};
  if (name == "qpi-7.2") return ScaledFrom{"qpi-8.0", 7.2 / 8};
  return std::nullopt;
}

std::optional<ScaledFrom> scaled_from(std::string_view name) {
  for (const auto& rule : {fewer_lanes, rate_of_ethernet, rate_of_sockets})
    if (auto found = rule(name)) return found;
  return std::nullopt;
}

}  // namespace

std::optional<LinkClass> derived_class(std::span<const LinkClass> table, std::string_view name,
                                       std::string_view left_out) {
  const auto scaled = scaled_from(name);
  if (!scaled) return std::nullopt;
  const auto base = std::ranges::find(table, scaled->base, &LinkClass::name);
  if (base == table.end()) return std::nullopt;
  LinkClass derived = *base;
  derived.name = name;
  derived.source = fmt::format("{}; scaled from {}", base->source, base->name);
  for (BytesPerSecond LinkClass::*const rate :
       {&LinkClass::raw, &LinkClass::achievable, &LinkClass::peer_achievable,
        &LinkClass::kernel_achievable, &LinkClass::direct_achievable}) {
    derived.*rate = scaled->share * derived.*rate;
  }
  if (derived.is_network) {
    derived.kernel_achievable = staged_by_kernels(derived.achievable, oldest_pcie, left_out);
  }
  return derived;
}

}  // namespace ringcast::detail
