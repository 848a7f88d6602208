#include "topology/import/network_nodes.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "topology/cluster/index.hpp"

namespace ringcast {

namespace {

using detail::index;

struct Adapter {       // a cabled port of a host
  std::string device;  // "mlx5_0"; empty: unknown
  const IbNetwork::Cable* cable;
  bool at_a;  // its end of the cable
  [[nodiscard]] int node() const { return at_a ? cable->a : cable->b; }
  [[nodiscard]] int peer() const { return at_a ? cable->b : cable->a; }
};
/// The cabled ports of one card.
using Card = std::vector<const Adapter*>;
/// n2 before n10, as Slurm lists hosts: ranks follow this order.
struct ByNumbers {
  bool operator()(const std::string& a, const std::string& b) const {
    return ::strverscmp(a.c_str(), b.c_str()) < 0;
  }
};
using Hosts = std::map<std::string, std::vector<Adapter>, ByNumbers>;

class NetworkNodes {
 public:
  NetworkNodes(const std::string& name, const IbNetwork& network,
               const std::optional<HostHardware>& box, const ImportHints& hints)
      : name_{name}, network_{network}, box_{box}, hints_{hints} {}

  DiscoveredNodes build() {
    DiscoveredFabric fabric;
    fabric.remarks = network_.remarks;
    const std::vector<bool> kept = in_main_piece(network_);
    Hosts hosts;
    int elsewhere = 0;
    for (const IbNetwork::Cable& cable : network_.cables) {
      add_adapters(cable, kept[index(cable.a)] && kept[index(cable.b)], hosts, elsewhere);
    }
    if (elsewhere > 0) {
      fabric.remarks.push_back(
          fmt::format("the network is in several pieces; ports outside of the largest, and of "
                      "rails to the same hosts, are left out: {}",
                      elsewhere));
    }
    add_hosts(hosts, fabric);
    for (std::size_t i = 0; i < network_.nodes.size(); ++i) {
      if (network_.nodes[i].is_switch && kept[i]) {
        fabric.switches.push_back(network_.nodes[i].id);
      }
    }
    for (const IbNetwork::Cable& cable : network_.cables) {
      if (is_switch(cable.a) && is_switch(cable.b) && kept[index(cable.a)]) {
        fabric.cables.push_back({id_of(cable.a), id_of(cable.b), link_of(cable)});
      }
    }
    DiscoveredNodes nodes = merge_hosts(hardware_);
    nodes.fabric = std::move(fabric);
    return nodes;
  }

 private:
  [[nodiscard]] bool is_switch(int node) const { return network_.nodes[index(node)].is_switch; }
  [[nodiscard]] LinkChoice link_of(const IbNetwork::Cable& cable) const {
    if (cable.rate.empty() && !hints_.network.empty()) {
      return {hints_.network, BytesPerSecond{0}, "given"};
    }
    if (network_.cards_unknown && box_ && !cards_in_box().empty()) {
      return network_link(*cards_in_box().front());  // Slurm knows no rates
    }
    return infiniband_link(cable.rate);
  }
  [[nodiscard]] const std::string& id_of(int node) const { return network_.nodes[index(node)].id; }

  void add_adapters(const IbNetwork::Cable& cable, bool kept, Hosts& hosts, int& elsewhere) const {
    for (const bool at_a : {true, false}) {
      const IbNetwork::Node& node = network_.nodes[index(at_a ? cable.a : cable.b)];
      if (node.is_switch) {
        continue;
      }
      if (!kept) {
        ++elsewhere;
        continue;
      }
      const auto [host, device] = host_and_device(node);
      hosts[host].push_back({device, &cable, at_a});
    }
  }

  void add_hosts(Hosts& hosts, DiscoveredFabric& fabric) {
    if (!box_) {
      fabric.remarks.emplace_back(
          "the listing says nothing of the nodes: each card is taken to have one GPU beside it "
          "(ringcast import nvidia-smi BOX --fabric combines both)");
    }
    sort_adapters(hosts);
    std::string missing;
    int left_out = 0;
    for (const auto& [name, adapters] : hosts) {
      const std::vector<Card> cards = box_ ? cards_of_box(adapters) : all_cards(adapters);
      if (cards.empty()) {
        missing = left_out++ == 0 ? name : missing;
      } else {
        add_host(name, cards, fabric);
      }
    }
    if (left_out > 0) {
      fabric.remarks.push_back(
          fmt::format("{} hosts lack the cards of the node and are left out, the first is {}",
                      left_out, missing));
    }
    if (hardware_.empty()) {
      throw ScenarioError{
          left_out > 0
              ? fmt::format("{}: no host with the cards of the node: that has {}, {} has "
                            "{} (expected as many, or cards of the same names or GUIDs)",
                            name_, cards_in_box().size(), missing, hosts.at(missing).size())
              : fmt::format("{}: no host in it (expected adapters that are cabled to "
                            "switches or to each other)",
                            name_)};
    }
  }

  /// By device; notes which of them are the box's.
  void sort_adapters(Hosts& hosts) {
    for (auto& [name, adapters] : hosts) {
      std::ranges::stable_sort(adapters, {}, [](const Adapter& adapter) {
        return std::pair{adapter.device.size(), adapter.device};  // mlx5_2 before mlx5_10
      });
      if (box_) {
        find_by_guid(adapters);
      }
    }
  }

  void add_host(const std::string& name, const std::vector<Card>& cards, DiscoveredFabric& fabric) {
    HostHardware host = box_ ? *box_ : host_of(cards);
    host.host = name;
    for (std::size_t card = 0; card < cards.size(); ++card) {
      for (const Adapter* port : cards[card]) {
        add_cable(fmt::format("node{}.nic{}", hardware_.size(), card), *port, fabric);
      }
    }
    hardware_.push_back(std::move(host));
  }

