#include "scenarios/input_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "engine/error.hpp"
#include "scenarios/reader/input_node.hpp"
#include "scenarios/reader/nearest_name.hpp"
#include "scenarios/scenario.hpp"

namespace ringcast {
namespace {

/// A quantity as a plain number in its base unit, and back.
template <typename Quantity>
struct Plain;
template <>
struct Plain<BytesPerSecond> {
  static constexpr Unit unit = Unit::rate;
  static double from(BytesPerSecond rate) { return rate.value(); }
  static BytesPerSecond to(double value) { return BytesPerSecond{value}; }
};
template <>
struct Plain<Seconds> {
  static constexpr Unit unit = Unit::time;
  static double from(Seconds time) { return time.count(); }
  static Seconds to(double value) { return Seconds{value}; }
};
template <>
struct Plain<Bytes> {
  static constexpr Unit unit = Unit::bytes;
  static double from(Bytes size) { return static_cast<double>(size.count()); }
  static Bytes to(double value) {
    // At least one: none would mean that there is no such number.
    return Bytes{std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(value)))};
  }
};
template <>
struct Plain<double> {
  static constexpr Unit unit = Unit::fraction;
  static double from(double value) { return value; }
  static double to(double value) { return value; }
};

/// One number of a cable or a transport, under the name of its key.
template <typename Owner>
struct Field {
  template <typename Quantity>
  Field(std::string_view key, Quantity Owner::*member)
      : name{key},
        unit{Plain<Quantity>::unit},
        get{[member](const Owner& owner) { return Plain<Quantity>::from(owner.*member); }},
        set{[member](Owner& owner, double value) { owner.*member = Plain<Quantity>::to(value); }} {}

  std::string_view name;
  Unit unit;
  std::function<double(const Owner&)> get;
  std::function<void(Owner&, double)> set;
};

/// To add a number of a cable or of a transport: a line in its table.
const std::vector<Field<CableSpec>>& cable_fields() {
  static const std::vector<Field<CableSpec>> fields{
      {"bandwidth", &CableSpec::bandwidth},
      {"latency", &CableSpec::latency},
      {"peer_bandwidth", &CableSpec::peer_bandwidth},
      {"both_ways", &CableSpec::both_ways},
  };
  return fields;
}

const std::vector<Field<TransportProfile>>& transport_fields() {
  static const std::vector<Field<TransportProfile>> fields{
      {"staging_buffer", &TransportProfile::staging_buffer},
      {"copy_rate", &TransportProfile::copy_rate},
      {"host_copy_rate", &TransportProfile::host_copy_rate},
      {"call_overhead", &TransportProfile::call_overhead},
      {"message_overhead", &TransportProfile::message_overhead},
      {"rendezvous_handshake", &TransportProfile::rendezvous_handshake},
      {"reduce_rate", &TransportProfile::reduce_rate},
      {"reduce_overhead", &TransportProfile::reduce_overhead},
  };
  return fields;
}

using Cables = std::vector<CableSpec*>;

void add_cables_below(std::vector<DeviceSpec>& devices, Cables& cables) {
  for (DeviceSpec& device : devices) {
    cables.push_back(&device.cable);
    add_cables_below(device.devices, cables);
  }
}

void add_cables_of_node(NodeTypeSpec& type, Cables& cables) {
  for (SocketSpec& socket : type.sockets) {
    for (RootComplexSpec& root : socket.root_complexes) {
      if (root.cable) cables.push_back(&*root.cable);
      add_cables_below(root.devices, cables);
    }
  }
  if (type.socket_cable) cables.push_back(&*type.socket_cable);
  for (NvlinkSpec& nvlink : type.nvlinks) {
    cables.push_back(&nvlink.cable);
  }
  if (type.nvswitch) cables.push_back(&type.nvswitch->cable);
}

void add_cables_of_fabric(ClusterSpec& cluster, Cables& cables) {
  if (cluster.single_switch) cables.push_back(&cluster.single_switch->cable);
  if (cluster.fat_tree) {
    cables.push_back(&cluster.fat_tree->cable);
    if (cluster.fat_tree->uplink) cables.push_back(&*cluster.fat_tree->uplink);
  }
  if (cluster.explicit_fabric) {
    for (ExplicitFabricSpec::Cable& cable : cluster.explicit_fabric->cables) {
      cables.push_back(&cable.cable);
    }
  }
}

Cables cables_of(ClusterSpec& cluster) {
  Cables cables;
  for (NodeTypeSpec& type : cluster.node_types) {
    add_cables_of_node(type, cables);
  }
  add_cables_of_fabric(cluster, cables);
  return cables;
}

bool same_numbers(const CableSpec& a, const CableSpec& b) {
  return std::ranges::all_of(
      cable_fields(), [&](const Field<CableSpec>& field) { return field.get(a) == field.get(b); });
}

