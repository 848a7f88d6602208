#include "app/config/scenario/input_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "app/common/mapped.hpp"
#include "app/config/cluster/cluster_cables.hpp"
#include "app/config/scenario/number_field.hpp"
#include "app/config/scenario/scenario.hpp"
#include "app/config/yaml/input_node.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// To add a number: a line in its table.
const std::vector<Field<CableSpec>>& cable_fields() {
  static const std::vector<Field<CableSpec>> fields{
      {"bandwidth", &CableSpec::bandwidth},
      {"latency", &CableSpec::latency},
      {"peer_bandwidth", &CableSpec::peer_bandwidth},
      {"both_ways", &CableSpec::both_ways},
      {"kernel_bandwidth", &CableSpec::kernel_bandwidth},
  };
  return fields;
}

const std::vector<Field<SocketSpec>>& socket_fields() {
  static const std::vector<Field<SocketSpec>> fields{
      {"memory", &SocketSpec::memory}, {"staging_bandwidth", &SocketSpec::staging_bandwidth}};
  return fields;
}

const std::vector<Field<CachedRate>>& cache_fields() {
  static const std::vector<Field<CachedRate>> fields{{"bandwidth", &CachedRate::bandwidth},
                                                     {"reduce_rate", &CachedRate::reduce_rate},
                                                     {"lent_rate", &CachedRate::lent_rate}};
  return fields;
}

const std::vector<Field<TransportProfile>>& transport_fields() {
  static const std::vector<Field<TransportProfile>> fields{
      {"staging_buffer", &TransportProfile::staging_buffer},
      {"copy_rate", &TransportProfile::copy_rate},
      {"socket_copy_rate", &TransportProfile::socket_copy_rate},
      {"socket_latency", &TransportProfile::socket_latency},
      {"host_copy_rate", &TransportProfile::host_copy_rate},
      {"call_overhead", &TransportProfile::call_overhead},
      {"message_overhead", &TransportProfile::message_overhead},
      {PathKind::nvlink, "overheads", &TransportProfile::overheads},
      {PathKind::p2p, "overheads", &TransportProfile::overheads},
      {PathKind::staged, "overheads", &TransportProfile::overheads},
      {PathKind::host_memory, "overheads", &TransportProfile::overheads},
      {PathKind::network, "overheads", &TransportProfile::overheads},
      {"channel_buffer", &TransportProfile::channel_buffer},
      {"eager_limit", &TransportProfile::eager_limit},
      {"rendezvous_handshake", &TransportProfile::rendezvous_handshake},
      {"reduce_rate", &TransportProfile::reduce_rate},
      {"host_reduce_rate", &TransportProfile::host_reduce_rate},
      {"reduce_overhead", &TransportProfile::reduce_overhead},
      {"compute_competition", &TransportProfile::compute_competition},
  };
  return fields;
}

const std::vector<Field<Protocol>>& protocol_fields() {
  static const std::vector<Field<Protocol>> fields{
      {"call_overhead", &Protocol::call_overhead},
      {PathKind::nvlink, "latencies", &Protocol::latencies},
      {PathKind::p2p, "latencies", &Protocol::latencies},
      {PathKind::staged, "latencies", &Protocol::latencies},
      {PathKind::host_memory, "latencies", &Protocol::latencies},
      {PathKind::network, "latencies", &Protocol::latencies},
      {"efficiency", &Protocol::efficiency},
  };
  return fields;
}

/// The objects that one entry of a file describes; their parameters are equal.
template <typename Owner>
struct Group {
  std::string name;
  std::vector<Owner*> owners;
  std::string source;  // of its parameters
};

template <typename Owner>
void add_to_group(std::vector<Group<Owner>>& groups, const std::string& base, Owner& owner,
                  const std::string& source, const std::vector<Field<Owner>>& fields) {
  const auto like_owner = [&](const Group<Owner>& group) {
    return std::ranges::all_of(fields, [&](const Field<Owner>& field) {
      return field.get(*group.owners.front()) == field.get(owner);
    });
  };
  // Owners of one name may differ: sockets of one type, parallel cables, cables from no file.
  std::string name = base;
  auto found = groups.end();
  for (int copy = 2;; ++copy) {
    found = std::ranges::find(groups, name, &Group<Owner>::name);
    if (found == groups.end() || like_owner(*found)) break;
    name = fmt::format("{} ({})", base, copy);
  }
  if (found == groups.end()) found = groups.insert(groups.end(), {name, {}, source});
  found->owners.push_back(&owner);
}

