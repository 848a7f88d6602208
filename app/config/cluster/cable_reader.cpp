#include "app/config/cluster/cable_reader.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "app/config/cluster/likely_classes.hpp"
#include "app/config/cluster/link_names.hpp"
#include "app/config/yaml/known_keys.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "engine/numbers/ascii.hpp"
#include "engine/numbers/error.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

namespace {

// All cables on sale are within these ranges; values with a wrong unit (GB/s for MB/s) are not.
constexpr BytesPerSecond least_bandwidth{1e3};
constexpr BytesPerSecond most_bandwidth{100e12};
constexpr Seconds most_latency{1.0};

}  // namespace

BytesPerSecond read_bandwidth(const InputNode& node) {
  return node.within(node.rate(), least_bandwidth, most_bandwidth, "1 kB/s to 100 TB/s");
}

BytesPerSecond read_limit(const InputNode& node, std::string_view key) {
  const auto rate = node.find(key);
  return rate ? read_bandwidth(*rate) : BytesPerSecond{0};
}

CableSpec cable_of(const LinkClass& link_class) {
  CableSpec cable{std::string{link_class.name}, link_class.achievable, link_class.latency,
                  link_class.source};
  cable.peer_bandwidth = link_class.peer_achievable;
  cable.kernel_bandwidth = link_class.kernel_achievable;
  cable.base_class = link_class.name;
  return cable;
}