/// The cables that one entry of the cluster file describes.
struct Link {
  std::string name;
  Cables cables;
};

std::vector<Link> links_of(ClusterSpec& cluster) {
  std::vector<Link> links;
  for (CableSpec* const cable : cables_of(cluster)) {
    const std::string& base = cable->name.empty() ? cable->link_class : cable->name;
    // What comes from no file may call two kinds of cable by one name.
    std::string name = base;
    auto found = links.end();
    for (int copy = 2;; ++copy) {
      found = std::ranges::find(links, name, &Link::name);
      if (found == links.end() || same_numbers(*found->cables.front(), *cable)) break;
      name = fmt::format("{} ({})", base, copy);
    }
    if (found == links.end()) found = links.insert(links.end(), {name, {}});
    found->cables.push_back(cable);
  }
  return links;
}

/// A number, and how to change it in the scenario that it was found in.
struct Setting {
  InputNumber number;
  std::function<void(double)> set;
};

/// The memory of a socket; sockets of one node type that are alike share a number.
void add_memories(ClusterSpec& cluster, std::vector<Setting>& settings) {
  for (NodeTypeSpec& type : cluster.node_types) {
    std::map<BytesPerSecond, std::vector<SocketSpec*>> alike;
    for (SocketSpec& socket : type.sockets) {
      alike[socket.memory].push_back(&socket);
    }
    for (const auto& [memory, sockets] : alike) {
      const std::string name =
          alike.size() == 1 ? "memory" : fmt::format("memory {}", to_text(memory));
      settings.push_back({{fmt::format("node type {} {}", type.name, name), memory.value(),
                           Unit::rate, cluster.source},
                          [sockets](double value) {
                            for (SocketSpec* const socket : sockets) {
                              socket->memory = BytesPerSecond{value};
                            }
                          }});
    }
  }
}

void add_transport(TransportProfile& transport, std::vector<Setting>& settings) {
  const auto source_of = [&transport](const std::string& key) {
    const auto own = transport.sources.find(key);
    return own == transport.sources.end() ? transport.source : own->second;
  };
  for (const Field<TransportProfile>& field : transport_fields()) {
    settings.push_back({{fmt::format("transport {}", field.name), field.get(transport), field.unit,
                         source_of(std::string{field.name})},
                        [&transport, &field](double value) { field.set(transport, value); }});
  }
  for (auto& [kind, overhead] : transport.overheads) {
    const std::string key = "overheads." + key_of(kind);
    settings.push_back({{"transport " + key, overhead.count(), Unit::time, source_of(key)},
                        [&cost = overhead](double value) { cost = Seconds{value}; }});
  }
}

std::vector<Setting> settings_of(Scenario& scenario) {
  std::vector<Setting> settings;
  for (const Link& link : links_of(scenario.cluster)) {
    for (const Field<CableSpec>& field : cable_fields()) {
      const CableSpec& cable = *link.cables.front();
      settings.push_back({{fmt::format("link {} {}", link.name, field.name), field.get(cable),
                           field.unit, cable.source},
                          [cables = link.cables, &field](double value) {
                            for (CableSpec* const each : cables) {
                              field.set(*each, value);
                            }
                          }});
    }
  }
  add_memories(scenario.cluster, settings);
  add_transport(scenario.transport, settings);
  std::erase_if(settings, [](const Setting& setting) { return setting.number.value == 0; });
  return settings;
}

}  // namespace

std::vector<InputNumber> input_numbers(const Scenario& scenario) {
  Scenario copy = scenario;  // one walk serves reading and setting, and the latter writes
  std::vector<InputNumber> numbers;
  for (Setting& setting : settings_of(copy)) {
    numbers.push_back(std::move(setting.number));
  }
  return numbers;
}

void set_input_number(Scenario& scenario, std::string_view name, double value) {
  expect(std::isfinite(value) && value > 0, "{} is to become {}", name, value);
  std::vector<std::string_view> names;
  const std::vector<Setting> settings = settings_of(scenario);
  for (const Setting& setting : settings) {
    if (setting.number.name == name) {
      setting.set(value);
      return;
    }
    names.push_back(setting.number.name);
  }
  throw ScenarioError{fmt::format("unknown number {}{} (expected {})", in_quotes(name),
                                  suggestion(name, names), listed(names, "or"))};
}

std::string to_text(const InputNumber& number) {
  switch (number.unit) {
    case Unit::rate:
      return to_text(Plain<BytesPerSecond>::to(number.value));
    case Unit::time:
      return to_text(Plain<Seconds>::to(number.value));
    case Unit::bytes:
      return to_text(Plain<Bytes>::to(number.value));
    case Unit::fraction:
      return fmt::format("{:.4g}", number.value);
  }
  throw ContractViolation{"a number of no unit"};
}

}  // namespace ringcast
