#include "app/predict/cell_identity.hpp"

#include <array>
#include <bit>
#include <type_traits>

#include "app/report/provenance.hpp"

namespace ringcast {
namespace {

/// Serializes values. Texts and lists begin with their length, so that different sequences of
/// values of the same types have different bytes.
class CanonicalBytes {
 public:
  template <typename... Values>
  void add(const Values&... values) {
    (put(values), ...);
  }
  [[nodiscard]] std::string digest() const { return sha256_of_bytes(bytes_); }

 private:
  template <typename Value>
  requires(std::is_integral_v<Value> || std::is_enum_v<Value>) void put(Value value) {
    put_word(static_cast<std::uint64_t>(value));
  }
  void put(double value) { put_word(std::bit_cast<std::uint64_t>(value)); }
  void put(Seconds time) { put(time.count()); }
  void put(Bytes size) { put(size.count()); }
  void put(BytesPerSecond rate) { put(rate.value()); }
  void put(std::string_view text) {
    put(text.size());
    bytes_ += text;
  }
  void put(const std::string& text) { put(std::string_view{text}); }
  template <typename Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename Value>
  void put(const std::vector<Value>& values) {
    put(values.size());
    for (const Value& value : values)
      put(value);
  }
  template <typename Key, typename Value>
  void put(const std::map<Key, Value>& values) {
    put(values.size());
    for (const auto& [key, value] : values)
      add(key, value);
  }
  void put(const RingOrder& order) {
    put(order.size());
    for (const Rank rank : order.ranks())
      put(rank);
  }

  // Each names all members of a structure, so a new member does not compile until it is added here.
  void put(const CableSpec& cable) {
    const auto& [link_class, bandwidth, latency, source, name, peer, both, kernel, base] = cable;
    add(link_class, bandwidth, latency, peer, both, kernel, base);
  }
  void put(const DeviceSpec& device) {
    const auto& [kind, count, cable, devices] = device;
    add(kind, count, cable, devices);
  }
  void put(const RootComplexSpec& root) {
    const auto& [count, cable, devices] = root;
    add(count, cable, devices);
  }
  void put(const CachedRate& rate) {
    const auto& [touched, bandwidth, reduce_rate, lent_rate] = rate;
    add(touched, bandwidth, reduce_rate, lent_rate);
  }
  void put(const SocketSpec& socket) {
    const auto& [count, root_complexes, memory, staging, processes, cable, caches] = socket;
    add(count, root_complexes, memory, staging, processes, cable, caches);
  }
  void put(const NvlinkSpec& nvlink) {
    const auto& [gpu_a, gpu_b, links, cable] = nvlink;
    add(gpu_a, gpu_b, links, cable);
  }
  void put(const NvswitchSpec& nvswitch) {
    const auto& [links_per_gpu, cable] = nvswitch;
    add(links_per_gpu, cable);
  }
  void put(const NodeTypeSpec& type) {
    const auto& [name, sockets, socket_cable, nvlinks, nvswitch, amd, gpudirect, gpu] = type;
    add(name, sockets, socket_cable, nvlinks, nvswitch, amd, gpudirect, gpu);
  }
  void put(const NodeGroupSpec& group) {
    const auto& [type, count, hosts] = group;
    add(type, count, hosts);
  }
  void put(const SingleSwitchSpec& fabric) {
    const auto& [rails, cable] = fabric;
    add(rails, cable);
  }
  void put(const FatTreeSpec& fabric) {
    const auto& [levels, radix, oversubscription, rails, cable, uplink, adaptive] = fabric;
    add(levels, radix, oversubscription, rails, cable, uplink, adaptive);
  }
  void put(const ExplicitFabricSpec::Cable& between) {
    const auto& [from, to, cable] = between;
    add(from, to, cable);
  }
  void put(const ExplicitFabricSpec& fabric) {
    const auto& [switches, cables] = fabric;
    add(switches, cables);
  }
  void put(const ClusterSpec& cluster) {
    const auto& [name, source, types, nodes, single_switch, fat_tree, fabric, gpus] = cluster;
    add(types, nodes, single_switch, fat_tree, fabric, gpus);
  }
  void put(const Protocol& protocol) {
    const auto& [algorithm, name, call_overhead, latencies, efficiency, efficiencies, crossings,
                 beside_crossings, channel_rate, network_rate, handshakes, by_channels] = protocol;
    add(algorithm, name, call_overhead, latencies, efficiency, efficiencies, crossings,
        beside_crossings, channel_rate, network_rate, handshakes, by_channels);
  }
  void put(const TransportProfile& transport) {
    const auto& [name, source, sources, buffers, p2p, p2p_amd_pairs, shm, network_in_node, gdr,
                 pipelined_staging, by_kernels, staging_buffer, copy_rate, socket_copy_rate,
                 socket_latency, to_host, on_host, to_device, host_copies, host_copy_rate,
                 gpus_per_process, call_overhead, message_overhead, overheads, protocols, tuner,
                 nccl_version, efa_tuner, channel_buffer, pxn, least_channels, most_channels,
                 is_narrowed, left_out, eager_limit, handshake, reduce_rate, host_reduce_rate,
                 lent_rate, reduce_overhead, fused_reduction, compute_competition] = transport;
    add(buffers, p2p, p2p_amd_pairs, shm, network_in_node, gdr, pipelined_staging, by_kernels,
        staging_buffer, copy_rate, socket_copy_rate, socket_latency, to_host, on_host, to_device,
        host_copies, host_copy_rate, gpus_per_process, call_overhead, message_overhead, overheads,
        protocols, tuner, nccl_version.major, nccl_version.minor, efa_tuner, channel_buffer, pxn,
        least_channels, most_channels, is_narrowed, left_out, eager_limit, handshake, reduce_rate,
        host_reduce_rate, lent_rate, reduce_overhead, fused_reduction, compute_competition);
  }
  void put(const CollectiveOptions& options) {
    const auto& [channels, segment_size, node_of, servers, serve_at_once, reduce_first, chain,
                 in_flight] = options;
    add(channels, segment_size, node_of, servers, serve_at_once, reduce_first, chain, in_flight);
  }
  /// Its transport is the scenario's, which a cell may replace.
  void put(const Cell& cell) {
    const auto& [ranks, size, algorithm, reduction, transport, ring_order, channels, segment_size,
                 training, protocol, is_chosen, channels_are_chosen, nodes] = cell;
    // The order itself is among the options, but the remedy of idle_nics() depends on its rule.
    add(ranks, size, algorithm, reduction.type, reduction.operation, ring_order == nccl_rings,
        ring_order == searched_rings, channels, segment_size, protocol);
  }
  void put(const PlannedCell& planned) {
    const auto& [cell, options, rings_of_job, hosts, transport, is_alternative, refusal] = planned;
    add(cell, options, hosts, transport, refusal);
  }
  void put(const LayerWork& work) {
    const auto& [forward, backward] = work;
    add(forward, backward);
  }
  void put(const Bucket& bucket) {
    const auto& [last_layer, first_layer, elements] = bucket;
    add(last_layer, first_layer, elements);
  }
  void put(const TrainingStep& step) {
    const auto& [layers, buckets, pass_overhead, passes, optimizer, compression, overlap,
                 launch_ahead, weights_before_forward, workers] = step;
    add(layers, buckets, pass_overhead, passes, optimizer, compression, overlap, launch_ahead,
        weights_before_forward, workers);
  }
  void put(const Straggler& straggler) {
    const auto& [rank, slowdown] = straggler;
    add(rank, slowdown);
  }
  void put(const ComputationNoise& noise) {
    const auto& [sigma, seed, stragglers] = noise;
    add(sigma, seed, stragglers);
  }

