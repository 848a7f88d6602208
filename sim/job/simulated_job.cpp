#include "sim/job/simulated_job.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/numbers/available_memory.hpp"
#include "engine/numbers/error.hpp"
#include "sim/recurrence/channel_recurrence.hpp"
#include "sim/recurrence/ring_recurrence.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

// The most messages that a recurrence computes, at a few nanoseconds each: if its result is used
// only where the bounds happen to agree, and otherwise.
constexpr double most_speculative = 1e8;  // 0.1 to 0.2 s
constexpr double most_computed = 5e10;    // minutes

/// Whether the result of a recurrence is used only if its bounds happen to agree.
bool is_speculative(const auto& recurrence, double largest_error) {
  return largest_error <= SimulatedJob::RecurrenceLimits::exact && !recurrence.is_exact();
}

bool is_too_long(const auto& recurrence, double largest_error) {
  return recurrence.most_messages() >
         (is_speculative(recurrence, largest_error) ? most_speculative : most_computed);
}

/// Gives each stream a delay of its own, also several streams between the same ranks (channels).
void delay_streams(FluidJob& job, std::uint64_t seed) {
  std::map<std::pair<int, int>, std::uint64_t> beside;
  for (FluidJob::Stream& stream : job.streams) {
    const std::uint64_t number = beside[{stream.from, stream.to}]++;
    stream.delay = random_delay(seed + (number << 56U), static_cast<std::uint64_t>(stream.from),
                                static_cast<std::uint64_t>(stream.to));
  }
}

}  // namespace

SimulatedJob::SimulatedJob(const Topology& topology, int ranks, const TransportProfile& profile,
                           Reduction reduction, SimOptions options, Fidelity fidelity)
    : gpus_{ranks}, reduction_{reduction}, options_{options} {
  if (fidelity == Fidelity::simgrid || options.with_data || options.traffic.record_messages) {
    simgrid_.emplace(topology, ranks, profile, reduction, std::move(options));
  } else {
    paths_.emplace(topology, profile, places_of_job(topology, ranks, profile, options.hosts));
  }
}

const TransferPaths& SimulatedJob::paths() const {
  return simgrid_ ? simgrid_->paths() : *paths_;
}

std::unique_ptr<Collective> SimulatedJob::with_call_costs(const Collective& collective,
                                                          CallPart part) {
  expect(simgrid_ || fluid_, "the costs of a call before fold()");
  return simgrid_ ? simgrid_->with_call_costs(collective, part)
                  : fluid_->with_call_costs(collective, part);
}

int SimulatedJob::fold(const RankProgram& program, Symmetry symmetry) {
  if (simgrid_) return classes();
  // A stream takes 1.0 kB of its path and its neighbours in the graph of the job (2,048 ranks, all
  // to all). Other jobs may run beside this one.
  constexpr std::size_t stream_bytes = 1000;
  const std::size_t most_streams = available_memory().count() / 2 / stream_bytes;
  DryRun dry =
      dry_run(paths_->ranks(), reduction_, program, most_streams, options_.traffic.recorded);
  // Delays make all ranks different.
  folding_.emplace(*paths_, gpus_, std::move(dry), options_.delay_seed ? Symmetry::none : symmetry);
  SimOptions options = options_;
  if (options.traffic.progress) {  // in messages of all ranks
    const double each = static_cast<double>(folding_->ranks()) / folding_->classes();
    options.traffic.progress = [tell = options_.traffic.progress, each](std::uint64_t delivered) {
      tell(static_cast<std::uint64_t>(each * static_cast<double>(delivered)));
    };
  }
  fluid_options_ = std::move(options);
  FluidJob job = folding_->job();
  if (options_.delay_seed) delay_streams(job, *options_.delay_seed);
  fluid_.emplace(*paths_, gpus_, std::move(job), reduction_, fluid_options_);
  return classes();
}

int SimulatedJob::classes() const {
  return simgrid_ ? simgrid_->size() : folding_->classes();
}

