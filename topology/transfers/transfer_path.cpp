#include "topology/transfers/transfer_path.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "topology/cluster/index.hpp"
#include "topology/transfers/leg.hpp"
#include "topology/transfers/path_level.hpp"
#include "topology/transfers/path_parts.hpp"

namespace ringcast {

using detail::arrange;
using detail::is_gpu;
using detail::is_process;
using detail::kind_of;
using detail::memory_of;
using detail::peers_past_root;

namespace {

TransferPath::Protocol protocol_on(const TransferPath& path, const Protocol& protocol,
                                   Seconds socket_latency) {
  const double efficiency = protocol.efficiency_of(path.kind);
  const Seconds latency =
      std::max(path.main.latency, protocol.latency_of(path.kind)) + socket_latency;
  if (path.kind != PathKind::network) return {latency, efficiency, 1, protocol.channel_rate};
  const bool has_own_rate = protocol.network_rate > BytesPerSecond{0};
  return {protocol.crossings * latency + protocol.beside_crossings, efficiency, protocol.handshakes,
          has_own_rate ? protocol.network_rate : protocol.channel_rate};
}

}  // namespace

const TransferPath::Protocol& TransferPath::protocol_of(Bytes length) const {
  const auto time = [&](const Protocol& each) {
    return each.latency + static_cast<double>(length.count()) / each.efficiency * time_per_byte;
  };
  return *std::ranges::min_element(protocols, {}, time);
}

Bytes TransferPath::wire_bytes_of(Bytes length) const {
  const double wire = static_cast<double>(length.count()) / protocol_of(length).efficiency;
  return Bytes{static_cast<std::uint64_t>(std::ceil(wire))};
}

bool TransferPath::has_handshake(Bytes length) const {
  return rendezvous && wire_bytes_of(length) > rendezvous->above;
}

TransferPaths::TransferPaths(const Topology& topology, TransportProfile profile,
                             std::vector<int> places)
    : topology_{&topology},
      profile_{std::move(profile)},
      places_{std::move(places)},
      gpudirect_{topology, profile_, places_},
      nodes_{gpudirect_.nodes_of(profile_, places_)} {}

int TransferPaths::node_count() const {
  return static_cast<int>(std::set(nodes_.begin(), nodes_.end()).size());
}

bool TransferPaths::splits_nodes() const {
  std::set<int> hosts;
  for (const int place : places_)
    hosts.insert(topology_->cluster().vertex(place).node);
  return node_count() > static_cast<int>(hosts.size());
}

const TransferPath& TransferPaths::between(Rank from, Rank to) const {
  const auto key = static_cast<std::uint64_t>(index_of(from)) * places_.size() +
                   static_cast<std::uint64_t>(index_of(to));
  return paths_.of(key, [&] {
    TransferPath path = find(places_.at(static_cast<std::size_t>(index_of(from))),
                             places_.at(static_cast<std::size_t>(index_of(to))));
    path.main.links.shrink_to_fit();  // millions of paths
    return path;
  });
}

Seconds TransferPaths::latency(const TransferPath& path, Bytes length) const {
  const TransferPath::Protocol& protocol = path.protocol_of(length);
  Seconds latency = protocol.latency;
  if (path.has_handshake(length)) latency += protocol.handshakes * path.rendezvous->handshake;
  const auto filled = static_cast<double>(std::min(length, profile_.staging_buffer).count());
  return latency + Seconds{path.fill_seconds_per_byte * filled};
}

Leg TransferPaths::copy_leg(Rank rank, CopyDirection direction) const {
  const int gpu = topology_->vertex_of(rank);
  const int host = topology_->host_of(gpu);
  if (direction == CopyDirection::on_host) {
    return LegBuilder{*topology_}.memory(host, 2).limit(profile_.on_host_rate()).build();
  }
  return direction == CopyDirection::to_host ? copy_between(gpu, host) : copy_between(host, gpu);
}

/// A copy between a GPU and host memory, either way.
Leg TransferPaths::copy_between(int from, int to) const {
  return LegBuilder{*topology_}
      .route(from, to, profile_.kernel_copies ? PcieTraffic::kernels : PcieTraffic::plain)
      .memory(is_gpu(*topology_, from) ? to : from, 1)
      .limit(profile_.copy_rate)
      .build();
}

TransferPath TransferPaths::find(int from, int to) const {
  const Topology& topology = *topology_;
  const bool crosses = gpudirect_.need_network(profile_, from, to);
  TransferPath path = crosses ? find_over_network(from, to) : find_in_node(from, to);
  path.overhead = profile_.overhead_of(path.kind);
  if (!crosses) path.rendezvous = rendezvous_on({}, profile_);
  path.time_per_byte = time_per_byte(topology, path.main);
  const bool lends = is_process(topology, from) && is_process(topology, to) &&
                     memory_of(topology, from) == memory_of(topology, to) &&
                     profile_.lent_rate.value() > 0;
  path.lent_share = lends ? 1 / (profile_.lent_rate.value() * path.time_per_byte.count()) : 0;
  const Seconds socket_latency = crosses ? profile_.socket_latency : Seconds{0};
  for (const Protocol& each : profile_.protocols)
    path.protocols.push_back(protocol_on(path, each, socket_latency));
  if (path.protocols.empty()) path.protocols.push_back({path.main.latency + socket_latency, 1});
  return path;
}

TransferPath TransferPaths::find_in_node(int from, int to) const {
  const Topology& topology = *topology_;
  TransferPath path;
  if (kind_of(topology, from) == VertexKind::nvswitch ||
      kind_of(topology, to) == VertexKind::nvswitch) {
    path.kind = PathKind::nvlink;
    path.main = LegBuilder{topology}.route(from, to, PcieTraffic::plain).build();
    return path;
  }
  if (!is_gpu(topology, from) || !is_gpu(topology, to)) {
    path.kind = PathKind::host_memory;
    const bool hosts = !is_gpu(topology, from) && !is_gpu(topology, to);
    path.main = hosts ? copy_between_hosts(from, to) : copy_between(from, to);
    path.level = level_between(topology, from, to);
    return path;
  }
  path.level = level_between(topology, from, to);
  if (gpudirect_.has_p2p(profile_, from, path.level)) {
    path.kind = path.level == PathLevel::nvl ? PathKind::nvlink : PathKind::p2p;
    path.main = LegBuilder{topology}.route(from, to, peers_past_root(path.level)).build();
    return path;
  }
  path.kind = PathKind::staged;
  path.staged_by_sender = true;
  // NCCL's shared memory is the receiver's (NCCL_SHM_LOCALITY).
  const int host = topology.host_of(profile_.kernel_copies ? to : from);
  Leg read = copy_between(host, to);
  const std::optional<LinkId> limit = topology.staged_reads_of(to);
  if (limit && profile_.kernel_copies) read.links.push_back(*limit);
  arrange(path, copy_between(from, host), std::move(read), std::nullopt, topology,
          profile_.pipelined_staging);
  return path;
}

/// Each copy reads one memory and writes one; the last copy writes the receiver's. The receiver
/// makes a single copy.
Leg TransferPaths::copy_between_hosts(int from, int to) const {
  const Topology& topology = *topology_;
  const int near = memory_of(topology, from);
  return LegBuilder{topology}
      .route(profile_.host_copies == 1 ? near : from, to, PcieTraffic::plain)
      .memory(near, 2 * profile_.host_copies - 1)
      .memory(memory_of(topology, to), 1)
      .limit(profile_.host_copy_rate)
      .build();
}

}  // namespace ringcast
