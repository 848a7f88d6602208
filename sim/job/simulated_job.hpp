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

/// How a time is found: the cheapest way that is exact, or SimGrid on all ranks.
enum class Fidelity { cheapest, simgrid };

/// A job in simulated time, found in either way.
class SimulatedJob {
 public:
  /// The arguments of a SimTransport. Data and records of messages need SimGrid.
  SimulatedJob(const Topology& topology, int ranks, const TransportProfile& profile,
               Reduction reduction, SimOptions options, Fidelity fidelity);

  [[nodiscard]] const TransferPaths& paths() const;
  /// SimTransport::with_call_costs.
  [[nodiscard]] std::unique_ptr<Collective> with_call_costs(const Collective& collective,
                                                            CallPart part = CallPart::whole);
  /// Finds the classes of ranks that are alike; `program` does what run()'s does, but may not know
  /// about times. Returns their number. Before run(), unless SimGrid runs all ranks.
  int fold(const RankProgram& program, Symmetry symmetry = Symmetry::exact);
  [[nodiscard]] int classes() const;
  /// Whether classes differ in latency: then run() takes the longest.
  [[nodiscard]] bool has_longest_latencies() const {
    return folding_ && folding_->has_longest_latencies();
  }
  /// Called before a recurrence is computed, with the number of its messages at most.
  void on_recurrence(std::function<void(double messages)> begins) { begins_ = std::move(begins); }
  /// What a recurrence may do: for more positions of the ring, or with a larger error, it is not
  /// used.
  struct RecurrenceLimits {
    static constexpr double exact = 1e-9;  // to more digits than a table shows
    int positions;
    double error = exact;
  };
  /// Finds the time of an all-reduce by concurrent rings of whole chunks, the only call of each
  /// rank, by ChannelRecurrence or RingRecurrence instead of fold() and run(). Returns the part of
  /// the time by which it may be too long, or nothing beyond the limits.
  std::optional<double> find_by_recurrence(std::span<const RingOrder> channels,
                                           std::uint64_t elements, RecurrenceLimits most);
  /// The same for a program that makes several calls, each a ring or half of one, and computes
  /// between them; the part is also that of the time in calls. The program runs on the ranks that
  /// represent all: once, or for the shorter and then for the longer times.
  std::optional<double> run_by_recurrence(const RingCalls& calls, const MeetingProgram& program,
                                          bool in_halves, double largest_error);
  [[nodiscard]] bool is_simgrid() const { return simgrid_.has_value(); }
  /// Runs it on all ranks, or on one of each class.
  void run(const RankProgram& program);
  /// Bounds of the time of a folded job whose messages and reductions stand for others that are
  /// shorter, by the part `shorter` at most, or of shorter latency: no such job takes less or more,
  /// whatever shares a link (RateBounds). Nothing if a shorter message has another protocol or
  /// handshake. Of a program that makes no calls with costs.
  struct TimeBounds {
    Seconds least;
    Seconds most;
  };
  std::optional<TimeBounds> bounds(const RankProgram& program, double shorter) const;
  void close_report();
  /// The rank that stands for another.
  [[nodiscard]] Rank representative(Rank rank) const;

  /// The result of the run; the traffic is that of all ranks.
  [[nodiscard]] const SimReport& report() const;
  [[nodiscard]] bool is_by_recurrence() const { return by_recurrence_; }
  /// `simulated`, `recurrence`, `fluid` or `folded to 8 of 65536`
  [[nodiscard]] std::string found_by() const;

 private:
  void keep(Seconds time, std::vector<PairTraffic> traffic);
  [[nodiscard]] FluidTransport at(const std::vector<BytesPerSecond>& rates, FluidJob job) const;
  [[nodiscard]] std::optional<double> shorter_on_cables(const FluidTransport& run,
                                                        double shorter) const;
  [[nodiscard]] Seconds least_by_links(const FluidTransport& run) const;

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
