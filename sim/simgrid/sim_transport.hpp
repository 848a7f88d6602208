#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/contracts/collective.hpp"
#include "engine/contracts/transport.hpp"
#include "sim/model/call_costs.hpp"
#include "sim/model/sim_options.hpp"
#include "sim/model/sim_report.hpp"
#include "sim/simgrid/rank_clocks.hpp"
#include "sim/simgrid/streams.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

struct SimShared;

/// Runs rank programs in simulated time on the first `ranks` GPUs of a topology, or on the sockets
/// next to them if the profile places buffers in host memory. The ranks after these are those of
/// SimOptions::hosts. One run per process (see Platform); the second throws ContractViolation.
class SimTransport final : public Transport {
 public:
  /// The topology must outlive the transport.
  SimTransport(const Topology& topology, int ranks, const TransportProfile& profile,
               Reduction reduction, SimOptions options);
  [[nodiscard]] std::string_view name() const override { return "simgrid"; }
  [[nodiscard]] int size() const override { return paths_.ranks(); }
  [[nodiscard]] const TransferPaths& paths() const { return paths_; }
  void run(const RankProgram& program) override;
  /// `collective` with the profile's cost of a call: its overhead, and the copies of its buffer.
  /// The transport and `collective` must outlive it; it runs on this transport only.
  [[nodiscard]] std::unique_ptr<Collective> with_call_costs(const Collective& collective,
                                                            CallPart part = CallPart::whole);
  /// A barrier of all ranks of the run, which ends the report: checks of data that follow are not
  /// in it.
  void close_report();
  /// The result of the run; empty before it.
  [[nodiscard]] const SimReport& report() const { return report_; }

 private:
  /// One rank's program, in its actor.
  void run_rank(Rank rank, const RankProgram& program, const SimShared& shared);
  /// Valid during run().
  [[nodiscard]] RankActions actions_of(Rank rank);

  int gpus_;  // the first of the ranks
  TransferPaths paths_;
  Reduction reduction_;
  SimOptions options_;
  RankClocks clocks_;
  // While the run lasts:
  const Platform* running_ = nullptr;
  const Streams* streams_ = nullptr;
  std::function<void()> close_report_;
  bool closed_ = false;
  SimReport report_;
};

}  // namespace ringcast
