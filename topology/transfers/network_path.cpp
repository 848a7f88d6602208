// The path of a message between two nodes, or over the network within one.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "topology/transfers/path_parts.hpp"
#include "topology/transfers/route_nics.hpp"

namespace ringcast {

using detail::arrange;
using detail::is_gpu;
using detail::is_process;
using detail::memory_of;
using detail::peers_past_root;

namespace {

/// Whether the NIC is a separate device, not the GPU itself.
bool is_apart(const Topology& topology, int place, int nic) {
  return is_gpu(topology, place) && place != nic;
}

/// The cable to the core of a process. Messages of NICs do not cross it: these access
/// memory by themselves.
std::size_t core_cables(const Topology& topology, int place) {
  return is_process(topology, place) ? 1 : 0;
}

}  // namespace

/// A sender or receiver, and its NIC.
struct TransferPaths::NetworkEnd {
  int place;
  int nic;
  std::span<const LinkId> links;  // between them
  PathLevel level;
  bool staged;  // in host memory
  std::optional<int> relay = {};
};

TransferPaths::NetworkEnd TransferPaths::end_at(int place, int nic, std::span<const LinkId> links,
                                                bool past_root) const {
  const bool apart = is_apart(*topology_, place, nic);
  const PathLevel level = apart ? nic_level(*topology_, place, nic, !past_root) : PathLevel::nvl;
  const std::optional<PathLevel> gdr = gdr_level(profile_.gdr, past_root);
  return {place, nic, links, level, apart && !gpudirect_.has_rdma(place, level, gdr)};
}

TransferPaths::NetworkEnd TransferPaths::sender_at(int place, int nic,
                                                   std::span<const LinkId> links,
                                                   bool past_root) const {
  NetworkEnd sender = end_at(place, nic, links, past_root);
  if (profile_.tuner != Tuner::nccl || !is_apart(*topology_, place, nic)) return sender;
  if (gpudirect_.stages_sends(place, topology_->cable_of(links.front()).base_class)) {
    sender.staged = true;
  } else if (!reaches(PathLevel::pxb, sender.level)) {
    sender.relay = gpudirect_.relay(profile_, place, nic, past_root);
    if (sender.relay) sender.level = PathLevel::pxn;
    sender.staged = sender.staged && !sender.relay;
  }
  return sender;
}

std::optional<Leg> TransferPaths::add_sender(const NetworkEnd& sender, LegBuilder& between) const {
  const Topology& topology = *topology_;
  if (sender.staged) {
    const int host = topology.host_of(sender.place);
    between.memory(host, 1).route(host, sender.nic, PcieTraffic::plain);
    return copy_between(sender.place, host);
  }
  if (sender.relay) {
    between.route(sender.place, *sender.relay, PcieTraffic::plain)
        .route(*sender.relay, sender.nic, PcieTraffic::plain);
  } else if (is_gpu(topology, sender.place)) {
    between.links(sender.links, peers_past_root(sender.level));
  } else {
    between.memory(memory_of(topology, sender.place), 1)
        .links(sender.links.subspan(core_cables(topology, sender.place)), PcieTraffic::plain);
  }
  return std::nullopt;
}

std::optional<Leg> TransferPaths::add_receiver(const NetworkEnd& receiver,
                                               LegBuilder& between) const {
  const Topology& topology = *topology_;
  if (receiver.staged) {
    const int host = topology.host_of(receiver.place);
    between.route(receiver.nic, host, PcieTraffic::plain).memory(host, 1);
    return copy_between(host, receiver.place);
  }
  if (is_gpu(topology, receiver.place)) {
    between.links(receiver.links, peers_past_root(receiver.level));
  } else {
    const std::size_t up = receiver.links.size() - core_cables(topology, receiver.place);
    between.links(receiver.links.first(up), PcieTraffic::plain)
        .memory(memory_of(topology, receiver.place), 1);
  }
  return std::nullopt;
}

TransferPath TransferPaths::find_over_network(int from, int to) const {
  const Topology& topology = *topology_;
  const Cluster& cluster = topology.cluster();
  const bool own = !profile_.shm || cluster.vertex(from).node == cluster.vertex(to).node;
  const Route route =
      own ? topology.find_route_by_own_nics(from, to) : topology.find_route(from, to);
  const std::vector<int> vertices = vertices_of(topology, from, route);
  const auto nics = nics_on(topology, vertices);
  const auto out = static_cast<std::size_t>(nics.out);
  const auto in = static_cast<std::size_t>(nics.in);
  const std::span links{route.links};
  const std::span<const LinkId> across = links.subspan(out, in - out);
  const std::vector<const LinkClass*> network = link_classes_on(topology, across);
  const bool past_root = gdr_past_root(network);
  const NetworkEnd sender = sender_at(from, vertices[out], links.first(out), past_root);
  const NetworkEnd receiver = end_at(to, vertices[in], links.subspan(in), past_root);
  TransferPath path;
  path.kind = PathKind::network;
  path.rendezvous = rendezvous_on(network, profile_);
  path.level = std::max({path.level, sender.level, receiver.level});
  path.staged_by_sender = sender.staged;
  path.staged_by_receiver = receiver.staged;

  LegBuilder between{topology};
  const bool over_tcp = profile_.is_over_tcp();
  if (over_tcp) between.thread(from);
  std::optional<Leg> down = add_sender(sender, between);
  // Kernels are slow where they read host memory over PCIe, which the receiver's do; the sender's
  // write it.
  const bool by_kernels =
      receiver.staged && profile_.kernel_copies && !over_tcp && !has_c2c(topology, to);
  between.links(across, by_kernels ? PcieTraffic::kernels : PcieTraffic::plain);
  std::optional<Leg> up = add_receiver(receiver, between);
  if (over_tcp) between.thread(to);
  arrange(path, std::move(down), between.build(), std::move(up), topology,
          profile_.pipelined_staging);
  return path;
}

}  // namespace ringcast
