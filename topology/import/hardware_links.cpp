#include "topology/import/hardware_links.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "engine/numbers/ascii.hpp"
#include "engine/numbers/error.hpp"
#include "topology/links/gpu_models.hpp"
#include "topology/links/link_class.hpp"
#include "topology/links/network_classes.hpp"

namespace ringcast {

const LinkClass& link_class_named(std::string_view name) {
  const LinkClass* const found = find_link_class(name);
  expect(found != nullptr, "no link class {}", name);
  return *found;
}
namespace {

constexpr std::string_view assumed_pcie = "pcie-3.0-x16";
constexpr std::string_view assumed_infiniband = "infiniband-edr-4x";
constexpr std::string_view assumed_ethernet = "ethernet-10g";
// The slowest of two-socket servers with PCIe 4.0 or older, and with PCIe 5.0: the first Xeon with
// it is Sapphire Rapids (Intel ARK).
constexpr std::string_view assumed_sockets = "host-intel-skylake";
constexpr std::string_view assumed_sockets_of_pcie_5 = "host-intel-sapphire-rapids";
constexpr std::string_view unknown_port =
    "nothing here knows the rate of its port (--network of ringcast import names it)";

// hwloc computes rates in single precision. Rates of fast links are less exact: version 1 rounds
// 31.5 GB/s to 31, and the coding of PCIe 6.0 costs more than hwloc assumes. For slow links the
// difference between generations is 1.5 %.
constexpr double pcie_tolerance = 0.005;
constexpr double fast_pcie_tolerance = 0.05;
constexpr BytesPerSecond fast_pcie{30e9};

bool about(BytesPerSecond a, BytesPerSecond b, double tolerance) {
  return std::abs(a.value() - b.value()) <= tolerance * b.value();
}

LinkChoice of_class(std::string_view name, std::string why) {
  return {link_class_named(name).name, BytesPerSecond{0}, std::move(why)};
}

LinkChoice assumption(std::string_view name, std::string why) {
  LinkChoice choice = of_class(name, std::move(why));
  choice.assumed = true;
  return choice;
}

/// A class whose achievable rate is scaled by `rate` / line rate.
LinkChoice part_of(const LinkClass& whole, BytesPerSecond rate, std::string why) {
  return {whole.name, BytesPerSecond{whole.achievable.value() * rate.value() / whole.raw.value()},
          std::move(why)};
}

/// The classes whose names have this beginning and ending, the slowest first.
using Family = std::vector<const LinkClass*>;
Family family(std::string_view beginning, std::string_view ending = "") {
  Family found;
  for (const LinkClass& known : link_classes()) {
    if (known.name.starts_with(beginning) && known.name.ends_with(ending)) found.push_back(&known);
  }
  expect(!found.empty(), "no link class {}*{}", beginning, ending);
  std::ranges::stable_sort(found, {}, &LinkClass::raw);
  return found;
}

/// The slowest class of a family that is at least as fast as `rate`; if there is none, the fastest.
const LinkClass& class_for(const Family& classes, BytesPerSecond rate) {
  const auto enough = std::ranges::lower_bound(classes, rate, {}, &LinkClass::raw);
  return enough == classes.end() ? *classes.back() : **enough;
}

std::string intel_class(int family, int model) {
  // NCCL's thresholds of model numbers (src/graph/topo.cc).
  if (family != 6 || model < 0) {
    return "";
  }
  if (model >= 0xCF) {
    return "host-intel-emerald-rapids";
  }
  if (model >= 0x8F) {
    return "host-intel-sapphire-rapids";
  }
  return model >= 0x55 ? "host-intel-skylake" : "host-intel-broadwell";
}

/// `AMD EPYC 9755 128-Core Processor`
std::string class_of_epyc_named(std::string_view cpu) {
  constexpr std::string_view family = "EPYC ";
  const std::size_t at = cpu.find(family);
  if (at == std::string_view::npos) return "";
  const std::string_view model = cpu.substr(at + family.size(), 4);
  const bool is_model = model.size() == 4 && is_digit(model.front());
  return std::string{is_model ? epyc_class(model.back() - '0') : ""};
}

std::string amd_class(int family, int model) {
  // 17h is Zen 1 and 2, 19h Zen 3 (EPYC: to model 0Fh) and 4, 1Ah Zen 5.
  switch (family) {
    case 0x17:
      return "host-amd-zen2";
    case 0x19:
      return model < 0x10 ? "host-amd-zen3" : "host-amd-zen4";
    case 0x1A:
      return "host-amd-zen5";
    default:
      return "";
  }
}

}  // namespace

LinkChoice pcie_link(BytesPerSecond rate, std::string_view tool) {
  if (rate <= BytesPerSecond{0}) {
    return assumption(assumed_pcie,
                      fmt::format("{} does not know how fast this PCIe link is", tool));
  }
  const std::string why = fmt::format("{} by {}", to_text(rate), tool);
  const double tolerance = rate < fast_pcie ? pcie_tolerance : fast_pcie_tolerance;
  for (const LinkClass& known : link_classes()) {
    if (known.name.starts_with("pcie-") && about(rate, known.raw, tolerance)) {
      return of_class(known.name, why);
    }
  }
  return part_of(class_for(family("pcie-"), rate), rate, why);
}

LinkChoice device_link(const HardwareDevice& device, std::string_view tool) {
  if (device.link_class.empty()) {
    return pcie_link(device.link, tool);
  }
  const LinkClass& own = link_class_named(device.link_class);
  const std::string why = fmt::format("{} by {}", to_text(device.link), tool);
  return about(device.link, own.raw, 0.01) ? of_class(own.name, why)
                                           : part_of(own, device.link, why);
}

bool runs_as_pcie_1(BytesPerSecond rate) {
  return about(rate, link_class_named("pcie-1.0-x16").raw, 0.01) ||
         about(rate, link_class_named("pcie-1.0-x8").raw, 0.01);
}

bool is_far_below_its_model(const HardwareDevice& gpu) {
  // An older host or half of the lanes halve the rate, both together quarter it.
  constexpr double far = 0.24;
  const GpuModel* const model = find_gpu_model(gpu.model);
  return model != nullptr && gpu.link_class.empty() && gpu.link > BytesPerSecond{0} &&
         gpu.link < far * link_class_named(model->pcie_class).raw;
}

LinkChoice network_link(const HardwareDevice& nic) {
  if (!nic.port_class.empty()) {
    return of_class(nic.port_class, "given");
  }
  const Family classes = nic.infiniband ? family("infiniband-", "-4x") : family("ethernet-", "g");
  if (nic.port_rate <= BytesPerSecond{0}) {
    const auto too_fast = std::ranges::upper_bound(classes, nic.link, {}, &LinkClass::raw);
    if (too_fast != classes.begin()) {
      return assumption((*(too_fast - 1))->name,
                        fmt::format("the fastest that its PCIe link can feed: {}", unknown_port));
    }
    return assumption(nic.infiniband ? assumed_infiniband : assumed_ethernet,
                      std::string{unknown_port});
  }
  const double gigabits = gigabits_of(nic.port_rate);
  const std::string why = fmt::format("{:g} Gb/s by the system", gigabits);
  for (const detail::InfinibandGeneration& each : detail::infiniband_generations()) {
    if (nic.infiniband && gigabits == 4 * each.lane) {
      return of_class(fmt::format("infiniband-{}-4x", each.name), why);
    }
  }
  const LinkClass& enough = class_for(classes, nic.port_rate);
  return about(nic.port_rate, enough.raw, 0.001) ? of_class(enough.name, why)
                                                 : part_of(enough, nic.port_rate, why);
}

LinkChoice infiniband_link(const std::string& rate) {
  const std::size_t x = std::min(rate.find('x'), rate.size());
  const std::string speed = lower_case(rate.substr(std::min(x + 1, rate.size())));
  const int width = number_of<int>(std::string_view{rate}.substr(0, x)).value_or(0);
  const LinkClass* const of_four = find_link_class(fmt::format("infiniband-{}-4x", speed));
  if (of_four == nullptr || width < 1 || width > 12) {
    return assumption(assumed_infiniband, rate.empty()
                                              ? "the network's listing has no rate here"
                                              : fmt::format("{} is no rate of InfiniBand", rate));
  }
  if (const LinkClass* own = find_link_class(fmt::format("infiniband-{}-{}x", speed, width))) {
    return of_class(own->name, rate);
  }
  return part_of(*of_four, width / 4.0 * of_four->raw, rate);
}

BytesPerSecond pcie_rate_for(std::string_view link_class) {
  // Packet headers cost more on PCIe than on a network: 4 GB/s of PCIe 1.0 do not feed the 4 GB/s
  // of QDR.
  const BytesPerSecond port = link_class_named(link_class).achievable;
  const Family slots = family("pcie-", "-x16");
  const auto enough = std::ranges::find_if(
      slots, [port](const LinkClass* slot) { return slot->achievable >= port; });
  return (enough == slots.end() ? slots.back() : *enough)->raw;
}

NvlinkChoice nvlink(BytesPerSecond rate, const std::string& gpu_model, std::string_view tool) {
  const GpuModel* const known = find_gpu_model(gpu_model);
  const std::string why = fmt::format("{} by {}", to_text(rate), tool);
  NvlinkChoice choice;
  if (known == nullptr || known->nvlink_class.empty()) {
    choice.link = assumption("nvlink-2.0", why + ", of a generation that the model does not tell");
  } else {
    choice.link = of_class(known->nvlink_class, why);
  }
  const double links = rate.value() / link_class_named(choice.link.link_class).raw.value();
  choice.links = std::max(1, static_cast<int>(std::lround(links)));
  return choice;
}

BytesPerSecond kernel_limit_of(const LinkChoice& choice, BytesPerSecond bandwidth) {
  return choice.is_trunk ? bandwidth : kernel_limit(link_class_named(choice.link_class), bandwidth);
}

std::string_view epyc_class(int generation) {
  // The first Zen is in the class of its successor.
  constexpr std::array<std::string_view, 5> generations{
      "host-amd-zen2", "host-amd-zen2", "host-amd-zen3", "host-amd-zen4", "host-amd-zen5"};
  const bool known = generation >= 1 && generation <= 5;
  return known ? generations[static_cast<std::size_t>(generation - 1)] : "";
}

std::string socket_link_class(const CpuNames& cpu) {
  if (cpu.vendor == "GenuineIntel") {
    return intel_class(number_of<int>(cpu.family).value_or(-1),
                       number_of<int>(cpu.model).value_or(-1));
  }
  if (cpu.vendor == "AuthenticAMD") {
    const std::string by_family =
        amd_class(number_of<int>(cpu.family).value_or(-1), number_of<int>(cpu.model).value_or(-1));
    return by_family.empty() ? class_of_epyc_named(cpu.name) : by_family;
  }
  if (cpu.name.starts_with("POWER") || cpu.architecture.starts_with("ppc64")) {
    return "host-power9";  // NCCL has one figure for POWER
  }
  return cpu.architecture == "aarch64" ? "host-arm" : "";
}

LinkChoice process_link() {
  // The order of magnitude of a server core, until it is measured.
  return {"", 10_GBps, "what one core copies; ringcast calibrate measures it", true};
}

LinkChoice socket_link(const HostHardware& host) {
  const HardwareSocket& socket = host.sockets.front();
  if (socket.link_class.empty()) {
    const BytesPerSecond pcie_4 = link_class_named("pcie-4.0-x16").raw;
    bool has_pcie_5 = false;
    for_each_device_of(host, [&](const HardwareDevice& device) {
      has_pcie_5 |= device.link_class.empty() && device.link > 1.5 * pcie_4;
    });
    return assumption(has_pcie_5 ? assumed_sockets_of_pcie_5 : assumed_sockets,
                      fmt::format("{} does not know what joins the sockets, and {}", host.tool,
                                  socket.cpu.empty() ? "no CPU is named (--cpu names it)"
                                                     : "NCCL has no figure for this CPU"));
  }
  return assumption(
      socket.link_class,
      fmt::format("the class of this CPU; {} does not know what joins the sockets", host.tool));
}

}  // namespace ringcast
