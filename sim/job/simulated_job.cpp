#include "sim/job/simulated_job.hpp"

#include <algorithm>
#include <limits>
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

bool has_handshake(const TransferPath& path, Bytes length) {
  return path.rendezvous && path.wire_bytes_of(length) > path.rendezvous->above;
}

/// The fraction by which a message of `length` on the slowest path may take less time on the cables
/// if it is on the quickest path and shorter by the fraction `shorter`, rounding to bytes included.
/// None if it may have another protocol, or no handshake.
std::optional<double> shorter_message(const TransferPath& slowest, const TransferPath& quickest,
                                      Bytes length, double shorter) {
  const auto bytes = static_cast<double>(length.count());
  const Bytes less{static_cast<std::uint64_t>((1 - shorter) * bytes)};
  // If the choice is the same at these four corners, it is so between them: the length from which a
  // protocol is better is monotonic in the latency.
  const auto choice = [](const TransferPath& path, Bytes each) {
    return std::pair{&path.protocol_of(each) - path.protocols.data(), has_handshake(path, each)};
  };
  const auto chosen = choice(slowest, length);
  const bool is_alike = choice(slowest, less) == chosen && choice(quickest, length) == chosen &&
                        choice(quickest, less) == chosen;
  if (!is_alike) return std::nullopt;
  double part = shorter;
  if (shorter == 0) return part;
  if (slowest.protocol_of(length).efficiency < 1) part = std::max(part, shorter + 1 / bytes);
  if (slowest.lent_share > 0) part = std::max(part, shorter + 1 / (slowest.lent_share * bytes));
  return part;
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
    const RingRecurrence ring{*paths_, gpus_, channels.front(), reduction_, elements};
    if (!ring.is_exact()) return std::nullopt;
    begins_(2.0 * phase_steps(gpus_) * gpus_);
    keep(ring.time(), ring.traffic());
    return 0;
  }
  const bool speculative = most.error <= RecurrenceLimits::exact && !rings.is_exact();
  if (rings.most_messages() > (speculative ? most_speculative : most_computed)) return std::nullopt;
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
  if (!clocks.is_applicable() || clocks.most_messages() > most_computed) return std::nullopt;
  const bool exact = clocks.is_exact();
  const bool speculative = largest_error <= RecurrenceLimits::exact && !exact;
  if (speculative && (!clocks.has_equal_chunks() || clocks.most_messages() > most_speculative)) {
    return std::nullopt;
  }
  begins_(clocks.most_messages());
  std::optional<CallTimes> least;
  if (!exact) least = clocks.run(program, in_halves, RingClocks::Bound::least);
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
  report_.time = fluid_->time();
  report_.traffic = folding_->traffic(fluid_->traffic());
  report_.copied = fluid_->copied();
  report_.copying_ranks = gpus_;
}

FluidTransport SimulatedJob::at(const std::vector<BytesPerSecond>& rates, FluidJob job) const {
  return {*paths_, gpus_, at_rates(std::move(job), rates), reduction_, fluid_options_};
}

// If each message and reduction is shorter by at most some fraction, so is each time.
std::optional<SimulatedJob::TimeBounds> SimulatedJob::bounds(const RankProgram& program,
                                                             double shorter) const {
  expect(folding_.has_value(), "bounds of a job before fold()");
  const RateBounds rates = folding_->rate_bounds();
  FluidTransport quickest = at(rates.most, folding_->quickest_job());
  quickest.run(program);
  const std::optional<double> part = shorter_on_cables(quickest, shorter);
  if (!part) return std::nullopt;
  const Seconds least = std::max(quickest.time(), least_by_links(quickest));
  FluidTransport slowest = at(rates.least, folding_->job());
  slowest.run(program);
  return TimeBounds{(1 - *part) * least, slowest.time()};
}

/// The largest fraction by which messages of a run may be shorter on the cables; nothing if they
/// may differ in protocol or handshake.
std::optional<double> SimulatedJob::shorter_on_cables(const FluidTransport& run,
                                                      double shorter) const {
  double most = shorter;
  const auto& begun = run.begun();
  for (std::size_t i = 0; i < begun.size(); ++i) {
    if (!begun[i]) continue;
    const TransferPath& slowest = *folding_->job().streams[i].path;
    const TransferPath& quickest = folding_->quickest_path(i);
    for (const Bytes length : {begun[i]->shortest, begun[i]->longest}) {
      const std::optional<double> part = shorter_message(slowest, quickest, length, shorter);
      if (!part) return std::nullopt;
      most = std::max(most, *part);
    }
  }
  return most;
}

/// A lower bound: no link can carry its bytes in less time from its first byte on.
Seconds SimulatedJob::least_by_links(const FluidTransport& run) const {
  const FluidJob& job = folding_->job();
  constexpr Seconds never{std::numeric_limits<double>::infinity()};
  std::vector<Seconds> first(job.bandwidths.size(), never);
  std::vector<double> bytes(job.bandwidths.size());
  for (std::size_t stream = 0; stream < job.streams.size(); ++stream) {
    const auto& begun = run.begun()[stream];
    for (const Crossing& crossing : job.routes[stream].crossings) {
      if (!begun) continue;
      const auto link = static_cast<std::size_t>(crossing.link);
      first[link] = std::min(first[link], begun->first_byte);
      bytes[link] += crossing.times * static_cast<double>(run.traffic()[stream].on_cables);
    }
  }
  Seconds least{0};
  for (std::size_t link = 0; link < bytes.size(); ++link) {
    if (bytes[link] == 0) continue;
    least = std::max(least, first[link] + Seconds{bytes[link] / job.bandwidths[link].value()});
  }
  return least;
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
