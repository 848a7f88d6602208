#include "app/predict/cheapest_run.hpp"

#include <algorithm>

#include "app/predict/time_range.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "engine/collectives/transfers.hpp"
#include "sim/model/link_load.hpp"

namespace ringcast {
namespace {

/// With what follows from it.
struct JobOfCell : CellRun {
  double messages = expected_message_count(planned);

  [[nodiscard]] RankProgram of(std::uint64_t count) const {
    return [this, count](RankContext& self) { program(self, count); };
  }
  [[nodiscard]] int ranks() const { return job.paths().ranks(); }
  /// The part of the ranks that stand for all, and their messages.
  [[nodiscard]] double part() const { return static_cast<double>(job.classes()) / ranks(); }
  [[nodiscard]] double folded_messages() const { return part() * messages; }
  /// Messages that take about that long, unless fewer are allowed.
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

/// Rings of so many messages that simulating them takes seconds or minutes: bounds, if they leave
/// an error that hardly shows.
std::optional<double> run_bounded(const JobOfCell& run) {
  constexpr double seconds = 1e7;  // messages
  constexpr double minutes = 1e8;
  const bool one_ring =
      run.planned.cell.algorithm == "ring" && run.planned.options.channels.size() == 1;
  if (run.messages <= seconds || (run.messages <= minutes && run.is_even())) return std::nullopt;
  return run.by_recurrence(
      {one_ring ? run.ranks() / 2 : run.ranks(), run.messages > minutes ? 1e-3 : 1e-4});
}

/// Finds the classes of a job, or of one of so many messages those but for latency: where no
/// latency differs within a class, they are the same.
void fold(const JobOfCell& run, std::uint64_t count) {
  constexpr double few_classes_only = 1e9;  // messages
  const bool many = run.messages > few_classes_only;
  run.job.fold(run.of(count), many ? Symmetry::but_latency : Symmetry::exact);
}

/// Rings of which simulating one rank of each class would take a minute or more: bounds, if they
/// leave an error that a decision survives.
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

/// Bounds of the job that has run, if its messages may be shorter by a part or of shorter latency.
Found bounded(const JobOfCell& run, std::uint64_t count, double part) {
  const auto bounds = run.job.bounds(run.of(count), part);
  if (!bounds) return Found{std::nullopt, part};
  return Found{1 - bounds->least / run.job.report().time, part, bounds->most};
}

/// Runs a job of more messages than `most` with all latencies as the longest, if that leaves few
/// classes. Where nodes differ in how far they are from the border of their switch, that is what
/// makes them different. Else the job is folded exactly.
std::optional<Found> run_but_latency(const JobOfCell& run, std::uint64_t count, double part,
                                     double most) {
  constexpr int worthwhile = 4;
  int more = run.ranks();
  if (!run.job.has_longest_latencies()) {
    if (run.job.is_simgrid() || run.folded_messages() <= most) return std::nullopt;
    more = run.job.classes();
    run.job.fold(run.of(count), Symmetry::but_latency);
  }
  if (worthwhile * run.job.classes() <= more) {
    run_one_of_each(run, count);
    const Found found = bounded(run, count, part);
    if (found.error) return found;
  }
  run.job.fold(run.of(count));
  return std::nullopt;
}

/// Whether one element more makes chunks of this many travel in more messages, or with a handshake.
bool crosses_a_limit(const JobOfCell& run, std::uint64_t chunk) {
  const Bytes width = size_of(run.planned.cell.reduction.type);
  const auto messages = [&](std::uint64_t each) {
    return allreduce_message_count(run.planned.cell.algorithm, run.planned.options,
                                   each * run.chunks(), width);
  };
  if (messages(chunk) != messages(chunk + 1)) return true;
  // Ranks of the cell, as parts of switches are ranks of the job: no cables lead to another node's.
  const Rank farthest{run.planned.cell.ranks - 1};
  const TransferPath& path = run.job.paths().between(Rank{0}, farthest);
  if (!path.rendezvous) return false;
  // A message is of one chunk or of several.
  const std::uint64_t limit = path.rendezvous->above.count();
  const std::uint64_t most = limit / path.wire_bytes_of(chunk * width).count();
  return most * path.wire_bytes_of((chunk + 1) * width).count() > limit;
}

/// Runs a job whose chunks are all as long as the longest, if that is symmetric.
///
/// Chunks that differ by one element would make all ranks different. Each message takes at most
/// 1/base longer, of base elements in the shortest chunk, and so does the whole. But where messages
/// compete for bandwidth, one that ends later may make others end earlier: there are bounds.
std::optional<Found> run_rounded(const JobOfCell& run) {
  constexpr double largest_error = 0.01;
  const std::uint64_t chunk = run.elements / run.chunks();
  if (run.is_even() || static_cast<double>(chunk) * largest_error < 1) return std::nullopt;
  if (crosses_a_limit(run, chunk)) return std::nullopt;
  const std::uint64_t longest = (chunk + 1) * run.chunks();
  const double part = 1 / static_cast<double>(chunk);
  fold(run, longest);
  if (2 * run.job.classes() > run.ranks()) return std::nullopt;
  if (const auto error = run_slow(run)) return Found{*error};
  constexpr double seconds = 4e6;  // messages
  if (const auto found = run_but_latency(run, longest, part, seconds)) return found;
  run_one_of_each(run, longest);
  const SimReport& report = run.job.report();
  const bool competes = streams_share_links(report, run.job.paths()) || !report.copied.empty();
  return competes ? bounded(run, longest, part) : Found{part, part};
}

/// Simulates the messages of one rank for all that are alike, or finds bounds where that is slow.
Found run_folded(const JobOfCell& run) {
  if (!run.job.is_simgrid()) {
    // A dry run goes through the messages of a few steps; with chunks that differ, of all.
    constexpr double most_recorded = 1e8;  // seconds
    expect_simulable(run.planned, run.is_even() ? std::min(1.0, 4.0 / run.ranks()) : 1,
                     most_recorded);
  }
  fold(run, run.elements);
  if (!run.job.is_simgrid()) {
    if (const auto error = run_slow(run)) return {*error};
  }
  if (const auto found = run_but_latency(run, run.elements, 0, run.minute())) return *found;
  run_one_of_each(run, run.elements);
  return {};
}

}  // namespace

Found run_cheapest(const CellRun& cell) {
  const JobOfCell run{cell};
  constexpr double quick_ring = 3e9;     // messages: seconds
  constexpr double patient_ring = 5e10;  // a minute
  constexpr double quick = 3e5;          // of other algorithms: a second or two
  const bool is_quick = run.messages <= quick_ring;
  if (is_quick && run.by_recurrence({run.ranks()})) return {};
  if (!run.job.is_simgrid() && run.messages > quick) {
    if (const auto error = run_bounded(run)) return {*error};
    if (const auto found = run_rounded(run)) return *found;
  }
  if (!is_quick && run.messages <= patient_ring && run.by_recurrence({run.ranks()})) return {};
  return run_folded(run);
}

}  // namespace ringcast