/// A number, and how to change it in the scenario that it was found in.
struct Setting {
  InputNumber number;
  std::function<void(double)> set;
};

template <typename Owner>
void add_settings(std::vector<Setting>& settings, const std::vector<Group<Owner>>& groups,
                  const std::vector<Field<Owner>>& fields) {
  for (const auto& [name, owners, source] : groups) {
    for (const Field<Owner>& field : fields) {
      const double value = field.get(*owners.front());
      if (value == 0) continue;
      settings.push_back({{fmt::format("{} {}", name, field.name), value, field.unit, source},
                          [owners = owners, set = field.set](double changed) {
                            for (Owner* const owner : owners)
                              set(*owner, changed);
                          }});
    }
  }
}

void add_cluster(ClusterSpec& cluster, std::vector<Setting>& settings) {
  std::vector<Group<CableSpec>> links;
  for (CableSpec* const cable : cables_of(cluster)) {
    const std::string& name = cable->name.empty() ? cable->link_class : cable->name;
    add_to_group(links, "link " + name, *cable, cable->source, cable_fields());
  }
  std::vector<Group<SocketSpec>> sockets;
  std::vector<Group<CachedRate>> caches;
  for (NodeTypeSpec& type : cluster.node_types) {
    const std::string of_type = "node type " + type.name;
    for (SocketSpec& socket : type.sockets) {
      add_to_group(sockets, of_type, socket, cluster.source, socket_fields());
      for (CachedRate& cached : socket.caches) {
        add_to_group(caches, fmt::format("{} caches {}", of_type, to_text(cached.touched)), cached,
                     cluster.source, cache_fields());
      }
    }
  }
  add_settings(settings, links, cable_fields());
  add_settings(settings, sockets, socket_fields());
  add_settings(settings, caches, cache_fields());
}

void add_transport(TransportProfile& transport, std::vector<Setting>& settings) {
  const auto source_of = [&](const std::string& key) {
    const auto own = transport.sources.find(key);
    return own == transport.sources.end() ? transport.source : own->second;
  };
  for (const Field<TransportProfile>& field : transport_fields()) {
    const Group<TransportProfile> group{"transport", {&transport}, source_of(field.name)};
    add_settings<TransportProfile>(settings, {group}, {field});
  }
  std::vector<Group<Protocol>> protocols;
  for (Protocol& protocol : transport.protocols) {
    const std::string key = "protocols." + protocol.full_name();
    protocols.push_back({"transport " + key, {&protocol}, source_of(key)});
  }
  add_settings(settings, protocols, protocol_fields());
}

/// All layers as one number; `launch_ahead` changes by at least one layer.
void add_training(Training& training, std::vector<Setting>& settings) {
  const auto add = [&](const char* name, double value, Unit unit, const std::string& source,
                       std::function<void(double)> set) {
    if (value > 0) settings.push_back({{name, value, unit, source}, std::move(set)});
  };
  add("training time_per_sample", time_per_sample(training).count(), Unit::time,
      training.compute_source,
      [&training](double changed) { set_time_per_sample(training, Seconds{changed}); });
  add("training iteration_overhead", training.pass_overhead.count(), Unit::time,
      training.compute_source,
      [&training](double changed) { training.pass_overhead = Seconds{changed}; });
  add("training optimizer", training.optimizer.count(), Unit::time, "",
      [&training](double changed) { training.optimizer = Seconds{changed}; });
  LaunchAhead& ahead = training.launch_ahead;
  add("training launch_ahead", ahead.layers, Unit::fraction, ahead.source.value_or(""),
      [&ahead, now = ahead.layers](double changed) {
        ahead.layers = static_cast<int>(changed > now ? std::ceil(changed) : std::floor(changed));
      });
}

std::vector<Setting> settings_of(Scenario& scenario) {
  std::vector<Setting> settings;
  add_cluster(scenario.cluster, settings);
  add_transport(scenario.transport, settings);
  if (scenario.training) {
    add_training(*scenario.training, settings);
  }
  return settings;
}

}  // namespace

std::vector<InputNumber> input_numbers(const Scenario& scenario) {
  Scenario copy = scenario;  // settings_of() needs a writable one, for set_input_number()
  return mapped(settings_of(copy), &Setting::number);
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

void scale_input_numbers(Scenario& scenario,
                         const std::function<double(const InputNumber&)>& factor) {
  for (const Setting& setting : settings_of(scenario)) {
    const double by = factor(setting.number);
    if (by != 1) setting.set(by * setting.number.value);
  }
}

bool is_efficiency(const InputNumber& number) {
  return number.name.ends_with(" efficiency");
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
