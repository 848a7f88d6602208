#include <algorithm>
#include <limits>
#include <utility>

#include "engine/numbers/error.hpp"
#include "sim/job/simulated_job.hpp"

namespace ringcast {
namespace {

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
    return std::pair{&path.protocol_of(each) - path.protocols.data(), path.has_handshake(each)};
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

}  // namespace

FluidTransport SimulatedJob::at(const std::vector<BytesPerSecond>& rates, FluidJob job) const {
  return {*paths_, gpus_, at_rates(std::move(job), rates), reduction_, fluid_options_};
}

/// Whether no time decreases if a message takes longer (RateBounds).
bool SimulatedJob::are_rates_monotonic() const {
  if (!has_pipelined_trees()) return true;
  const TransportProfile& profile = paths_->profile();
  return profile.reduce_rate == BytesPerSecond{0} &&
         profile.host_reduce_rate == BytesPerSecond{0} && profile.reduce_overhead == Seconds{0} &&
         std::ranges::none_of(folding_->job().streams, [](const FluidJob::Stream& stream) {
           return stream.path->copy_down || stream.path->copy_up;
         });
}

// If each message and reduction is shorter by at most some fraction, so is each time.
std::optional<SimulatedJob::TimeBounds> SimulatedJob::bounds(const RankProgram& program,
                                                             double shorter) const {
  expect(folding_.has_value(), "bounds of a job before fold()");
  if (!are_rates_monotonic()) return std::nullopt;
  const RateBounds rates = folding_->rate_bounds();
  FluidTransport slowest = at(rates.least, folding_->job());
  slowest.run(program);
  const std::optional<double> part = shorter_on_cables(slowest, shorter);
  if (!part) return std::nullopt;
  return TimeBounds{(1 - *part) * least(program, rates, slowest), slowest.time()};
}

std::optional<SimulatedJob::TimeBounds> SimulatedJob::run_between_bounds(const RankProgram& program,
                                                                         double largest_error) {
  expect(folding_.has_value(), "bounds of a job before fold()");
  if (!are_rates_monotonic()) return std::nullopt;
  const RateBounds rates = folding_->rate_bounds();
  FluidTransport slowest = at(rates.least, folding_->job());
  slowest.run(program);
  if (!shorter_on_cables(slowest, 0)) return std::nullopt;
  const TimeBounds bounds{least(program, rates, slowest), slowest.time()};
  const Seconds middle = (bounds.least + bounds.most) / 2;
  if (bounds.most > (1 + largest_error) * middle) return std::nullopt;
  keep(middle, slowest);
  return bounds;
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

/// A lower bound of the job that `slowest` has run at the least rates.
Seconds SimulatedJob::least(const RankProgram& program, const RateBounds& rates,
                            const FluidTransport& slowest) const {
  FluidTransport quickest = at(rates.most, folding_->quickest_job());
  if (has_pipelined_trees()) {
    const auto begun = std::ranges::count_if(slowest.begun(), &std::optional<Begun>::has_value);
    quickest.run_first_messages(program, static_cast<std::size_t>(begun));
  } else {
    quickest.run(program);
  }
  return std::max(quickest.time(), least_by_links(slowest.traffic(), quickest.begun()));
}

/// A lower bound: no link can carry its bytes in less time from its first byte on. By stream: the
/// traffic of the job, and the earliest first byte.
Seconds SimulatedJob::least_by_links(std::span<const StreamTraffic> traffic,
                                     std::span<const std::optional<Begun>> earliest) const {
  const FluidJob& job = folding_->job();
  constexpr Seconds never{std::numeric_limits<double>::infinity()};
  std::vector<Seconds> first(job.bandwidths.size(), never);
  std::vector<double> bytes(job.bandwidths.size());
  for (std::size_t stream = 0; stream < job.streams.size(); ++stream) {
    const std::optional<Begun>& begun = earliest[stream];
    for (const Crossing& crossing : job.routes[stream].crossings) {
      if (!begun) continue;
      const auto link = static_cast<std::size_t>(crossing.link);
      first[link] = std::min(first[link], begun->first_byte);
      bytes[link] += crossing.times * static_cast<double>(traffic[stream].on_cables);
    }
  }
  Seconds least{0};
  for (std::size_t link = 0; link < bytes.size(); ++link) {
    if (bytes[link] == 0) continue;
    least = std::max(least, first[link] + Seconds{bytes[link] / job.bandwidths[link].value()});
  }
  return least;
}

}  // namespace ringcast
