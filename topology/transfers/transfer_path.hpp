#pragma once

#include <vector>

#include "engine/numbers/flat_numbers.hpp"
#include "topology/transfers/gpudirect.hpp"
#include "topology/transfers/leg.hpp"
#include "topology/transfers/rendezvous.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// The path of a message from one memory to another under a transport profile.
struct TransferPath {
  PathKind kind = PathKind::p2p;
  /// The largest distance between devices that communicate directly, or would without staging: the
  /// two GPUs, or a GPU and its NIC.
  PathLevel level = PathLevel::nvl;
  bool staged_by_sender = false;
  bool staged_by_receiver = false;
  /// One leg; with staging that is not pipelined up to three in sequence: the sender's copy down,
  /// the transfer between the hosts, the receiver's copy up.
  std::optional<Leg> copy_down;
  Leg main;
  std::optional<Leg> copy_up;
  /// The overhead of each message; the next one of its stream waits for it.
  Seconds overhead{0};
  /// The latency of a message under a protocol, at least that of the cables, and the fraction of
  /// payload in the bytes on the cables.
  struct Protocol {
    Seconds latency{0};
    double efficiency = 1;
    double handshakes = 1;           // the fraction of a handshake that counts
    BytesPerSecond channel_rate{0};  // the limit of the payload; zero: none
    friend bool operator==(const Protocol&, const Protocol&) = default;
  };
  std::vector<Protocol> protocols = {};  // at least one
  /// Bytes on the cables for each byte of a lent slice or its answer; zero: as other messages.
  double lent_share = 0;
  /// The time of a byte on the cables, without competing traffic.
  Seconds time_per_byte{0};
  /// Pipelined staging: additional latency of a message for each byte of the staging buffer that it
  /// fills.
  double fill_seconds_per_byte = 0;
  std::optional<Rendezvous> rendezvous = {};

  /// The fastest protocol for a message of this length.
  [[nodiscard]] const Protocol& protocol_of(Bytes length) const;
  /// The bytes of the message on the cables.
  [[nodiscard]] Bytes wire_bytes_of(Bytes length) const;
  [[nodiscard]] bool has_handshake(Bytes length) const;
};

/// Calls visit(leg) for each leg of a path, in order.
template <typename Visit>
void for_each_leg(const TransferPath& path, const Visit& visit) {
  if (path.copy_down) visit(*path.copy_down);
  visit(path.main);
  if (path.copy_up) visit(*path.copy_up);
}

/// The transfer paths of a job: the vertices of its ranks, and the paths between them.
///
/// - Within a node, two GPUs communicate directly (NVLink, or PCIe up to the profile's p2p level),
///   otherwise through the memory of the sender's socket, which the bytes cross twice, or without
///   shared memory (profile: shm), and where NICs are faster (NearNics), over the network.
/// - Over the network, a GPU and its NIC communicate directly up to the profile's gdr level (if
///   LinkClass::gdr_past_root, through root complexes, too), otherwise through the memory of the
///   GPU's socket. NCCL also stages what old GPUs send (GpuDirect::stages_sends()).
/// - Processes of a node copy to each other (profile: host_copies): the receiver's core reads the
///   sender's buffer, or the sender's core writes shared memory first. A NIC accesses a
///   process's memory without its core.
/// - Peer limits of cables apply to traffic between devices through a root complex, kernel limits
///   to copies by kernels that stage; limits for both ways apply to all traffic.
class TransferPaths {
 public:
  /// `places`: the vertex of each rank: a gpu, a process, a cpu, or an nvswitch that adds. The
  /// topology must outlive this.
  TransferPaths(const Topology& topology, TransportProfile profile, std::vector<int> places);

  [[nodiscard]] int ranks() const { return static_cast<int>(places_.size()); }
  [[nodiscard]] const Topology& topology() const { return *topology_; }
  [[nodiscard]] const TransportProfile& profile() const { return profile_; }
  [[nodiscard]] const std::vector<int>& places() const { return places_; }
  /// The node of each rank, as NCCL sees them (ncclTopoTrimSystem() in src/graph/paths.cc): GPUs
  /// that only the network joins (GpuDirect::need_network()) are on different nodes. The numbers
  /// are those of the nodes' first ranks, or those of the cluster's nodes.
  [[nodiscard]] const std::vector<int>& nodes() const { return nodes_; }
  [[nodiscard]] int node_of(Rank rank) const {
    return nodes_[static_cast<std::size_t>(index_of(rank))];
  }
  [[nodiscard]] int node_count() const;
  /// Whether the ranks of a node of the cluster are on several nodes.
  [[nodiscard]] bool splits_nodes() const;
  /// Computed on demand and cached: the reference stays valid. Throws ScenarioError if the path
  /// needs host memory that a node does not have.
  [[nodiscard]] const TransferPath& between(Rank from, Rank to) const;
  /// The latency of a message without overheads: cables, handshake, filling of the staging buffer.
  [[nodiscard]] Seconds latency(const TransferPath& path, Bytes length) const;
  /// A local copy of a rank.
  [[nodiscard]] Leg copy_leg(Rank rank, CopyDirection direction) const;

 private:
  [[nodiscard]] TransferPath find(int from, int to) const;
  [[nodiscard]] TransferPath find_in_node(int from, int to) const;
  [[nodiscard]] TransferPath find_over_network(int from, int to) const;
  struct NetworkEnd;
  /// `past_root`: see gdr_past_root().
  [[nodiscard]] NetworkEnd end_at(int place, int nic, std::span<const LinkId> links,
                                  bool past_root) const;
  [[nodiscard]] NetworkEnd sender_at(int place, int nic, std::span<const LinkId> links,
                                     bool past_root) const;
  /// Adds the way to the NIC or from it, and returns the copy to or from host memory, if any.
  [[nodiscard]] std::optional<Leg> add_sender(const NetworkEnd& sender, LegBuilder& between) const;
  [[nodiscard]] std::optional<Leg> add_receiver(const NetworkEnd& receiver,
                                                LegBuilder& between) const;
  [[nodiscard]] Leg copy_between(int from, int to) const;
  [[nodiscard]] Leg copy_between_hosts(int from, int to) const;

  const Topology* topology_;
  TransportProfile profile_;
  std::vector<int> places_;
  GpuDirect gpudirect_;
  std::vector<int> nodes_;
  mutable FoundOnce<TransferPath> paths_;  // by from * ranks + to
};

}  // namespace ringcast
