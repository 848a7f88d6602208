// The hosts of a network's adapters, by their node descriptions.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "topology/import/ib_network.hpp"

namespace ringcast {
namespace {

std::string adapter_of(const IbNetwork::Node& node) {
  return node.adapter.empty() ? node.id : node.adapter;
}

void remark_on_default_name(IbNetwork& network) {
  constexpr std::string_view default_name = "localhost";
  std::set<std::string> adapters;
  for (const IbNetwork::Node& node : network.nodes) {
    if (!node.is_switch && host_and_device(node).first == default_name) {
      adapters.insert(adapter_of(node));
    }
  }
  if (adapters.size() > 1) {
    network.remarks.push_back(
        fmt::format("{} adapters are named {}: they are taken for those of one host (expected node "
                    "descriptions with the names of hosts)",
                    adapters.size(), default_name));
  }
}

}  // namespace

bool is_same_host(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() &&
         (a == b || a == b.substr(0, b.find('.')) || b == a.substr(0, a.find('.')));
}

std::string port_name(const std::string& host, const std::string& device) {
  return device.empty() ? host : host + " " + device;
}

std::pair<std::string, std::string> host_and_device(const IbNetwork::Node& node) {
  const std::string& text = node.description;
  const std::size_t space = text.rfind(' ');
  const std::string last = space == std::string::npos ? "" : text.substr(space + 1);
  for (const std::string_view prefix : {"mlx", "HCA-", "hfi", "qib", "ib"}) {
    if (last.starts_with(prefix)) {
      return {text.substr(0, space), last};
    }
  }
  return {text.empty() || text.find(' ') != std::string::npos ? node.id : text, ""};
}

void distinguish_hosts(IbNetwork& network) {
  std::map<std::string, std::map<std::string, int>> named;  // by host, the adapters of each device
  for (const IbNetwork::Node& node : network.nodes) {
    const auto [host, device] = host_and_device(node);
    if (!node.is_switch && !device.empty()) ++named[host][device];
  }
  std::map<std::string, std::string> first_of;  // nodes by the GUID of their adapter
  std::string example;
  int renamed = 0;
  for (IbNetwork::Node& node : network.nodes) {
    const auto [host, device] = host_and_device(node);
    const auto found = named.find(host);
    if (node.is_switch || found == named.end() ||
        std::ranges::none_of(found->second, [](const auto& each) { return each.second > 1; })) {
      continue;
    }
    example = renamed++ == 0 ? node.description : example;
    node.description =
        port_name(first_of.try_emplace(adapter_of(node), node.id).first->second, device);
  }
  if (renamed > 0) {
    network.remarks.push_back(fmt::format(
        "{} adapters share the names of others, such as \"{}\": each NIC is taken for a "
        "host of its own (expected node descriptions with the names of hosts)",
        renamed, example));
  }
  remark_on_default_name(network);
}

}  // namespace ringcast