namespace {

Seconds read_latency(const InputNode& node) {
  return node.within(node.time(), Seconds{0}, most_latency, "0 to 1 s");
}

/// The class of this name, also in another spelling; null if there is none.
const LinkClass* class_spelled(const std::string& name) {
  if (const LinkClass* found = find_link_class(name)) return found;
  const LinkNames names = link_names(name);
  return names.is_clear() ? find_link_class(names.classes.front()) : nullptr;
}

/// `, did you mean ...?` if a name is near. Classes whose digits differ have other rates and are
/// not suggested, neither is one with 20 for 2.0.
std::string nearest_link(const std::string& name, std::span<const std::string_view> own_names) {
  const auto digits_of = [](std::string_view text) {
    std::string digits;
    std::ranges::copy_if(text, std::back_inserter(digits),
                         [](char c) { return c == '.' || is_digit(c); });
    std::ranges::sort(digits);
    return digits;
  };
  std::string own = suggestion(name, own_names);
  if (!own.empty()) return own;
  const std::string spelled = as_class_name(name);
  const auto nearest = nearest_name(spelled, names_of(link_classes(), &LinkClass::name));
  const bool alike = nearest && digits_of(*nearest) == digits_of(spelled);
  return alike ? fmt::format(", did you mean \"{}\"?", *nearest) : "";
}

/// `kind`: what is unknown, e.g. `link class`; `before`: what is expected besides classes.
[[noreturn]] void refuse(const InputNode& node, std::string_view kind, std::string_view before,
                         std::span<const std::string_view> own_names) {
  const std::string name = node.text();
  const LinkNames names = link_names(name);
  const std::string hint =
      names.what.empty() ? nearest_link(name, own_names) : fmt::format(", which is {}", names.what);
  const std::string nics =
      names.count > 1 ? fmt::format("; {} NICs in a node: {{kind: nic, count: {}, link: ..}}",
                                    names.count, names.count)
                      : "";
  const std::string remark = names.remark.empty() ? "" : fmt::format("; {}", names.remark);
  node.fail(fmt::format("unknown {} {}{}", kind, in_quotes(name), hint),
            fmt::format("{}{}{}{}; for any other link {{bandwidth: .., latency: .., source: ..}}",
                        before, likely_classes(name, names), nics, remark));
}

CableSpec renamed(std::string name, CableSpec cable) {
  cable.name = std::move(name);
  return cable;
}

std::string text_of_class(const InputNode& node) {
  return node.text("a link class, e.g. pcie-3.0-x16");
}

CableSpec cable_of_class(const InputNode& node) {
  const std::string name = text_of_class(node);
  if (const LinkClass* found = class_spelled(name)) return cable_of(*found);
  refuse(node, "link class", "", {});
}

CableSpec cable_named(const InputNode& node, const NamedCables& named) {
  const std::string name =
      node.text("a link class, e.g. pcie-3.0-x16, a name under links, or a map");
  if (const auto found = named.find(name); found != named.end()) return found->second;
  if (const LinkClass* found = class_spelled(name)) return renamed(found->name, cable_of(*found));
  std::vector<std::string_view> own_names;
  for (const auto& [own_name, cable] : named)
    own_names.push_back(own_name);
  refuse(node, "link", named.empty() ? "" : "a name under links, ", own_names);
}

/// The optional limits of a cable besides its bandwidth per direction.
void read_limits(const InputNode& node, CableSpec& cable) {
  for (const auto& [key, limit] : {std::pair{"peer_bandwidth", &CableSpec::peer_bandwidth},
                                   std::pair{"kernel_bandwidth", &CableSpec::kernel_bandwidth}}) {
    const auto given = node.find(key);
    if (!given) continue;
    cable.*limit = read_bandwidth(*given);
    if (cable.*limit > cable.bandwidth) {
      given->fail(fmt::format("{} is more than the cable carries", printable(given->text())),
                  fmt::format("at most {}", to_text(cable.bandwidth)));
    }
  }
  if (const auto both = node.find("both_ways")) {
    cable.both_ways =
        both->within(read_bandwidth(*both), cable.bandwidth, 2 * cable.bandwidth,
                     fmt::format("between {} one way and twice that", to_text(cable.bandwidth)));
  }
}

CableSpec cable_of_values(const InputNode& node) {
  return {"custom", read_bandwidth(node.require("bandwidth", "a rate, or a class")),
          read_latency(node.require("latency", "a time, or a class")),
          node.require("source", "where the two values come from").text()};
}

/// The source that the file names; else that of the class, with the values that the file replaces.
std::string source_beside_class(const InputNode& node, const std::string& of_class) {
  if (const auto source = node.find("source")) return source->text();
  std::vector<std::string_view> replaced;
  for (const std::string_view key : keys_of("link"))
    if (key != "class" && node.find(key)) replaced.push_back(key);
  if (replaced.empty()) return of_class;
  return fmt::format("{} replaced by {}; {}", listed(replaced, "and"), node.document_name(),
                     of_class);
}

CableSpec cable_of_class_and_values(const InputNode& node, const InputNode& link_class) {
  CableSpec cable = cable_of_class(link_class);
  if (const auto bandwidth = node.find("bandwidth")) {
    cable.bandwidth = read_bandwidth(*bandwidth);
    // The limits of the class are for its own bandwidth.
    cable.peer_bandwidth = {};
    cable.kernel_bandwidth = kernel_limit(*find_link_class(cable.base_class), cable.bandwidth);
  }
  if (const auto latency = node.find("latency")) cable.latency = read_latency(*latency);
  cable.source = source_beside_class(node, cable.source);
  return cable;
}

CableSpec cable_of_map(const InputNode& node) {
  node.allow_keys_of("link");
  const auto link_class = node.find("class");
  CableSpec cable =
      link_class ? cable_of_class_and_values(node, *link_class) : cable_of_values(node);
  read_limits(node, cable);
  return cable;
}

/// Refuses a name under links in the place of a class, also if it is one in another spelling.
[[noreturn]] void refuse_own_name(const InputNode& link_class) {
  link_class.fail(fmt::format("{} is a name under links", in_quotes(text_of_class(link_class))),
                  "a link class, e.g. pcie-3.0-x16");
}

/// The entry `own_name` under links may be one of a class that is spelled so.
void expect_class(const InputNode& node, const std::string& own_name, const InputNode& links) {
  const std::optional<InputNode> base = node.is_map() ? node.find("class") : std::optional{node};
  if (!base) return;
  const std::string name = text_of_class(*base);
  const bool is_class =
      find_link_class(name) != nullptr || (name == own_name && class_spelled(name) != nullptr);
  if (!is_class && links.find(name)) refuse_own_name(*base);
}

CableSpec cable_of_any_use(const InputNode& link, const NamedCables& named) {
  if (!link.is_map()) return cable_named(link, named);
  const auto link_class = link.find("class");
  if (link_class && named.contains(text_of_class(*link_class))) refuse_own_name(*link_class);
  return renamed(link.path(), cable_of_map(link));
}

/// Whether links of this class join sockets only.
bool joins_sockets(const LinkClass& link_class) {
  const std::string_view name = link_class.name;
  return !name.starts_with("xgmi-mi") && !vendor_of_socket_link(name).empty();
}

/// Whether a class suits a use, and the words for the use in a message.
struct Suitability {
  bool suits;
  std::string_view where;
  std::string_view expected;
};

Suitability suitability(const LinkClass& link_class, LinkUse use) {
  const bool is_network = link_class.is_network;
  const bool is_pcie = pcie_generation(link_class.name).has_value();
  switch (use) {
    case LinkUse::fabric:
      return {is_network, "in a fabric", "a network, e.g. infiniband-ndr-4x or ethernet-100g"};
    case LinkUse::gpus:
      return {!is_network && !is_pcie && !joins_sockets(link_class), "between GPUs",
              "a link of GPUs, e.g. nvlink-4.0 or xgmi-mi300x"};
    case LinkUse::sockets:
      return {!is_network && !is_pcie && !nvlink_generation(link_class.name), "between sockets",
              "a link of sockets, e.g. upi-16 or xgmi-3"};
    case LinkUse::parts_of_node:
      return {!is_network && !joins_sockets(link_class), "inside a node",
              "a link of a node, e.g. pcie-5.0-x16"};
  }
  throw ContractViolation{"an unknown LinkUse"};
}

}  // namespace

NamedCables read_named_cables(const InputNode& links) {
  NamedCables named;
  for (const auto& [name, node] : links.entries()) {
    expect_class(node, name, links);
    if (std::ranges::find(link_classes(), name, &LinkClass::name) != link_classes().end()) {
      node.fail("is the name of a link class", "a name of its own");
    }
    CableSpec cable = node.is_map() ? cable_of_map(node) : cable_of_class(node);
    cable.link_class = name;
    named.emplace(name, renamed(name, std::move(cable)));
  }
  return named;
}

CableSpec read_cable(LinkUse use, const InputNode& link, const NamedCables& named) {
  CableSpec cable = cable_of_any_use(link, named);
  const LinkClass* const link_class = find_link_class(cable.base_class);
  if (link_class == nullptr || cable.bandwidth != link_class->achievable) return cable;
  const auto [suits, where, expected] = suitability(*link_class, use);
  if (suits) return cable;
  link.fail(
      fmt::format("link class {} {}", link_class->name, where),
      fmt::format("{}; for any other link {{bandwidth: .., latency: .., source: ..}}", expected));
}

}  // namespace ringcast
