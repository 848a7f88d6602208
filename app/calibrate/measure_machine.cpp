#include <algorithm>
#include <random>
#include <span>

#include "app/calibrate/calibration.hpp"
#include "app/common/mapped.hpp"
#include "app/common/median.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr int pair_streams = 2;     // messages of a large stream
constexpr int passes = 4;           // each half of a buffer is written twice
constexpr int small_messages = 64;  // of a stream that measures the overhead per message
constexpr Bytes small_message{64};
constexpr int all_pairs_up_to = 8;  // ranks per node: 28 pairs
constexpr std::size_t random_rings_per_node = 3;
constexpr std::size_t most_random_rings = 96;

/// The ranks of each node.
std::vector<std::vector<Rank>> ranks_by_node(const std::vector<int>& node_of) {
  std::vector<std::vector<Rank>> nodes;
  for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
    const auto node = static_cast<std::size_t>(node_of[rank]);
    nodes.resize(std::max(nodes.size(), node + 1));
    nodes[node].push_back(Rank{static_cast<int>(rank)});
  }
  return nodes;
}

std::vector<Flow> ring_of(const std::vector<Rank>& ranks) {
  std::vector<Flow> flows;
  flows.reserve(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    flows.push_back({ranks[i], ranks[(i + 1) % ranks.size()]});
  }
  return flows;
}

/// Rounded down to a multiple of every element size.
Bytes whole_words(std::uint64_t bytes) {
  return Bytes{bytes / sizeof(double) * sizeof(double)};
}

/// The first node with the most ranks.
const std::vector<Rank>& widest_of(const std::vector<std::vector<Rank>>& nodes) {
  return *std::ranges::max_element(nodes, {}, &std::vector<Rank>::size);
}

/// The bytes that a rank of the widest node forwards.
Bytes most_passed(const std::vector<std::vector<Rank>>& nodes, const CalibrationEffort& effort) {
  const std::size_t widest = widest_of(nodes).size();
  return Bytes{widest > 1 ? effort.most_sweep.count() / widest : 0};
}

/// The probes of the same patterns, within a node or between nodes.
struct PairProbes {
  Probe ladder;
  Probe messages;
  Probe both_ways;
  Probe reduced;
};
constexpr PairProbes in_node{Probe::node_ladder, Probe::node_messages, Probe::node_both_ways,
                             Probe::node_reduced};
constexpr PairProbes between_nodes{Probe::network_ladder, Probe::network_messages,
                                   Probe::network_both_ways, Probe::network_reduced};

/// The medians over several measurements of one pattern.
PatternTimes median_of(const std::vector<PatternTimes>& rounds) {
  PatternTimes sample = rounds.front();
  for (std::size_t flow = 0; flow < sample.times.size(); ++flow) {
    sample.times[flow] = Seconds{median(
        mapped(rounds, [flow](const PatternTimes& round) { return round.times[flow].count(); }))};
  }
  for (const PatternTimes& round : std::span{rounds}.subspan(1)) {
    sample.repetitions += round.repetitions;
  }
  return sample;
}

class Measurement {
 public:
  Measurement(RankContext& self, const std::vector<int>& node_of, const CalibrationEffort& effort)
      : nodes_{ranks_by_node(node_of)},
        effort_{effort},
        runner_{self, static_cast<std::uint64_t>(pair_streams) * effort.most_large,
                most_passed(nodes_, effort), effort.each} {}

  std::vector<ProbeSample> all() {
    const std::vector<Rank>& widest = widest_of(nodes_);
    if (widest.size() > 1) measure_node(widest);
    if (nodes_.size() > 1) measure_network();
    const Rank first = nodes_.front().front();
    measure(Probe::combined_here,
            {PatternKind::combined_here, effort_.least_large, pair_streams, {{first, first}}});
    return std::move(samples_);
  }

 private:
  std::optional<PatternTimes> measure(Probe probe, const Pattern& pattern) {
    std::optional<PatternTimes> sample = runner_.measure(pattern);
    if (sample) samples_.push_back({probe, *sample});
    return sample;
  }

  /// Measures latency and overheads of one pair; returns the size of its large messages.
  Bytes measure_pair(const PairProbes& probes, Flow pair) {
    Bytes large = effort_.least_large;
    for (Bytes size{8}; size <= effort_.most_large; size = effort_.ladder_factor * size) {
      const int trips = size < effort_.least_large ? 10 : 1;
      const auto sample = measure(probes.ladder, {PatternKind::ping_pong, size, trips, {pair}});
      const double one_way =
          runner_.broadcast(sample ? sample->times.front().count() / 2 / trips : 0);
      if (size >= large) large = size;
      if (one_way > effort_.large_message.count()) break;
    }
    measure(probes.messages, {PatternKind::acknowledged, small_message, small_messages, {pair}});
    measure(probes.both_ways,
            {PatternKind::stream, large, pair_streams, {pair, {pair.to, pair.from}}});
    measure(probes.reduced, {PatternKind::reduced, large, 1, {pair}});
    return large;
  }

