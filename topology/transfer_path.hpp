#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "topology/leg.hpp"
#include "topology/transport_profile.hpp"

namespace ringcast {

/// What a message crosses from one memory to another under a transport profile.
struct TransferPath {
  PathKind kind = PathKind::p2p;
  /// The farthest apart of the devices that talk to each other directly, or would without staging:
  /// the two GPUs, or a GPU and its network card.
  PathLevel level = PathLevel::nvl;
  bool staged_by_sender = false;
  bool staged_by_receiver = false;
  /// One leg, or with staging that is not pipelined up to three, one after the other: the sender's
  /// copy down, the way between the hosts, the receiver's copy up.
  std::optional<Leg> copy_down;
  Leg main;
  std::optional<Leg> copy_up;
  /// A way to send: what each message costs that the next of its stream waits for, and the part of
  /// the bytes on the cables that is the message's.
  struct Protocol {
    Seconds overhead{0};
    double efficiency = 1;
  };
  Protocol protocol = {};
  std::optional<Protocol> short_messages = {};
  /// How many bytes on the cables one byte stands for that is lent, or answers; zero: as all else.
  double lent_share = 0;
  /// On the cables, with nothing beside it.
  Seconds time_per_byte{0};
  /// Pipelined staging: a message arrives this much later for each byte of the staging buffer that
  /// it fills.
  double fill_seconds_per_byte = 0;

  /// The faster way for a message of this length.
  [[nodiscard]] const Protocol& protocol_of(Bytes length) const;
  /// What it puts on the cables.
  [[nodiscard]] Bytes wire_bytes_of(Bytes length) const;
};

/// The transfer paths of a job: which rank is where, how they reach each other.
///
/// - Within a node, two GPUs talk directly (NVLink, or PCIe up to the profile's p2p level), else
///   through the memory of the sender's socket, which the bytes cross twice.
/// - Between nodes, a GPU and its card talk directly up to the profile's gdr level, else through
///   the memory of the GPU's socket.
/// - Processes of a node copy to each other (profile: host_copies): the receiver's core reads what
///   the sender has, or the sender's writes shared memory first. A network card reads and writes a
///   process's memory without its core.
/// - What devices send each other past a root complex obeys the cables' peer limits, as do staged
///   copies made by kernels; all traffic obeys those for both ways.
class TransferPaths {
 public:
  /// `places`: the vertex of each rank, a gpu, a process or a cpu. The topology must outlive this.
  TransferPaths(const Topology& topology, TransportProfile profile, std::vector<int> places);

  [[nodiscard]] int ranks() const { return static_cast<int>(places_.size()); }
  [[nodiscard]] const Topology& topology() const { return *topology_; }
  [[nodiscard]] const TransportProfile& profile() const { return profile_; }
  [[nodiscard]] const std::vector<int>& places() const { return places_; }
  /// Found on demand and kept: the reference stays valid. Throws ScenarioError where a node has no
  /// host memory that the path would need.
  [[nodiscard]] const TransferPath& between(Rank from, Rank to) const;
  /// The whole of a message's latency beside what is overhead: cables, handshake, filling of the
  /// staging buffer.
  [[nodiscard]] Seconds latency(Rank from, Rank to, Bytes length) const;
  [[nodiscard]] Seconds latency(const TransferPath& path, Bytes length) const;
  /// A copy that a rank makes by itself.
  [[nodiscard]] Leg copy_leg(Rank rank, CopyDirection direction) const;

 private:
  [[nodiscard]] TransferPath find(int from, int to) const;
  [[nodiscard]] TransferPath find_in_node(int from, int to) const;
  [[nodiscard]] TransferPath find_between_nodes(int from, int to) const;
  [[nodiscard]] Leg copy_between(int from, int to) const;
  [[nodiscard]] Leg copy_between_hosts(int from, int to) const;

  const Topology* topology_;
  TransportProfile profile_;
  std::vector<int> places_;
  mutable std::unordered_map<std::uint64_t, TransferPath> paths_;  // by from * ranks + to
};

/// How far apart two devices of one node are. Throws ContractViolation for two nodes.
[[nodiscard]] PathLevel level_between(const Topology& topology, int a, int b);

}  // namespace ringcast
