#include "app/config/cluster/link_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "app/config/cluster/device_names.hpp"
#include "app/config/yaml/spelling.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

namespace {

using Classes = std::vector<std::string>;

/// The classes of the table that begin so.
Classes classes_like(std::string_view prefix) {
  Classes names;
  for (const LinkClass& each : link_classes())
    if (each.name.starts_with(prefix)) names.push_back(each.name);
  return names;
}

/// Those of these names that are classes.
Classes known(Classes names) {
  std::erase_if(names, [](const std::string& name) { return find_link_class(name) == nullptr; });
  return names;
}

std::optional<Classes> pcie(const Spelling& name) {
  if (!name.has_any({"pcie", "pci"})) return std::nullopt;
  std::vector<double> numbers = name.numbers();
  const auto lanes = name.after("x") ? name.after("x") : name.before("x");
  if (lanes && numbers.size() > 1) numbers.erase(std::ranges::find(numbers, *lanes));
  if (numbers.size() != 1 || !name.has_only({"pcie", "pci", "express", "e", "gen", "v", "x"})) {
    return classes_like("pcie-");
  }
  const auto generation = fmt::format("pcie-{:.1f}-x", numbers.front());
  if (lanes) return known({fmt::format("{}{}", generation, *lanes)});
  return known({generation + "16", generation + "8", generation + "4"});
}

std::optional<Classes> nvlink(const Spelling& name) {
  if (name.has("c") && name.numbers() == std::vector{2.0}) return Classes{"nvlink-c2c"};
  // nvidia-smi's NV12 is twelve links.
  if (name.after("nv")) return classes_like("nvlink-");
  if (!name.has("nvlink")) return std::nullopt;
  if (name.has("bridge")) return Classes{"nvlink-3.0-rtx", "nvlink-4.0", "nvlink-2.0"};
  const std::vector<double> numbers = name.numbers();
  if (name.has("rtx")) return Classes{"nvlink-3.0-rtx"};
  if (numbers.size() != 1) return classes_like("nvlink-");
  const Classes found = known({fmt::format("nvlink-{:.1f}", numbers.front())});
  return found.empty() ? classes_like("nvlink-") : found;
}

/// Gb/s of a lane as in the names: HDR100 has two lanes.
struct InfinibandGeneration {
  std::string_view name;
  double lane;
};
constexpr std::array<InfinibandGeneration, 8> infiniband_generations{{{"xdr", 200},
                                                                      {"ndr", 100},
                                                                      {"hdr", 50},
                                                                      {"edr", 25},
                                                                      {"fdr", 14},
                                                                      {"qdr", 10},
                                                                      {"ddr", 5},
                                                                      {"sdr", 2.5}}};

/// The lanes that the numbers of a name say: `4x`, or a rate; 0: they contradict.
int lanes_of(const Spelling& name, double lane) {
  std::optional<int> lanes;
  for (const double number : name.numbers()) {
    const bool given = name.before("x") == number || name.after("x") == number;
    const double count = given ? number : number / lane;
    if (count != 1 && count != 2 && count != 4) return 0;
    if (lanes && *lanes != static_cast<int>(count)) return 0;
    lanes = static_cast<int>(count);
  }
  return lanes.value_or(4);
}

/// `InfiniBand 200G`: the generation does not say itself. Empty for another rate.
Classes infiniband_of_rate(const Spelling& name) {
  const std::vector<double> rates = name.numbers();
  Classes found;
  for (const int lanes : {4, 2}) {  // the usual first
    for (const InfinibandGeneration& each : infiniband_generations) {
      if (rates.size() == 1 && rates.front() == each.lane * lanes) {
        found.push_back(fmt::format("infiniband-{}-{}x", each.name, lanes));
      }
    }
  }
  return found;
}

std::optional<Classes> infiniband(const Spelling& name) {
  for (const InfinibandGeneration& each : infiniband_generations) {
    if (!name.has(each.name)) continue;
    const bool ten = each.name == "fdr" && name.after("fdr") == 10.0;
    const int lanes =
        ten ? static_cast<int>(name.before("x").value_or(4)) : lanes_of(name, each.lane);
    const std::string prefix = fmt::format("infiniband-{}-", ten ? "fdr10" : each.name);
    return lanes == 0 ? classes_like(prefix) : Classes{fmt::format("{}{}x", prefix, lanes)};
  }
  if (!name.has_any({"infiniband", "ib"})) return std::nullopt;
  const Classes found = infiniband_of_rate(name);
  return found.empty() ? classes_like("infiniband-") : found;
}

/// The one class of a fabric that has the rate in the name; else all of the fabric.
Classes of_rate(const Spelling& name, std::string_view fabric) {
  const std::vector<double> rates = name.numbers();
  Classes found;
  if (rates.size() == 1) found = known({fmt::format("{}{}g", fabric, rates.front())});
  return found.empty() ? classes_like(fabric) : found;
}

std::optional<Classes> ethernet(Spelling name) {
  if (!name.has_any({"ethernet", "eth", "roce", "rocev", "gbe", "ge", "gige", "iwarp"})) {
    return std::nullopt;
  }
  name.drop("rocev");
  name.drop("v");
  return of_rate(name, "ethernet-");
}

std::optional<Classes> other_fabrics(Spelling name) {
  if (name.has_any({"slingshot", "cassini"})) {
    name.drop("slingshot", 11);
    const Classes both{"slingshot-11", "slingshot-10"};
    const std::vector<double> rates = name.numbers();
    if (rates.empty() || rates == std::vector{200.0}) return Classes{"slingshot-11"};
    return rates.front() == 100 || rates.front() == 10 ? Classes{"slingshot-10"} : both;
  }
  if (name.has("opa") || name.has("omnipath") || (name.has("omni") && name.has("path"))) {
    return of_rate(name, "omni-path-");
  }
  if (name.has("tcpxo")) return Classes{"tcpxo-200g"};
  if (name.has("tcpx")) return Classes{"tcpx-200g"};
  if (name.has("efa") || name.has("efav")) {
    name.drop("efav");
    name.drop("v");
    return of_rate(name, "efa-");
  }
  return std::nullopt;
}

/// `200Gb`: a rate, but of which network?
std::optional<Classes> of_any_network(const Spelling& name, std::string_view text) {
  const bool in_bits = name.has_any({"g", "gb", "gbps", "gbit"}) && text.find('B') == text.npos;
  const std::vector<double> rates = name.numbers();
  if (!in_bits || rates.size() != 1 || !name.has_only({"g", "gb", "gbps", "gbit", "s"})) {
    return std::nullopt;
  }
  Classes found = infiniband_of_rate(name);
  for (const std::string_view fabric : {"ethernet-", "omni-path-", "efa-"}) {
    for (const std::string_view end : {"g", ""}) {
      found.push_back(fmt::format("{}{}{}", fabric, rates.front(), end));
    }
  }
  if (rates.front() == 200) found.emplace_back("slingshot-11");
  if (rates.front() == 100) found.emplace_back("slingshot-10");
  found = known(std::move(found));
  return found.empty() ? std::nullopt : std::optional{found};
}

std::optional<Classes> of_amd(const Spelling& name) {
  const bool fabric = name.has("xgmi") || (name.has("infinity") && name.has("fabric"));
  if (!fabric) return std::nullopt;
  if (const auto model = name.after("mi")) {
    // One board, whose cooling differs: MI350X and MI355X, MI250 and MI250X.
    const double board = *model == 350 ? 355 : *model;
    Classes found = known({fmt::format("xgmi-mi{}{}", board, name.has("a") ? "a" : "x")});
    if (found.empty()) found = known({fmt::format("xgmi-mi{}", board)});
    return found.empty() ? classes_like("xgmi-mi") : found;
  }
  const Classes found = name.numbers().size() == 1
                            ? known({fmt::format("xgmi-{}", name.numbers().front())})
                            : Classes{};
  return found.empty() ? classes_like("xgmi-") : found;
}

std::optional<Classes> of_intel(const Spelling& name) {
  for (const std::string_view family : {"qpi", "upi"}) {
    if (!name.has(family)) continue;
    const std::string prefix = fmt::format("{}-", family);
    const auto rate = name.after(family);
    Classes found = rate ? known({fmt::format("{}{}", prefix, *rate)}) : Classes{};
    if (rate && found.empty()) found = known({fmt::format("{}{:.1f}", prefix, *rate)});
    return found.empty() ? classes_like(prefix) : found;
  }
  return std::nullopt;
}

/// The processors by their names, as NCCL tells them apart (ncclTopoGetInterCpuBw() and
/// ncclTopoGetSystem() in its src/graph).
struct NamedProcessor {
  std::string_view word;
  std::string_view link_class;
};
constexpr std::array<NamedProcessor, 19> processors{{{"haswell", "host-intel-broadwell"},
                                                     {"broadwell", "host-intel-broadwell"},
                                                     {"skylake", "host-intel-skylake"},
                                                     {"cascade", "host-intel-skylake"},
                                                     {"cascadelake", "host-intel-skylake"},
                                                     {"ice", "host-intel-skylake"},
                                                     {"icelake", "host-intel-skylake"},
                                                     {"sapphire", "host-intel-sapphire-rapids"},
                                                     {"emerald", "host-intel-emerald-rapids"},
                                                     {"naples", "host-amd-zen2"},
                                                     {"rome", "host-amd-zen2"},
                                                     {"milan", "host-amd-zen4"},
                                                     {"genoa", "host-amd-zen4"},
                                                     {"bergamo", "host-amd-zen4"},
                                                     {"turin", "host-amd-zen5"},
                                                     {"grace", "host-arm"},
                                                     {"graviton", "host-arm"},
                                                     {"altra", "host-arm"},
                                                     {"power", "host-power9"}}};

/// `EPYC 7742`: the last digit is the generation.
std::string_view epyc(double model) {
  constexpr std::array<std::string_view, 5> generations{
      "host-amd-zen2", "host-amd-zen2", "host-amd-zen4", "host-amd-zen4", "host-amd-zen5"};
  const int last = static_cast<int>(std::fmod(model, 10));
  return last >= 1 && last <= 5 ? generations[static_cast<std::size_t>(last - 1)] : "";
}

/// Zen and Zen 3 count as their successors.
std::string zen(double generation) {
  return fmt::format("host-amd-zen{}", generation <= 2   ? 2
                                       : generation <= 4 ? 4
                                                         : static_cast<int>(generation));
}

/// `Xeon Platinum 8480+`: the second digit is the generation.
std::string_view xeon(double model) {
  constexpr std::array<std::string_view, 5> generations{
      "host-intel-skylake", "host-intel-skylake", "host-intel-skylake",
      "host-intel-sapphire-rapids", "host-intel-emerald-rapids"};
  const int second = static_cast<int>(model / 100) % 10;
  const bool scalable = model >= 3000 && second >= 1 && second <= 5;
  return scalable ? generations[static_cast<std::size_t>(second - 1)] : "";
}

std::optional<Classes> processor(const Spelling& name) {
  const auto found = std::ranges::find_if(
      processors, [&](const NamedProcessor& each) { return name.has(each.word); });
  if (found != processors.end()) return Classes{std::string{found->link_class}};
  if (const auto generation = name.after("zen")) return known({zen(*generation)});
  for (const auto& [word, model_of] : {std::pair{"epyc", &epyc}, std::pair{"xeon", &xeon}}) {
    if (!name.has(word)) continue;
    const std::vector<double> numbers = name.numbers();
    const std::string_view model = numbers.empty() ? "" : model_of(numbers.front());
    if (!model.empty()) return Classes{std::string{model}};
    return classes_like(word == std::string_view{"epyc"} ? "host-amd-" : "host-intel-");
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
  for (const auto& family : {infiniband(name), ethernet(name), other_fabrics(name)})
    if (family) return {*family};
  if (card) return *card;
  if (const auto network = of_any_network(name, text)) return {*network, "a rate"};
  for (const auto& family : {of_amd(name), of_intel(name), nvlink(name), pcie(name)})
    if (family) return {*family};
  if (auto gpu = detail::gpu_named(name)) return *gpu;
  return {processor(name).value_or(Classes{})};
}

std::string_view cpu_vendor(std::string_view text) {
  static constexpr std::array<std::string_view, 4> vendors{"intel", "amd", "arm", "power"};
  const Spelling name{text};
  const Classes classes = processor(name).value_or(Classes{""});
  if (classes.empty()) return "";  // no processor that is known: Zen 9
  const std::string& of_class = classes.front();
  const auto found = std::ranges::find_if(vendors, [&](std::string_view vendor) {
    return name.has(vendor) || of_class.starts_with(fmt::format("host-{}", vendor));
  });
  return found == vendors.end() ? "" : *found;
}

}  // namespace ringcast
