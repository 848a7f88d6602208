#pragma once

#include "topology/nccl/nccl_tuner.hpp"

namespace ringcast::detail {

/// NCCL's estimate of one protocol on one machine, as described at nccl_choices().
class NcclEstimate {
 public:
  NcclEstimate(const NcclMachine& machine, const TransportProfile& profile, Protocol protocol,
               Bytes size);

  /// Whether the machine and its release have the algorithm and the protocol.
  [[nodiscard]] bool is_possible() const;

  /// The basis of costs, with the constants of the newest release: the protocol with its latencies,
  /// the bus bandwidth in bytes per second, and the latency of the call and of all hops.
  [[nodiscard]] const Protocol& protocol() const { return protocol_; }
  [[nodiscard]] double bus() const { return bus_; }
  [[nodiscard]] Seconds latency() const;
  /// The estimate that the machine's release compares.
  [[nodiscard]] Seconds time() const;

 private:
  [[nodiscard]] NcclVersion first_version() const;
  void take_latency_of_tree(Protocol& ring) const;
  void take_older_latencies();
  void take_older_switch_latency();
  void take_reported_latency();
  void take_latencies_of_rccl();
  [[nodiscard]] bool is_older_than(NcclVersion first) const { return machine_->version < first; }
  [[nodiscard]] int expected_crossings() const;
  [[nodiscard]] Seconds latency_of(const Protocol& protocol, int crossings) const;
  [[nodiscard]] double plateau() const;
  [[nodiscard]] double expected_plateau() const;
  [[nodiscard]] Seconds least_hop() const;
  [[nodiscard]] double correction() const;
  [[nodiscard]] double expected_bus() const;

  const NcclMachine* machine_;
  const TransportProfile* profile_;
  Protocol protocol_;
  Protocol expected_;  // the same as the machine's release expects it
  Bytes size_;
  double bus_;
};

/// Whether RCCL's own tables choose, between nodes of MI300X and later.
[[nodiscard]] bool is_rccl_between_nodes(const NcclMachine& machine);

/// Algorithm bandwidth to bus bandwidth.
[[nodiscard]] double algorithm_share(const NcclMachine& machine, std::string_view algorithm);

}  // namespace ringcast::detail