  void put_word(std::uint64_t word) {
    const auto bytes = std::bit_cast<std::array<char, sizeof word>>(word);
    bytes_.append(bytes.data(), bytes.size());
  }

  std::string bytes_;
};

const PlannedCell& allreduce_of(const PlannedTraining& planned) {
  return planned;
}

}  // namespace

CellIdentities::CellIdentities(const Scenario& scenario, Fidelity fidelity, bool with_bounds)
    : scenario_{&scenario} {
  const auto digest_with = [&](const TransportProfile& transport) {
    CanonicalBytes bytes;
    bytes.add(scenario.cluster, transport, scenario.channels.empty(), fidelity, with_bounds,
              std::string_view{scenario.degraded});
    return bytes.digest();
  };
  common_ = digest_with(scenario.transport);
  TransportProfile without_choices = scenario.transport;
  without_choices.protocols.clear();
  common_of_tuned_ = digest_with(without_choices);
}

std::string CellIdentities::of(const PlannedCell& planned,
                               std::optional<std::uint64_t> delay_seed) const {
  CanonicalBytes bytes;
  bytes.add(std::string_view{"all-reduce"}, planned.transport ? common_of_tuned_ : common_, planned,
            delay_seed);
  return bytes.digest();
}

std::string CellIdentities::of(const PlannedTraining& planned, int repetition) const {
  CanonicalBytes bytes;
  bytes.add(std::string_view{"iteration"}, common_, allreduce_of(planned), planned.step,
            planned.one_gpu_samples_per_s, scenario_->training->noise, repetition);
  for (const PlannedCell& call : planned.calls) {
    bytes.add(std::string_view{of(call)});
  }
  return bytes.digest();
}

std::string CellIdentities::of_broadcast(const PlannedTraining& planned) const {
  CanonicalBytes bytes;
  bytes.add(std::string_view{"broadcast"}, common_, allreduce_of(planned),
            element_count(planned.cell));
  return bytes.digest();
}

}  // namespace ringcast
