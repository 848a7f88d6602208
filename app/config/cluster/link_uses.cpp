#include "app/config/cluster/link_uses.hpp"

#include <string_view>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

namespace {

/// Whether links of this class join sockets only.
bool joins_sockets(const LinkClass& link_class) {
  const std::string_view name = link_class.name;
  const bool is_xgmi = name.starts_with("xgmi-") && !name.starts_with("xgmi-mi");
  return is_xgmi || name.starts_with("upi-") || name.starts_with("qpi-") ||
         name.starts_with("host-");
}

bool suits(LinkUse use, const LinkClass& link_class) {
  const bool is_pcie = pcie_generation(link_class.name).has_value();
  switch (use) {
    case LinkUse::fabric:
      return link_class.is_network;
    case LinkUse::gpus:
      return !link_class.is_network && !is_pcie && !joins_sockets(link_class);
    case LinkUse::sockets:
      return !link_class.is_network && !is_pcie && !nvlink_generation(link_class.name);
    case LinkUse::parts_of_node:
      return !link_class.is_network && !joins_sockets(link_class);
  }
  throw ContractViolation{"an unknown LinkUse"};
}

struct UseWords {
  std::string_view where;
  std::string_view expected;
};

UseWords words_for(LinkUse use) {
  switch (use) {
    case LinkUse::fabric:
      return {"in a fabric", "a network, e.g. infiniband-ndr-4x or ethernet-100g"};
    case LinkUse::gpus:
      return {"between GPUs", "a link of GPUs, e.g. nvlink-4.0 or xgmi-mi300x"};
    case LinkUse::sockets:
      return {"between sockets", "a link of sockets, e.g. upi-16 or xgmi-3"};
    default:
      return {"inside a node", "a link of a node, e.g. pcie-5.0-x16"};
  }
}

}  // namespace

CableSpec read_cable_for(LinkUse use, const InputNode& link, const NamedCables& named) {
  CableSpec cable = read_cable(link, named);
  const LinkClass* const link_class = find_link_class(cable.base_class);
  if (link_class == nullptr || cable.bandwidth != link_class->achievable) return cable;
  if (suits(use, *link_class)) return cable;
  const UseWords words = words_for(use);
  link.fail(fmt::format("link class {} {}", link_class->name, words.where),
            fmt::format("{}; for any other link {{bandwidth: .., latency: .., source: ..}}",
                        words.expected));
}

}  // namespace ringcast
