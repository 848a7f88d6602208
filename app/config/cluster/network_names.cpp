#include "app/config/cluster/network_names.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/config/cluster/class_lists.hpp"
#include "engine/numbers/ascii.hpp"
#include "topology/links/network_classes.hpp"

namespace ringcast::detail {

namespace {

/// Whether a number in the name means lanes, not NICs: it is written as in the names of classes,
/// `ndr-2x`, or by the driver, `200 Gb/sec (2X NDR)`, or is the usual number, `EDR 4x`.
bool says_lanes(const Spelling& name, int lanes, std::string_view text) {
  const bool first = !text.empty() && is_digit(text.front());
  return text.starts_with("infiniband-") ||
         text.find(fmt::format("-{}x", lanes)) != std::string_view::npos ||
         text.find(fmt::format("({}X ", lanes)) != std::string_view::npos ||
         (!first && lanes == 4 && name.before("x") == 4.0);
}

/// The number of lanes by the numbers in a name, `4x` or a rate; 0: they contradict each other.
int lanes_of(const Spelling& name, const InfinibandGeneration& generation) {
  std::optional<int> lanes;
  for (const double number : name.numbers()) {
    const bool given = name.before("x") == number || name.after("x") == number;
    const double count = given ? number : number / generation.lane;
    if (count != 1 && count != 2 && count != 4) return 0;
    if (!given && count < 4 && !generation.fewer_lanes) return 0;  // DDR5 is memory
    if (lanes && *lanes != static_cast<int>(count)) return 0;
    lanes = static_cast<int>(count);
  }
  return lanes.value_or(4);
}

/// The generations on sale and their predecessors, the latest first.
Classes any_infiniband() {
  Classes found;
  for (const InfinibandGeneration& each : infiniband_generations().first(5))
    found.push_back(fmt::format("infiniband-{}-4x", each.name));
  return found;
}

/// The classes of a rate without a generation: `InfiniBand 200G`.
Classes infiniband_of_rate(const Spelling& name, int lanes) {
  const std::vector<double> rates = name.numbers();
  Classes found;
  for (const InfinibandGeneration& each : infiniband_generations()) {
    if (rates.size() == 1 && rates.front() == each.lane * lanes) {
      found.push_back(fmt::format("infiniband-{}-{}x", each.name, lanes));
    }
  }
  return found;
}

Classes of_generation(const Spelling& name, const InfinibandGeneration& generation) {
  // FDR14 is another name of FDR.
  if (name.after("fdr") == 14.0 && name.numbers().size() == 1) return {"infiniband-fdr-4x"};
  const bool ten = generation.name == "fdr" && name.after("fdr") == 10.0;
  const int lanes =
      ten ? static_cast<int>(name.before("x").value_or(4)) : lanes_of(name, generation);
  const std::string prefix = fmt::format("infiniband-{}-", ten ? "fdr10" : generation.name);
  return lanes == 0 ? classes_like(prefix) : known_classes({fmt::format("{}{}x", prefix, lanes)});
}

Classes infiniband(const Spelling& name) {
  Classes found;
  for (const InfinibandGeneration& each : infiniband_generations()) {
    if (!name.has(each.name)) continue;
    const Classes more = of_generation(name, each);
    found.insert(found.end(), more.begin(), more.end());
  }
  if (!found.empty() || !name.has_any({"infiniband", "ib"})) return found;
  found = infiniband_of_rate(name, 4);  // two lanes are named by their generation: HDR100
  return found.empty() ? any_infiniband() : found;
}

/// Whether the name has a unit other than Gb/s, that of the classes' names.
bool has_other_unit(const Spelling& name) {
  return name.has_any({"m", "mb", "mbps", "mbit", "megabit", "k", "kb", "kbps", "t", "tb", "tbps",
                       "tbit", "terabit", "base"});
}

/// The class of a fabric with the rate in the name; all classes of the fabric if there is none.
Classes of_rate(const Spelling& name, std::string_view fabric) {
  const std::vector<double> rates = name.numbers();
  if (rates.size() != 1 || has_other_unit(name)) return classes_like(fabric);
  const Classes found = known_classes(
      {fmt::format("{}{}g", fabric, rates.front()), fmt::format("{}{}", fabric, rates.front())});
  return found.empty() ? classes_like(fabric) : found;
}

Classes ethernet(Spelling name) {
  if (!name.has_any({"ethernet", "eth", "roce", "rocev", "gbe", "ge", "gige", "iwarp", "erdma"})) {
    return {};
  }
  for (const std::string_view version : {"rocev", "v"})
    name.drop(version);
  const std::vector<double> rates = name.numbers();
  if (rates.empty() && name.has_any({"gige", "gbe", "gigabit"})) return {"ethernet-1g"};
  const bool in_gigabits =
      name.has_any({"g", "gb", "gbps", "gbit", "gbe", "ge", "gige", "gigabit"});
  const Classes all = classes_like("ethernet-");
  Classes found = of_rate(name, "ethernet-");
  const bool listed = found.size() > 1 || std::ranges::find(all, found.front()) != all.end();
  return listed || in_gigabits ? found : all;
}

Classes slingshot(Spelling name) {
  if (!name.has_any({"slingshot", "cassini"})) return {};
  const bool eleven = name.after("slingshot") == 11.0;
  const bool ten = name.after("slingshot") == 10.0;
  if (eleven || ten) name.drop("slingshot");
  const std::vector<double> rates = name.numbers();
  const auto is = [&](double rate) { return rates == std::vector{rate}; };
  if (is(200) || (rates.empty() && !ten)) {
    if (!ten) return {"slingshot-11"};
  } else if (is(100) || rates.empty()) {
    if (!eleven) return {"slingshot-10"};
  }
  return {"slingshot-11", "slingshot-10"};
}

Classes of_clouds(Spelling name) {
  for (const std::string_view fabric : {"tcpxo", "tcpx"})
    if (name.has(fabric)) return of_rate(name, fmt::format("{}-", fabric));
  if (!name.has_any({"efa", "efav"})) return {};
  name.drop("efav");
  name.drop("v");
  return of_rate(name, "efa-");
}

/// CN5000 of Cornelis has 400 Gb/s.
Classes omni_path(Spelling name) {
  const bool newest = name.after("cn") == 5000.0;
  if (newest) name.drop("cn");
  const bool meant = newest || name.has_any({"opa", "omnipath", "cornelis"}) ||
                     (name.has("omni") && name.has("path"));
  if (!meant) return {};
  if (!name.numbers().empty() || name.has("cornelis")) return of_rate(name, "omni-path-");
  return {newest ? "omni-path-400" : "omni-path-100"};
}

/// The network of NICs and switches that exist for one network only.
Classes of_product(Spelling name) {
  if (name.has_any({"pcie", "pci", "pex"})) return {};  // a PCIe switch of Broadcom
  if (name.has("quantum")) {
    name.rename("quantum", "infiniband");
    return infiniband(name);
  }
  for (const std::string_view word : {"spectrum", "broadcom", "pollara", "gvnic", "ena"})
    name.rename(word, "ethernet");
  return ethernet(name);
}

/// `25 GB/s`, but not `100GBE`.
bool is_in_bytes(std::string_view text) {
  for (const std::string_view unit : {"GB", "MB", "TB"}) {
    const std::size_t at = text.find(unit);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = text.substr(at + unit.size());
    if (rest.empty() || std::string_view{"EeIi"}.find(rest.front()) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// Whether the name has a rate that its family does not have. Other families may have more rates
/// than there are classes.
bool has_another_rate(Spelling name, const Classes& classes) {
  name.drop("cn", 5000);
  const auto has_rate = [&](const std::string& each) {
    return name.numbers() == Spelling{each}.numbers();
  };
  for (const std::string_view family : {"omni-path-", "tcpx-", "tcpxo-"}) {
    if (!classes.front().starts_with(family)) continue;
    return !name.numbers().empty() && std::ranges::none_of(classes, has_rate);
  }
  return false;
}

/// Why the name is not that of a link, in the form of LinkNames::what.
std::string refusal(const Spelling& name, const Classes& classes, int families,
                    std::string_view text) {
  if (families > 1) return "of several networks";
  if (is_in_bytes(text)) return "a rate in bytes";
  return has_another_rate(name, classes) || has_other_unit(name) ? "of another rate" : "";
}

}  // namespace

std::optional<int> take_count(Spelling& name) {
  for (const std::string_view word : {"cards", "nics", "hcas", "ports", "rails", "links"}) {
    if (!name.has(word)) continue;
    const auto count = name.before(word);
    if (count) name.drop_number(*count);
    name.drop_word(word);
    return static_cast<int>(count.value_or(2));
  }
  for (const auto& [word, count] : {std::pair{"dual", 2},
                                    {"double", 2},
                                    {"two", 2},
                                    {"twin", 2},
                                    {"bonded", 2},
                                    {"bond", 2},
                                    {"lacp", 2},
                                    {"three", 3},
                                    {"quad", 4},
                                    {"four", 4},
                                    {"eight", 8}}) {
    if (!name.has(word)) continue;
    name.drop_word(word);
    return count;
  }
  constexpr double most_nics = 64;
  for (const auto& given : {name.before("x"), name.after("x")}) {
    if (!given || *given > most_nics || *given != std::floor(*given)) continue;
    name.drop_number(*given);
    name.drop_word("x");
    return static_cast<int>(*given);
  }
  return std::nullopt;
}

std::optional<LinkNames> network_named(const Spelling& name, std::string_view text) {
  Spelling single = name;
  const auto count = take_count(single);
  const Classes by_lanes = infiniband(name);
  const bool lanes = count && !by_lanes.empty() && says_lanes(name, *count, text);
  Classes classes;
  int families = 0;
  for (const Classes& each : {lanes ? by_lanes : infiniband(single), ethernet(single),
                              slingshot(single), of_clouds(single), omni_path(single)}) {
    families += each.empty() ? 0 : 1;
    classes.insert(classes.end(), each.begin(), each.end());
  }
  if (classes.empty()) classes = of_product(single);
  if (classes.empty()) return std::nullopt;
  const std::string what = refusal(single, classes, families, text);
  const bool is_single = count == 1 && is_digit(text.front());  // 1x NDR400
  if (!count || is_single || lanes || !what.empty()) return LinkNames{classes, what};
  std::string nics = counted(*count, "NIC");
  if (by_lanes.size() == 1) {
    if (by_lanes != classes) classes.push_back(by_lanes.front());
    nics += fmt::format(" or {}", counted(*count, "lane"));
  }
  return LinkNames{classes, nics, *count};
}

std::optional<LinkNames> rate_named(Spelling name, std::string_view text) {
  const auto count = take_count(name);
  const bool in_bits = name.has_any({"g", "gb", "gbps", "gbit"}) && !is_in_bytes(text);
  const std::vector<double> rates = name.numbers();
  if (!in_bits || rates.size() != 1 || !name.has_only({"g", "gb", "gbps", "gbit", "s"})) {
    return std::nullopt;
  }
  Classes found = infiniband_of_rate(name, 4);
  std::ranges::move(infiniband_of_rate(name, 2), std::back_inserter(found));
  for (const std::string_view fabric : {"ethernet-", "omni-path-", "efa-"}) {
    for (const std::string_view end : {"g", ""})
      found.push_back(fmt::format("{}{}{}", fabric, rates.front(), end));
  }
  if (rates.front() == 200) found.emplace_back("slingshot-11");
  if (rates.front() == 100) found.emplace_back("slingshot-10");
  found = known_classes(std::move(found));
  if (found.empty()) return std::nullopt;
  return LinkNames{found, count ? fmt::format("a rate of {}", counted(*count, "NIC")) : "a rate",
                   count.value_or(1)};
}

}  // namespace ringcast::detail