  void measure_node(const std::vector<Rank>& ranks) {
    const Bytes large = measure_pair(in_node, {ranks[0], ranks[1]});
    const auto single = [&](Rank from, Rank to) {
      measure(Probe::node_pairs, {PatternKind::acknowledged, large, pair_streams, {{from, to}}});
    };
    for (const std::vector<Rank>& of_node : nodes_) {
      // All pairs of one node, one pair of each other node.
      const bool full = &of_node == &ranks && of_node.size() <= all_pairs_up_to;
      for (std::size_t a = 0; a < of_node.size(); ++a) {
        for (std::size_t b = a + 1; b < of_node.size() && (full || b == 1); ++b) {
          single(of_node[a], of_node[b]);
        }
        if (!full) break;
      }
    }
    measure_sweeps(ranks);
  }

  /// Repeats the whole sweep: a disturbance of some seconds affects sizes of one round only, so not
  /// their medians.
  void measure_sweeps(const std::vector<Rank>& ranks) {
    const std::size_t before = samples_.size();
    for (int round = 0; round < effort_.sweep_rounds; ++round) {
      measure_sweep(ranks);
    }
    keep_medians(before);
  }

  /// Copying, combining and lending by all ranks at once, over working sets that fit into caches up
  /// to some that do not.
  void measure_sweep(const std::vector<Rank>& ranks) {
    for (Bytes all = effort_.least_sweep; all <= effort_.most_sweep; all = 2 * all) {
      const Bytes half = whole_words(all.count() / (2 * ranks.size()));
      for (const auto& [probe, kind] :
           {std::pair{Probe::node_passed, PatternKind::passed},
            std::pair{Probe::node_passed_reduced, PatternKind::passed_reduced},
            std::pair{Probe::node_lent, PatternKind::lent}}) {
        measure(probe, {kind, half, passes, ring_of(ranks)});
      }
    }
  }

  /// Replaces the sweeps' samples, from `first_sweep` on, by their medians; only rank 0 has
  /// samples.
  void keep_medians(std::size_t first_sweep) {
    const auto rounds = static_cast<std::size_t>(effort_.sweep_rounds);
    const std::size_t each = (samples_.size() - first_sweep) / rounds;
    for (std::size_t i = first_sweep; i < first_sweep + each; ++i) {
      std::vector<PatternTimes> repeated;
      repeated.reserve(rounds);
      for (std::size_t round = 0; round < rounds; ++round) {
        repeated.push_back(samples_[i + round * each].sample);
      }
      samples_[i].sample = median_of(repeated);
    }
    samples_.resize(first_sweep + each);
  }

  void measure_network() {
    std::vector<Rank> leaders =
        mapped(nodes_, [](const std::vector<Rank>& of_node) { return of_node.front(); });
    const Bytes large = measure_pair(between_nodes, {leaders[0], leaders[1]});
    for (const Flow& flow : ring_of(leaders)) {
      measure(Probe::network_pairs, {PatternKind::acknowledged, large, pair_streams, {flow}});
    }
    measure_shared_nic(large);
    if (leaders.size() > 2) measure_orders(large, std::move(leaders));
  }

  void measure_shared_nic(Bytes large) {
    const std::size_t at_once = std::min(nodes_[0].size(), nodes_[1].size());
    if (at_once < 2) return;
    std::vector<Flow> flows;
    flows.reserve(at_once);
    for (std::size_t i = 0; i < at_once; ++i) {
      flows.push_back({nodes_[0][i], nodes_[1][i]});
    }
    measure(Probe::network_shared, {PatternKind::stream, large, pair_streams, flows});
  }

  /// Rings in random orders: nodes that share an uplink are slow together.
  void measure_orders(Bytes large, std::vector<Rank> leaders) {
    std::mt19937 random{20171};  // the same on all ranks
    measure(Probe::network_orders, {PatternKind::stream, large, 1, ring_of(leaders)});
    const std::size_t rings = std::min(random_rings_per_node * leaders.size(), most_random_rings);
    for (std::size_t ring = 0; leaders.size() > 3 && ring < rings; ++ring) {
      for (std::size_t i = leaders.size() - 1; i > 0; --i) {
        std::swap(leaders[i], leaders[random() % (i + 1)]);
      }
      measure(Probe::network_orders, {PatternKind::stream, large, 1, ring_of(leaders)});
    }
  }

  std::vector<std::vector<Rank>> nodes_;
  CalibrationEffort effort_;
  PatternRunner runner_;
  std::vector<ProbeSample> samples_;
};

}  // namespace

CalibrationEffort quick_effort() {
  CalibrationEffort effort;
  effort.each = {Seconds{0.03}, 3, 20};
  effort.large_message = Seconds{0.005};
  effort.most_large = Bytes{std::uint64_t{16} << 20U};
  effort.most_sweep = Bytes{std::uint64_t{64} << 20U};
  effort.sweep_rounds = 1;
  effort.ladder_factor = 16;
  return effort;
}

std::vector<ProbeSample> measure_machine(RankContext& self, const std::vector<int>& node_of,
                                         const CalibrationEffort& effort) {
  expect(static_cast<int>(node_of.size()) == self.network.size(),
         "nodes of {} ranks in a job of {}", node_of.size(), self.network.size());
  return Measurement{self, node_of, effort}.all();
}

}  // namespace ringcast
