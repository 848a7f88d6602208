#include "app/config/cluster_text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/config/device_lines.hpp"
#include "topology/import/hardware_links.hpp"

namespace ringcast {
namespace {

constexpr std::string_view assumed_mark = "# assumed: ";
constexpr std::string_view remark_mark = "# note: ";

bool has_gpus(const DiscoveredType& type) {
  return count_of(VertexKind::gpu, type.hardware) > 0;
}

/// The host names of a type, not all of a thousand.
std::string listed_hosts(const std::vector<std::string>& hosts) {
  constexpr std::size_t most = 4;
  std::string text = fmt::format(
      "{}",
      fmt::join(hosts.begin(),
                hosts.begin() + static_cast<std::ptrdiff_t>(std::min(most, hosts.size())), ", "));
  if (hosts.size() > most) {
    text += fmt::format(" and {} more", hosts.size() - most);
  }
  return text;
}

std::string in_yaml_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
    }
    quoted += c;
  }
  return quoted + "\"";
}

class ClusterWriter {
 public:
  explicit ClusterWriter(const DiscoveredNodes& nodes)
      : nodes_{nodes},
        gpus_{std::ranges::any_of(nodes.types, has_gpus)},
        several_{count_ranked() > 1} {}

  std::string write() {
    for (const DiscoveredType& type : nodes_.types) {
      if (is_ranked(type)) {
        add_type(type);
      }
    }
    const std::vector<std::string> types = std::exchange(lines_, {});
    add_nodes();
    if (several_) {
      add_fabric();
    }
    const std::vector<std::string> rest = std::exchange(lines_, {});
    add_head();
    const std::vector<std::string> links = links_.section();
    lines_.insert(lines_.end(), links.begin(), links.end());
    lines_.emplace_back("node_types:");
    lines_.insert(lines_.end(), types.begin(), types.end());
    lines_.insert(lines_.end(), rest.begin(), rest.end());
    return fmt::format("{}\n", fmt::join(lines_, "\n"));
  }

 private:
  [[nodiscard]] bool is_ranked(const DiscoveredType& type) const {
    return !gpus_ || has_gpus(type);
  }

  [[nodiscard]] std::size_t count_ranked() const {
    std::size_t count = 0;
    for (const DiscoveredType& type : nodes_.types) {
      count += is_ranked(type) ? type.hosts.size() : 0;
    }
    return count;
  }

  void add_head() {
    std::vector<std::string> hosts;
    for (const DiscoveredType& type : nodes_.types) {
      hosts.insert(hosts.end(), type.hosts.begin(), type.hosts.end());
    }
    const std::string names = listed_hosts(hosts);
    lines_.emplace_back("# What hwloc sees. It does not know all: look at the lines below each");
    lines_.emplace_back(
        "# \"assumed\". The ranks are the " +
        std::string{gpus_ ? "GPUs, in the order of their PCI addresses."
                          : "cores: there is no GPU. Change `processes` for others."});
    for (const DiscoveredType& type : nodes_.types) {
      if (!is_ranked(type)) {
        lines_.push_back(fmt::format("{}hosts without GPUs are left out: {}", remark_mark,
                                     listed_hosts(type.hosts)));
      }
    }
    lines_.push_back("name: " + in_yaml_quotes(names));
    lines_.push_back("source: " + in_yaml_quotes(fmt::format(
                                      "{} on {}", nodes_.types.front().hardware.source, names)));
    lines_.emplace_back();
  }

  void add_type(const DiscoveredType& type) {
    const HostHardware& host = type.hardware;
    lines_.push_back(fmt::format("  # {}: {}", type.hosts.size() == 1 ? "host" : "hosts",
                                 listed_hosts(type.hosts)));
    for (const std::string& remark : host.remarks) {
      lines_.push_back(fmt::format("  {}{}", remark_mark, remark));
    }
    lines_.push_back(fmt::format("  {}:", type.name));
    if (host.sockets.size() > 1) {
      lines_.push_back("    socket_link: " +
                       links_.name_of(socket_link(host.sockets.front()), "sockets"));
    }
    lines_.emplace_back(
        "    # Of a socket's memory hwloc knows no rate: without `memory: 40 GB/s` "
        "it limits nothing.");
    lines_.emplace_back("    sockets:");
    add_sockets(with_card(host));
    add_nvlinks(host);
    lines_.emplace_back();
  }

  /// Several nodes need a network.
  [[nodiscard]] HostHardware with_card(HostHardware host) const {
    if (several_ && count_of(VertexKind::nic, host) == 0) {
      HardwareDevice card;
      card.kind = VertexKind::nic;
      card.model = no_card_found;
      HardwareSocket& socket = host.sockets.front();
      if (socket.roots.empty()) {
        socket.roots.emplace_back();
      }
      socket.roots.front().devices.push_back(std::move(card));
    }
    return host;
  }

