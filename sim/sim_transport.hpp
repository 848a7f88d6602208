#pragma once

#include <vector>

#include "engine/transport.hpp"
#include "sim/streams.hpp"
#include "topology/transfer_path.hpp"

namespace ringcast {

/// What a simulated run did.
struct SimReport {
  Seconds time{0};  // until the last rank ended
  std::vector<PairTraffic> traffic;
  std::vector<DeliveredMessage> messages;  // in order of delivery; only if recorded
  /// What each of the GPUs, the first `copying_ranks`, copied beside its messages
  /// (BufferPlace::host_copies).
  int copying_ranks = 0;
  Bytes copied_to_host;
  Bytes copied_to_device;
};

struct SimShared;

/// Runs rank programs in simulated time on the first `ranks` GPUs of a topology, or on the sockets
/// next to them where the profile has the buffers there; then come ranks on sockets of their own.
/// One run per process (see Platform); the second throws ContractViolation.
class SimTransport final : public Transport {
 public:
  struct Options {
    bool with_data = false;  // carry and combine real bytes, so that sums can be checked
    TrafficOptions traffic;
    /// The vertices of ranks that are no GPUs: parameter servers.
    std::vector<int> hosts = {};
    /// How long each GPU's buffer is, for a profile that copies it to the host as a whole.
    Bytes buffer{0};
  };

  /// The topology must outlive the transport.
  SimTransport(const Topology& topology, int ranks, const TransportProfile& profile,
               Reduction reduction, Options options);
  [[nodiscard]] std::string_view name() const override { return "simgrid"; }
  [[nodiscard]] int size() const override { return paths_.ranks(); }
  [[nodiscard]] const TransferPaths& paths() const { return paths_; }
  void run(const RankProgram& program) override;
  /// What the run did; empty before it.
  [[nodiscard]] const SimReport& report() const { return report_; }

 private:
  /// One rank's whole story, in its actor.
  void run_rank(Rank rank, const RankProgram& program, const SimShared& shared) const;
  /// What so many copies of each GPU's buffer are, if the profile has the buffers copied.
  [[nodiscard]] Bytes copied(int copies) const;

  int gpus_;  // the first of the ranks
  TransferPaths paths_;
  Reduction reduction_;
  Options options_;
  SimReport report_;
};

}  // namespace ringcast
