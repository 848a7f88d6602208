#pragma once

#include <vector>

#include "engine/transport.hpp"
#include "sim/streams.hpp"
#include "topology/topology.hpp"
#include "topology/transport_profile.hpp"

namespace ringcast {

/// What a simulated run did.
struct SimReport {
  Seconds time{0};  // until the last rank ended
  std::vector<PairTraffic> traffic;
  std::vector<DeliveredMessage> messages;  // in order of delivery; only if recorded
};

/// Runs rank programs in simulated time on the first `ranks` GPUs of a topology. One run per
/// process (see Platform); the second throws ContractViolation.
class SimTransport final : public Transport {
 public:
  struct Options {
    bool with_data = false;  // carry and combine real bytes, so that sums can be checked
    TrafficOptions traffic;
  };

  /// The topology must outlive the transport.
  SimTransport(const Topology& topology, int ranks, TransportProfile profile, Reduction reduction,
               Options options);
  [[nodiscard]] std::string_view name() const override { return "simgrid"; }
  [[nodiscard]] int size() const override { return ranks_; }
  void run(const RankProgram& program) override;
  /// What the run did; empty before it.
  [[nodiscard]] const SimReport& report() const { return report_; }

 private:
  const Topology* topology_;
  int ranks_;
  TransportProfile profile_;
  Reduction reduction_;
  Options options_;
  SimReport report_;
};

}  // namespace ringcast