  void add_sockets(const HostHardware& host) {
    for_each_run(host.sockets, [&](const HardwareSocket& socket, std::size_t count) {
      lines_.push_back(fmt::format("      # {}{} cores, {:.1f} GiB in {}",
                                   socket.cpu.empty() ? "" : socket.cpu + ", ", socket.cores,
                                   static_cast<double>(socket.memory.count()) / (1U << 30U),
                                   counted(socket.numa_nodes, "NUMA node")));
      std::string_view begin = "      - ";
      for (const std::string& key : socket_keys(socket, count)) {
        lines_.push_back(fmt::format("{}{}", std::exchange(begin, "        "), key));
      }
      add_roots(socket);
    });
  }

  [[nodiscard]] std::vector<std::string> socket_keys(const HardwareSocket& socket,
                                                     std::size_t count) {
    std::vector<std::string> keys;
    if (count > 1 || (gpus_ && socket.roots.empty())) {
      keys.push_back(fmt::format("count: {}", count));
    }
    if (!gpus_) {
      keys.push_back(fmt::format("processes: {}", socket.cores));
      keys.push_back("process_link: " + links_.name_of(process_link(), "process"));
    }
    if (!socket.roots.empty()) {
      keys.emplace_back("root_complexes:");
    }
    return keys;
  }

  void add_roots(const HardwareSocket& socket) {
    for_each_run(socket.roots, [&](const HardwareRoot& root, std::size_t count) {
      if (count > 1) {
        lines_.push_back(fmt::format("          - count: {}", count));
      }
      lines_.emplace_back(count > 1 ? "            devices:" : "          - devices:");
      add_device_lines(root.devices, 14, links_, lines_);
    });
  }

  void add_nvlinks(const HostHardware& host) {
    std::string model;
    for_each_device_of(host, [&](const HardwareDevice& device) {
      if (device.kind == VertexKind::gpu) {
        model = device.model;
      }
    });
    if (!host.nvlinks.empty()) {
      lines_.emplace_back("    nvlinks:");
    }
    for (const HardwareNvlink& pair : host.nvlinks) {
      const NvlinkChoice choice = nvlink(pair.rate, model);
      lines_.push_back(fmt::format("      - {{between: [{}, {}], links: {}, link: {}}}", pair.gpu_a,
                                   pair.gpu_b, choice.links,
                                   links_.name_of(choice.link, "nvlink")));
    }
    if (host.nvswitch > BytesPerSecond{0}) {
      const NvlinkChoice choice = nvlink(host.nvswitch, model);
      lines_.push_back(fmt::format("    nvswitch: {{links_per_gpu: {}, link: {}}}", choice.links,
                                   links_.name_of(choice.link, "nvlink")));
    }
  }

  /// In the order of the hosts, which is that of the ranks.
  void add_nodes() {
    lines_.emplace_back("nodes:");
    std::vector<std::size_t> ranked;
    std::ranges::copy_if(nodes_.type_of, std::back_inserter(ranked),
                         [&](std::size_t type) { return is_ranked(nodes_.types[type]); });
    for (auto first = ranked.begin(); first != ranked.end();) {
      const auto last =
          std::find_if(first, ranked.end(), [first](std::size_t type) { return type != *first; });
      lines_.push_back(fmt::format("  - {{type: {}{}}}", nodes_.types[*first].name,
                                   count_key(static_cast<std::size_t>(last - first))));
      first = last;
    }
  }

  void add_fabric() {
    HardwareDevice card;
    for (const DiscoveredType& type : nodes_.types) {
      for_each_device_of(type.hardware, [&](const HardwareDevice& device) {
        if (is_ranked(type) && device.kind == VertexKind::nic &&
            (card.kind != VertexKind::nic || device.port_rate < card.port_rate)) {
          card = device;
        }
      });
    }
    lines_.emplace_back();
    lines_.emplace_back("fabric:");
    lines_.push_back(
        fmt::format("  {}hwloc sees no network switches; all cards are taken to be at "
                    "one that blocks nothing",
                    assumed_mark));
    lines_.emplace_back("  kind: switch");
    lines_.push_back("  link: " + links_.name_of(network_link(card), "network"));
  }

  const DiscoveredNodes& nodes_;
  bool gpus_;
  bool several_;
  LinkNames links_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string cluster_text(const DiscoveredNodes& nodes) {
  return ClusterWriter{nodes}.write();
}

std::vector<std::string> doubts_of(std::string_view cluster_text, const std::string& file) {
  std::vector<std::string> doubts;
  int number = 0;
  while (!cluster_text.empty()) {
    ++number;
    const std::size_t end = std::min(cluster_text.find('\n'), cluster_text.size() - 1);
    const std::string_view line = cluster_text.substr(0, end);
    cluster_text.remove_prefix(end + 1);
    const std::size_t comment = line.find_first_not_of(' ');
    if (comment == std::string_view::npos) {
      continue;
    }
    const std::string_view text = line.substr(comment);
    if (text.starts_with(assumed_mark) || text.starts_with(remark_mark)) {
      const int about = text.starts_with(assumed_mark) ? number + 1 : number;
      doubts.push_back(fmt::format("{}:{}: {}", file, about, text.substr(2)));
    }
  }
  return doubts;
}

}  // namespace ringcast