std::optional<double> SimulatedJob::find_by_recurrence(std::span<const RingOrder> channels,
                                                       std::uint64_t elements,
                                                       RecurrenceLimits most) {
  if (simgrid_ || options_.delay_seed) {
    return std::nullopt;
  }
  const ChannelRecurrence rings{*paths_, channels, reduction_, elements};
  if (!rings.is_applicable() || rings.period() > most.positions) return std::nullopt;
  if (channels.size() == 1 && !rings.has_equal_chunks() && most.error <= RecurrenceLimits::exact) {
    const RingRecurrence ring{*paths_, channels.front(), reduction_, elements};
    if (!ring.is_exact()) return std::nullopt;
    begins_(2.0 * phase_steps(gpus_) * gpus_);
    keep(ring.time(), ring.traffic());
    return 0;
  }
  if (is_too_long(rings, most.error)) return std::nullopt;
  begins_(rings.most_messages());
  const auto [least, longest] = rings.time();
  const double error = (longest - least) / longest;
  if (error > most.error) return std::nullopt;
  keep(longest, rings.traffic());
  return error > RecurrenceLimits::exact ? error : 0;
}

std::optional<double> SimulatedJob::run_by_recurrence(const RingCalls& calls,
                                                      const ClockedProgram& program, bool in_halves,
                                                      double largest_error) {
  if (simgrid_ || options_.delay_seed) return std::nullopt;
  RingClocks clocks{*paths_, calls};
  if (!clocks.is_applicable() || is_too_long(clocks, largest_error)) return std::nullopt;
  if (is_speculative(clocks, largest_error) && !clocks.has_equal_chunks()) return std::nullopt;
  begins_(clocks.most_messages());
  std::optional<CallTimes> least;
  if (!clocks.is_exact()) least = clocks.run(program, in_halves, RingClocks::Bound::least);
  const CallTimes most = clocks.run(program, in_halves, RingClocks::Bound::most);
  const double error = least ? RingClocks::error(*least, most) : 0;
  if (error > largest_error) return std::nullopt;
  by_recurrence_ = true;
  report_.time = most.last_end;
  report_.traffic = clocks.traffic();
  report_.copying_ranks = gpus_;
  clocks_ = std::move(clocks);
  return error > RecurrenceLimits::exact ? error : 0;
}

void SimulatedJob::keep(Seconds time, std::vector<PairTraffic> traffic) {
  by_recurrence_ = true;
  report_.time = paths_->profile().call_overhead + time;
  report_.traffic = std::move(traffic);
  report_.copying_ranks = gpus_;
}

void SimulatedJob::run(const RankProgram& program) {
  if (simgrid_) {
    simgrid_->run(program);
    return;
  }
  expect(fluid_.has_value(), "a job runs before fold()");
  fluid_->run(program);
  keep(fluid_->time(), *fluid_);
}

void SimulatedJob::keep(Seconds time, const FluidTransport& run) {
  report_.time = time;
  report_.traffic = folding_->traffic(run.traffic());
  report_.copied = run.copied();
  report_.copying_ranks = gpus_;
}

void SimulatedJob::close_report() {
  expect(simgrid_.has_value(), "checks of data without data");
  simgrid_->close_report();
}

Rank SimulatedJob::representative(Rank rank) const {
  if (clocks_) return clocks_->representative(rank);
  return folding_ ? folding_->representative(rank) : rank;
}

const SimReport& SimulatedJob::report() const {
  return simgrid_ ? simgrid_->report() : report_;
}

std::string SimulatedJob::found_by() const {
  if (simgrid_) {
    return "simulated";
  }
  if (by_recurrence_) {
    return "recurrence";
  }
  const int ranks = folding_->ranks();
  const int classes = folding_->classes();
  if (classes == ranks) return "fluid";
  return fmt::format("folded to {} of {}{}", classes, ranks,
                     folding_->has_longest_latencies() ? ", longest latencies" : "");
}

}  // namespace ringcast