  /// Cables between two hosts join the cards that are known at the end, as both must be.
  void add_cable(const std::string& card, const Adapter& port, DiscoveredFabric& fabric) {
    if (is_switch(port.peer())) {
      fabric.cables.push_back({card, id_of(port.peer()), link_of(*port.cable)});
    } else if (const auto [known, is_first] = ends_.try_emplace(port.cable, card); !is_first) {
      fabric.cables.push_back({known->second, card, link_of(*port.cable)});
    }
  }

  /// Beside each card a GPU on the same PCIe switch.
  [[nodiscard]] HostHardware host_of(const std::vector<Card>& cards) const {
    HostHardware host;
    host.tool = "ibnetdiscover";
    host.source = "ibnetdiscover";
    HardwareSocket& socket = host.sockets.emplace_back();
    for (const Card& ports : cards) {
      const Adapter& adapter = *ports.front();
      HardwareDevice card{VertexKind::nic, "", adapter.device, "", BytesPerSecond{0}};
      card.port_class = link_of(*adapter.cable).link_class;
      HardwareDevice above{VertexKind::pcie_switch, "", "", "", BytesPerSecond{0}};
      above.devices = {{VertexKind::gpu, "", "", "", BytesPerSecond{0}}, card};
      for (HardwareDevice* device : {&above, above.devices.data(), &above.devices.back()}) {
        device->link = pcie_rate_for(card.port_class);
      }
      socket.roots.push_back({{above}});
    }
    return host;
  }

  /// A card for each adapter, with all its cabled ports.
  [[nodiscard]] static std::vector<Card> all_cards(const std::vector<Adapter>& adapters) {
    std::vector<Card> cards;
    for (const Adapter& adapter : adapters) {
      const auto known = std::ranges::find_if(
          cards, [&](const Card& card) { return card.front()->node() == adapter.node(); });
      (known == cards.end() ? cards.emplace_back() : *known).push_back(&adapter);
    }
    return cards;
  }

  [[nodiscard]] std::vector<const HardwareDevice*> cards_in_box() const {
    std::vector<const HardwareDevice*> cards;
    for_each_device_of(*box_, [&cards](const HardwareDevice& device) {
      cards.insert(cards.end(), device.kind == VertexKind::nic ? 1 : 0, &device);
    });
    return cards;
  }

  /// Notes which of a host's ports are those of the box's cards, if it is the box.
  void find_by_guid(const std::vector<Adapter>& adapters) {
    std::vector<std::vector<std::size_t>> found;
    for (const HardwareDevice* card : cards_in_box()) {
      std::vector<std::size_t> ports;
      for (std::size_t i = 0; i < adapters.size(); ++i) {
        const std::string& guid = network_.nodes[index(adapters[i].node())].adapter;
        if (!guid.empty() && guid == card->guid) {
          ports.push_back(i);
        }
      }
      if (ports.empty()) {
        return;
      }
      found.push_back(std::move(ports));
    }
    ports_of_box_ = adapters.size();
    by_guid_ = std::move(found);
  }

  /// The ports that have the card's name.
  [[nodiscard]] static Card ports_by_name(const HardwareDevice& card,
                                          const std::vector<Adapter>& adapters) {
    Card ports;
    // NCCL's files name the ports of one card "mlx5_0, mlx5_1".
    const std::string names = ", " + card.name + ",";
    for (const Adapter& adapter : adapters) {
      if (!adapter.device.empty() && names.find(" " + adapter.device + ",") != std::string::npos) {
        ports.push_back(&adapter);
      }
    }
    return ports;
  }

  /// The ports of the box's cards, in the order of its tree; empty if a card is missing.
  [[nodiscard]] std::vector<Card> cards_of_box(const std::vector<Adapter>& adapters) const {
    std::vector<Card> cards;
    const std::vector<const HardwareDevice*> wanted = cards_in_box();
    for (const HardwareDevice* card : wanted) {
      const Card ports = ports_by_name(*card, adapters);
      cards.insert(cards.end(), ports.empty() ? 0 : 1, ports);
    }
    if (cards.size() == wanted.size()) {
      return cards;
    }
    if (network_.cards_unknown) {
      return std::vector<Card>(wanted.size(), Card{&adapters.front()});
    }
    cards.clear();
    if (!by_guid_.empty() && adapters.size() == ports_of_box_) {
      for (const std::vector<std::size_t>& ports : by_guid_) {
        cards.emplace_back();
        for (const std::size_t port : ports) {
          cards.back().push_back(&adapters[port]);
        }
      }
      return cards;
    }
    std::vector<Card> all = all_cards(adapters);
    return all.size() == wanted.size() ? all : std::vector<Card>{};
  }

  const std::string& name_;
  const IbNetwork& network_;
  const std::optional<HostHardware>& box_;
  const ImportHints& hints_;
  std::vector<HostHardware> hardware_;
  std::vector<std::vector<std::size_t>> by_guid_;  // the ports of each card of the box, on its host
  std::size_t ports_of_box_ = 0;                   // of that host
  std::map<const IbNetwork::Cable*, std::string> ends_;  // of cables between hosts, the first cards
};

}  // namespace

DiscoveredNodes nodes_on_network(const std::string& name, const IbNetwork& network,
                                 const std::optional<HostHardware>& box, const ImportHints& hints) {
  return NetworkNodes{name, network, box, hints}.build();
}

}  // namespace ringcast
