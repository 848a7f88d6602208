#include "app/predict/cheapest_run.hpp"

#include <algorithm>

#include "app/predict/time_range.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/collectives/transfers.hpp"
#include "sim/model/link_load.hpp"

namespace ringcast {
namespace {

/// A CellRun with derived values.
struct JobOfCell : CellRun {
  double messages = expected_message_count(planned);

  [[nodiscard]] RankProgram of(std::uint64_t count) const {
    return [this, count](RankContext& self) { program(self, count); };
  }
  [[nodiscard]] int ranks() const { return job.paths().ranks(); }
  /// The fraction of ranks that are simulated, and the number of their messages.
  [[nodiscard]] double part() const { return static_cast<double>(job.classes()) / ranks(); }
  [[nodiscard]] double folded_messages() const { return part() * messages; }
  /// The number of messages that take about a minute, or fewer if fewer are allowed.
  [[nodiscard]] double minute() const { return std::min(4e7, most_messages); }
  [[nodiscard]] std::optional<double> by_recurrence(SimulatedJob::RecurrenceLimits most) const {
    if (is_transfer(planned.cell.algorithm)) return std::nullopt;
    const std::vector<RingOrder> rings = concurrent_rings(planned.cell.algorithm, planned.options);
    if (!is_plain_rings(planned, rings.size())) return std::nullopt;
    return job.find_by_recurrence(rings, elements, most);
  }
  [[nodiscard]] std::uint64_t chunks() const {
    const std::string& algorithm = planned.cell.algorithm;
    return is_transfer(algorithm) ? 1 : allreduce_chunk_count(algorithm, planned.options);
  }
  [[nodiscard]] bool is_even() const { return elements % chunks() == 0; }
};

/// For rings whose simulation would take seconds or minutes: bounds, if these leave a very small
/// error.
std::optional<double> run_bounded(const JobOfCell& run) {
  constexpr double seconds = 1e7;  // messages
  constexpr double minutes = 1e8;
  const bool one_ring =
      run.planned.cell.algorithm == "ring" && run.planned.options.channels.size() == 1;
  if (run.messages <= seconds || (run.messages <= minutes && run.is_even())) return std::nullopt;
  return run.by_recurrence(
      {one_ring ? run.ranks() / 2 : run.ranks(), run.messages > minutes ? 1e-3 : 1e-4});
}

/// Finds the classes of a job; for very many messages, classes that may differ in latency, which
/// are the same if no latency differs within a class.
void fold(const JobOfCell& run, std::uint64_t count) {
  constexpr double few_classes_only = 1e9;  // messages
  const bool many = run.messages > few_classes_only;
  run.job.fold(run.of(count), many ? Symmetry::but_latency : Symmetry::exact);
}

/// For rings whose folded simulation would take a minute or more: bounds, if these leave an error
/// that does not affect decisions.
std::optional<double> run_slow(const JobOfCell& run) {
  constexpr double largest_error = 0.1;
  if (!run.job.has_longest_latencies() && run.folded_messages() <= run.minute()) {
    return std::nullopt;
  }
  return run.by_recurrence({run.ranks(), largest_error});
}

/// Runs one rank of each class.
void run_one_of_each(const JobOfCell& run, std::uint64_t count) {
  expect_simulable(run.planned, run.part(), run.most_messages);
  if (!run.job.is_simgrid()) {
    run.report({0, run.folded_messages() * work_per_message_of(Fidelity::cheapest)});
  }
  run.job.run(run.of(count));
}

/// Bounds of the job that has run, if its messages may be shorter by the fraction `part` or have a
/// shorter latency.
Found bounded(const JobOfCell& run, std::uint64_t count, double part) {
  const auto bounds = run.job.bounds(run.of(count), part);
  if (!bounds) return Found{std::nullopt, part};
  return Found{1 - bounds->least / run.job.report().time, part, bounds->most};
}

/// Runs a job of more than `most` messages with the longest latency of each class, if that leaves
/// few classes: latencies often make nodes different only by their place below a switch. Otherwise
/// the job is folded exactly, and nothing is returned.
std::optional<Found> run_but_latency(const JobOfCell& run, std::uint64_t count, double part,
                                     double most) {
  constexpr int least_gain = 4;
  int more = run.ranks();
  if (!run.job.has_longest_latencies()) {
    if (run.job.is_simgrid() || run.folded_messages() <= most) return std::nullopt;
    more = run.job.classes();
    run.job.fold(run.of(count), Symmetry::but_latency);
  }
  if (least_gain * run.job.classes() <= more) {
    run_one_of_each(run, count);
    const Found found = bounded(run, count, part);
    if (found.error) return found;
  }
  run.job.fold(run.of(count));
  return std::nullopt;
}

/// For pipelined trees whose folded simulation would take long: bounds, if these leave an error
/// that does not affect decisions.
std::optional<Found> run_trees_between_bounds(const JobOfCell& run) {
  constexpr double most_simulated = 5e6;  // messages: some fifteen seconds
  constexpr double largest_error = 0.1;
  constexpr double part = 0.2;  // of the messages, until rounds repeat
  if (!run.job.has_pipelined_trees() || run.folded_messages() <= most_simulated) {
    return std::nullopt;
  }
  run.report({0, part * run.folded_messages() * work_per_message_of(Fidelity::cheapest)});
  const auto bounds = run.job.run_between_bounds(run.of(run.elements), largest_error);
  if (!bounds) return std::nullopt;
  return Found{1 - bounds->least / run.job.report().time, 0, bounds->most};
}

/// The elements of the shortest message if each of a chunk's segments is one.
std::uint64_t shortest_message(const JobOfCell& run, std::uint64_t chunk) {
  const Bytes width = size_of(run.planned.cell.reduction.type);
  const std::uint64_t most = segment_elements(run.planned.options, width);
  return most == 0 ? chunk : chunk / ((chunk + most - 1) / most);
}

/// Whether messages of these two lengths, or of equally many chunks, differ in protocol or
/// handshake.
bool differs(const TransferPath& path, Bytes shorter, Bytes longer) {
  if (&path.protocol_of(shorter) != &path.protocol_of(longer)) return true;
  if (!path.rendezvous) return false;
  const std::uint64_t limit = path.rendezvous->above.count();
  const std::uint64_t most = limit / path.wire_bytes_of(shorter).count();
  return most * path.wire_bytes_of(longer).count() > limit;
}

/// Whether chunks of `chunk` + 1 elements need more messages than those of `chunk`, another
/// protocol, or a handshake. `shortest`: shortest_message().
bool crosses_a_limit(const JobOfCell& run, std::uint64_t chunk, std::uint64_t shortest) {
  const Bytes width = size_of(run.planned.cell.reduction.type);
  const auto messages = [&](std::uint64_t each) {
    return allreduce_message_count(run.planned.cell.algorithm, run.planned.options,
                                   each * run.chunks(), width);
  };
  if (messages(chunk) != messages(chunk + 1)) return true;
  // Ranks of the cell: the last ranks of the job may be parts of switches, without cables to other
  // nodes.
  const auto differs_to = [&](int rank) {
    return differs(run.job.paths().between(Rank{0}, Rank{rank}), shortest * width,
                   (shortest + 1) * width);
  };
  return differs_to(1) || differs_to(run.planned.cell.ranks - 1);
}

/// Runs a job with all chunks as long as the longest, if that makes ranks equal.
///
/// Chunks that differ by one element make all ranks different, and so do the segments that they are
/// cut into. With b elements in the shortest message, each takes at most 1/b longer, and so does
/// the job. But if messages compete for bandwidth, one that ends later may let others end earlier;
/// then bounds are computed.
std::optional<Found> run_rounded(const JobOfCell& run) {
  constexpr double largest_error = 0.01;
  const std::uint64_t chunk = run.elements / run.chunks();
  if (run.is_even() || chunk == 0) return std::nullopt;
  const std::uint64_t shortest = shortest_message(run, chunk);
  if (static_cast<double>(shortest) * largest_error < 1) return std::nullopt;
  if (crosses_a_limit(run, chunk, shortest)) return std::nullopt;
  const std::uint64_t longest = (chunk + 1) * run.chunks();
  const double part = 1 / static_cast<double>(shortest);
  fold(run, longest);
  if (2 * run.job.classes() > run.ranks()) return std::nullopt;
  if (const auto error = run_slow(run)) return Found{*error};
  constexpr double seconds = 4e6;  // messages
  if (const auto found = run_but_latency(run, longest, part, seconds)) return found;
  run_one_of_each(run, longest);
  const SimReport& report = run.job.report();
  const bool competes = streams_share_links(report, run.job.paths()) || !report.copied.empty();
  if (!competes) return Found{part, part};
  return run.with_bounds ? bounded(run, longest, part) : Found{std::nullopt, part};
}

/// Simulates one rank of each class, or finds bounds if that is slow.
Found run_folded(const JobOfCell& run) {
  if (!run.job.is_simgrid()) {
    // A dry run records the messages of a few steps; if chunks differ, of all steps.
    constexpr double most_recorded = 1e8;  // seconds
    expect_simulable(run.planned, run.is_even() ? std::min(1.0, 4.0 / run.ranks()) : 1,
                     most_recorded);
  }
  fold(run, run.elements);
  if (!run.job.is_simgrid()) {
    if (const auto error = run_slow(run)) return {*error};
    if (const auto found = run_trees_between_bounds(run)) return *found;
  }
  if (const auto found = run_but_latency(run, run.elements, 0, run.minute())) return *found;
  run_one_of_each(run, run.elements);
  return {};
}

}  // namespace

Found run_cheapest(const CellRun& cell) {
  const JobOfCell run{cell};
  constexpr double ring_seconds = 3e9;  // messages by recurrence: some seconds
  constexpr double ring_minute = 5e10;  // a minute
  constexpr double seconds = 3e5;       // messages by simulation: a second or two
  const bool is_quick = run.messages <= ring_seconds;
  if (is_quick && run.by_recurrence({run.ranks()})) return {};
  if (!run.job.is_simgrid() && run.messages > seconds) {
    if (const auto error = run_bounded(run)) return {*error};
    if (const auto found = run_rounded(run)) return *found;
  }
  if (!is_quick && run.messages <= ring_minute && run.by_recurrence({run.ranks()})) return {};
  return run_folded(run);
}

}  // namespace ringcast
