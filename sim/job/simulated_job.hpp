#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/schedule/ring_order.hpp"
#include "sim/fluid/fluid_transport.hpp"
#include "sim/folding/folding.hpp"
#include "sim/recurrence/ring_clocks.hpp"
#include "sim/simgrid/sim_transport.hpp"

namespace ringcast {

/// How a time is found: by the cheapest exact method, or by SimGrid on all ranks.
enum class Fidelity { cheapest, simgrid };

/// A job in simulated time, by either method.
class SimulatedJob {
 public:
  /// The arguments of a SimTransport. Data and records of messages need SimGrid.
  SimulatedJob(const Topology& topology, int ranks, const TransportProfile& profile,
               Reduction reduction, SimOptions options, Fidelity fidelity);

  [[nodiscard]] const TransferPaths& paths() const;
  /// SimTransport::with_call_costs.
  [[nodiscard]] std::unique_ptr<Collective> with_call_costs(const Collective& collective,
                                                            CallPart part = CallPart::whole);
  /// Finds the classes of ranks (Folding) and returns their number. `program` performs the
  /// operations of run()'s, but must not depend on times. Required before run(), unless SimGrid
  /// runs all ranks.
  int fold(const RankProgram& program, Symmetry symmetry = Symmetry::exact);
  [[nodiscard]] int classes() const;
  /// Whether streams of a class differ in latency; run() takes the longest.
  [[nodiscard]] bool has_longest_latencies() const {
    return folding_ && folding_->has_longest_latencies();
  }
  /// Called before a recurrence is computed, with an upper limit of the number of its messages.
  void on_recurrence(std::function<void(double messages)> begins) { begins_ = std::move(begins); }
  /// A recurrence that computes more positions of the ring, or has a larger error, is not used.
  struct RecurrenceLimits {
    static constexpr double exact = 1e-9;  // more digits than a table shows
    int positions;
    double error = exact;  // relative
  };
  /// Finds the time of an all-reduce by concurrent rings of whole chunks, the only call of each
  /// rank, by ChannelRecurrence or RingRecurrence instead of fold() and run(). Returns the relative
  /// error by which the time may be too long, or nothing beyond the limits.
  std::optional<double> find_by_recurrence(std::span<const RingOrder> channels,
                                           std::uint64_t elements, RecurrenceLimits most);
  /// The same for a program that makes several calls, each a ring all-reduce or a half of one, and
  /// computes between them; the error is also that of the time in calls. The program runs on
  /// representative ranks: once if the recurrence is exact, else for its lower and its upper bound.
  std::optional<double> run_by_recurrence(const RingCalls& calls, const ClockedProgram& program,
                                          bool in_halves, double largest_error);
  [[nodiscard]] bool is_simgrid() const { return simgrid_.has_value(); }
  /// Runs the program on all ranks, or on one of each class.
  void run(const RankProgram& program);
  /// Bounds of the time of every job that the folded job approximates: one whose messages and
  /// reductions are shorter by at most the fraction `shorter`, and whose latencies are those of its
  /// own streams. They hold however flows share links (RateBounds). Nothing if a shorter message
  /// may have another protocol, or no handshake, or if a rank of pipelined trees takes time for
  /// what it does between messages: it handles them as they complete, so one that ends later may
  /// let another one be handled earlier. The program must make no calls with costs.
  struct TimeBounds {
    Seconds least;
    Seconds most;
  };
  std::optional<TimeBounds> bounds(const RankProgram& program, double shorter) const;
  /// Whether ranks run pipelined trees.
  [[nodiscard]] bool has_pipelined_trees() const { return folding_ && folding_->is_outlined(); }
  /// Finds such bounds of the folded job instead of run(), if the time in their middle has an error
  /// of at most this fraction; it is then that of report(). Where flows have rates of their own,
  /// the rounds of a pipeline soon repeat and are skipped, whereas max-min fair shares shift
  /// messages against each other for hundreds of rounds. So do the greatest rates, where ranks get
  /// far ahead of each other: pipelined trees are simulated with those until each stream has begun.
  std::optional<TimeBounds> run_between_bounds(const RankProgram& program, double largest_error);
  void close_report();
  /// The rank that is simulated for the class of `rank`.
  [[nodiscard]] Rank representative(Rank rank) const;

  /// The result of the run; the traffic is that of all ranks.
  [[nodiscard]] const SimReport& report() const;
  [[nodiscard]] bool is_by_recurrence() const { return by_recurrence_; }
  /// `simulated`, `recurrence`, `fluid` or `folded to 8 of 65536`
  [[nodiscard]] std::string found_by() const;

 private:
  void keep(Seconds time, std::vector<PairTraffic> traffic);
  void keep(Seconds time, const FluidTransport& run);
  [[nodiscard]] bool are_rates_monotonic() const;
  [[nodiscard]] FluidTransport at(const std::vector<BytesPerSecond>& rates, FluidJob job) const;
  [[nodiscard]] std::optional<double> shorter_on_cables(const FluidTransport& run,
                                                        double shorter) const;
  using Begun = FluidSimulation::Begun;
  [[nodiscard]] Seconds least(const RankProgram& program, const RateBounds& rates,
                              const FluidTransport& slowest) const;
  [[nodiscard]] Seconds least_by_links(std::span<const StreamTraffic> traffic,
                                       std::span<const std::optional<Begun>> earliest) const;

  int gpus_;
  Reduction reduction_;
  SimOptions options_;
  std::optional<SimTransport> simgrid_;
  // or:
  std::optional<TransferPaths> paths_;
  std::optional<Folding> folding_;
  std::optional<FluidTransport> fluid_;
  SimOptions fluid_options_;
  bool by_recurrence_ = false;
  std::function<void(double messages)> begins_ = [](double) {};
  std::optional<RingClocks> clocks_;  // of several calls by recurrence
  SimReport report_;
};

}  // namespace ringcast
