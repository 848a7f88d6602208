#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/schedule/ring_order.hpp"
#include "sim/fluid_transport.hpp"
#include "sim/folding.hpp"
#include "sim/sim_transport.hpp"

namespace ringcast {

/// How a time is found: the cheapest way that is exact, or SimGrid on all ranks.
enum class Fidelity { cheapest, simgrid };

/// A job in simulated time, found in either way.
class SimulatedJob {
 public:
  /// The arguments of a SimTransport. Data, records of messages and delays need SimGrid.
  SimulatedJob(const Topology& topology, int ranks, const TransportProfile& profile,
               Reduction reduction, SimTransport::Options options, Fidelity fidelity);

  [[nodiscard]] const TransferPaths& paths() const;
  /// SimTransport::with_call_costs.
  [[nodiscard]] std::unique_ptr<Collective> with_call_costs(
      const Collective& collective, SimTransport::CallPart part = SimTransport::CallPart::whole);
  /// Finds the classes of ranks that are alike; `program` does what run()'s does, but may not know
  /// about times. Returns their number. Before run(), unless SimGrid runs all ranks.
  int fold(const RankProgram& program);
  /// Finds the time of a ring's all-reduce, the only call of each rank, by RingRecurrence instead
  /// of fold() and run(). Returns false where that is not exact, or where more than `most`
  /// positions of the ring differ.
  bool find_by_recurrence(const RingOrder& order, std::uint64_t elements, int most);
  [[nodiscard]] bool is_simgrid() const { return simgrid_.has_value(); }
  /// Runs it on all ranks, or on one of each class.
  void run(const RankProgram& program);
  void close_report();
  /// The rank that stands for another.
  [[nodiscard]] Rank representative(Rank rank) const;

  /// The result of the run; the traffic is that of all ranks.
  [[nodiscard]] const SimReport& report() const;
  /// `simulated`, `recurrence`, `fluid` or `folded to 8 of 65536`
  [[nodiscard]] std::string found_by() const;

 private:
  int gpus_;
  Reduction reduction_;
  SimTransport::Options options_;
  std::optional<SimTransport> simgrid_;
  // or:
  std::optional<TransferPaths> paths_;
  std::optional<Folding> folding_;
  std::optional<FluidTransport> fluid_;
  bool by_recurrence_ = false;
  SimReport report_;
};

}  // namespace ringcast
