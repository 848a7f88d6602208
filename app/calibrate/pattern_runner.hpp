#pragma once

#include <optional>

#include "app/calibrate/pattern.hpp"
#include "engine/contracts/transport.hpp"

namespace ringcast {

/// Limits on the repetitions of patterns.
struct PatternEffort {
  Seconds budget{0.2};  // for all repetitions of one pattern
  int least_repetitions = 3;
  int most_repetitions = 100;
};

/// Measures patterns, as one rank of them. Every rank of the job has a runner and calls the same
/// functions in the same order. Needs memory that holds data.
class PatternRunner {
 public:
  /// `longest`: the largest size x messages of all patterns except the passed ones; `passed`: twice
  /// the largest size of those.
  PatternRunner(RankContext& self, Bytes longest, Bytes passed, PatternEffort effort);

  /// Returns the sample on rank 0, nothing elsewhere. Repeats as often as the effort allows, after
  /// one warm-up repetition.
  std::optional<PatternTimes> measure(const Pattern& pattern);
  /// Rank 0's value, on every rank.
  [[nodiscard]] double broadcast(double on_root);

 private:
  /// The values of all ranks, on rank 0; `mine` has the same length everywhere.
  [[nodiscard]] std::vector<std::vector<double>> gathered(const std::vector<double>& mine);
  void start_together();
  /// Runs the pattern once; returns the time of the flow whose timekeeper this rank is, else zero.
  [[nodiscard]] Seconds run_once(const Pattern& pattern);
  [[nodiscard]] Seconds ping_pong(const Pattern& pattern);
  [[nodiscard]] Seconds acknowledged(const Pattern& pattern);
  [[nodiscard]] Seconds stream(const Pattern& pattern);
  [[nodiscard]] Seconds passed(const Pattern& pattern);
  [[nodiscard]] Seconds lent(const Pattern& pattern);
  [[nodiscard]] Seconds combined_here(const Pattern& pattern);
  [[nodiscard]] Pending receive(Rank from, Slice into, PatternKind kind);
  [[nodiscard]] std::vector<Pending> sends(const Pattern& pattern);
  [[nodiscard]] std::vector<Pending> recvs(const Pattern& pattern);
  [[nodiscard]] Slice part(BufferId buffer, Bytes size, int message) const;
  [[nodiscard]] Slice control(Bytes length) const { return {control_, Bytes{0}, length}; }

  RankContext& self_;
  PatternEffort effort_;
  Rank me_;
  int ranks_;
  BufferId source_;
  BufferId landing_;
  BufferId control_;
};

}  // namespace ringcast
