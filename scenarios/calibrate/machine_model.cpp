#include "scenarios/calibrate/machine_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "engine/error.hpp"

namespace ringcast {
namespace {

// Who differs by less from the others is like them.
constexpr double alike_within = 0.1;
// Two directions, or several at once, are taken to hinder each other from this on.
constexpr double hindered_below = 0.97;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// What a flow of large messages reached, without the costs that are no transfer.
BytesPerSecond rate_of(const PatternTimes& sample, std::size_t flow, const PairCost& cost) {
  PairCost no_transfer = cost;
  no_transfer.bandwidth = BytesPerSecond{1e30};
  const Seconds transfer = std::max(sample.times[flow] - pair_time(no_transfer, sample.pattern),
                                    0.01 * sample.times[flow]);
  return static_cast<std::uint64_t>(sample.pattern.messages) * sample.pattern.size / transfer;
}

double sum_of_rates(const PatternTimes& sample, const PairCost& cost) {
  double sum = 0;
  for (std::size_t flow = 0; flow < sample.times.size(); ++flow) {
    sum += rate_of(sample, flow, cost).value();
  }
  return sum;
}

class Modeller {
 public:
  explicit Modeller(const Calibration& calibration) : calibration_{calibration} {}

  MachineModel model() {
    if (calibration_.node_of.size() < 2) {
      throw ScenarioError{"calibration: one rank (expected two or more, e.g. --ranks 2)"};
    }
    model_.hosts = calibration_.hosts;
    model_.processes.resize(calibration_.hosts.size());
    for (const int node : calibration_.node_of) {
      ++model_.processes[static_cast<std::size_t>(node)];
    }
    if (!of(Probe::node_ladder).empty()) add_node();
    if (!of(Probe::network_ladder).empty()) add_network();
    add_reduction();
    add_core_count();
    return std::move(model_);
  }

 private:
  [[nodiscard]] std::vector<PatternTimes> of(Probe probe) const {
    std::vector<PatternTimes> samples;
    for (const ProbeSample& each : calibration_.samples) {
      if (each.probe == probe) samples.push_back(each.sample);
    }
    return samples;
  }

  /// The ladder, the small messages, and the large stream of the same pair.
  [[nodiscard]] PairFit pair(Probe ladder, Probe messages, Probe streams) const {
    std::vector<PatternTimes> rows = of(ladder);
    for (const PatternTimes& sample : of(messages)) {
      rows.push_back(sample);
    }
    const Flow flow = rows.front().pattern.flows.front();
    for (const PatternTimes& sample : of(streams)) {
      if (sample.pattern.flows.front() == flow) rows.push_back(sample);
    }
    return fit_pair(rows);
  }

  template <typename... Args>
  void remark(fmt::format_string<Args...> text, Args&&... args) {
    model_.remarks.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  [[nodiscard]] std::string rank_name(Rank rank) const {
    return fmt::format("rank {} on {}", index_of(rank),
                       calibration_.hosts[static_cast<std::size_t>(node_of(rank))]);
  }
  [[nodiscard]] int node_of(Rank rank) const {
    return calibration_.node_of[static_cast<std::size_t>(index_of(rank))];
  }

  void add_node() {
    model_.node = pair(Probe::node_ladder, Probe::node_messages, Probe::node_pairs);
    const PairCost& cost = model_.node->cost;
    std::vector<double> rates;
    const std::vector<PatternTimes> pairs = of(Probe::node_pairs);
    rates.reserve(pairs.size());
    for (const PatternTimes& sample : pairs) {
      rates.push_back(rate_of(sample, 0, cost).value());
    }
    const double usual = median(rates);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const double part = rates[i] / usual;
      if (std::abs(part - 1) <= alike_within) continue;
      const Flow& flow = pairs[i].pattern.flows.front();
      remark("{} to {} is {:.0f} % {} than the median of the pairs", rank_name(flow.from),
             rank_name(flow.to), 100 * std::abs(part - 1), part < 1 ? "slower" : "faster");
    }
    for (const PatternTimes& sample : of(Probe::node_ring)) {
      const double all = sum_of_rates(sample, cost);
      const double undisturbed = static_cast<double>(sample.times.size()) * cost.bandwidth.value();
      // A copy reads as much as it writes.
      if (all < hindered_below * undisturbed) model_.memory = BytesPerSecond{2 * all};
    }
  }

  void add_network() {
    model_.network = pair(Probe::network_ladder, Probe::network_messages, Probe::network_pairs);
    add_cards();
    const PairCost& cost = model_.network->cost;
    for (const PatternTimes& sample : of(Probe::network_both_ways)) {
      const double both = sum_of_rates(sample, cost);
      const double one = rate_of_pair(sample.pattern.flows.front());
      if (both < hindered_below * 2 * one) {
        model_.both_ways = BytesPerSecond{std::max(both, one) / one * model_.usual_card.value()};
      }
    }
    for (const PatternTimes& sample : of(Probe::network_shared)) {
      const double all = sum_of_rates(sample, cost);
      const double one = rate_of_pair({sample.pattern.flows.front()});
      if (all > one * (1 + alike_within)) {
        remark(
            "{} ranks of {} reach {} together over a card on which one reaches {}: one stream is "
            "not limited by the cable. The model gives all together what one reaches",
            sample.times.size(), calibration_.hosts[0], to_text(BytesPerSecond{all}),
            to_text(BytesPerSecond{one}));
      }
    }
    add_fabric();
  }

  [[nodiscard]] double rate_of_pair(const Flow& flow) const {
    for (const PatternTimes& sample : of(Probe::network_pairs)) {
      if (sample.pattern.flows.front() == flow) {
        return rate_of(sample, 0, model_.network->cost).value();
      }
    }
    return model_.network->cost.bandwidth.value();
  }

  /// A stream is as fast as the slower of two cards, so a card is as fast as its faster stream.
  void add_cards() {
    model_.cards.resize(calibration_.hosts.size());
    for (const PatternTimes& sample : of(Probe::network_pairs)) {
      const BytesPerSecond rate = rate_of(sample, 0, model_.network->cost);
      for (const Rank end : {sample.pattern.flows.front().from, sample.pattern.flows.front().to}) {
        BytesPerSecond& card = model_.cards[static_cast<std::size_t>(node_of(end))];
        card = std::max(card, rate);
      }
    }
    std::vector<double> rates;
    rates.reserve(model_.cards.size());
    for (const BytesPerSecond card : model_.cards) {
      rates.push_back(card.value());
    }
    const double usual = median(rates);
    std::vector<double> alike;
    for (const double rate : rates) {
      if (std::abs(rate / usual - 1) <= alike_within) alike.push_back(rate);
    }
    model_.usual_card = BytesPerSecond{median(alike.empty() ? rates : alike)};
    for (std::size_t node = 0; node < rates.size(); ++node) {
      const double part = rates[node] / model_.usual_card.value();
      if (std::abs(part - 1) <= alike_within) continue;
      remark("node{} nic0 ({}) is {:.0f} % {} than its peers", node, calibration_.hosts[node],
             100 * std::abs(part - 1), part < 1 ? "slower" : "faster");
    }
    if (rates.size() == 2) {
      remark("of two cards the slower one sets the pace: the other may be faster");
    }
  }

  void add_fabric() {
    std::vector<NodeRing> rings;
    for (const PatternTimes& sample : of(Probe::network_orders)) {
      NodeRing ring;
      ring.reserve(sample.times.size());
      for (std::size_t i = 0; i < sample.times.size(); ++i) {
        const Flow& flow = sample.pattern.flows[i];
        ring.push_back(
            {node_of(flow.from), node_of(flow.to), rate_of(sample, i, model_.network->cost)});
      }
      rings.push_back(std::move(ring));
    }
    model_.fabric = find_groups(model_.cards, rings);
    if (model_.fabric.groups.size() > 1) {
      remark("the nodes are in {} groups; streams between groups share an uplink of each",
             model_.fabric.groups.size());
    }
    if (model_.fabric.explained < 0.9) {
      remark(
          "one switch, or groups with an uplink each, explain only {:.0f} % of the streams "
          "within a tenth: the fabric is of another kind",
          100 * model_.fabric.explained);
    }
  }

  /// Whether combining is part of the receive, and how fast it is.
  void add_reduction() {
    const std::vector<PatternTimes> here = of(Probe::combined_here);
    const bool network = model_.network.has_value();
    const std::vector<PatternTimes> reduced =
        of(network ? Probe::network_reduced : Probe::node_reduced);
    if (here.empty() || reduced.empty()) throw ScenarioError{"calibration: no reduction measured"};
    const PairFit& fitted = network ? *model_.network : *model_.node;
    const double alone =
        static_cast<double>(here.front().pattern.size.count() *
                            static_cast<std::uint64_t>(here.front().pattern.messages)) /
        here.front().times.front().count();
    const Flow flow = reduced.front().pattern.flows.front();
    const double wire = network ? rate_of_pair(flow) : fitted.cost.bandwidth.value();
    const double measured = rate_of(reduced.front(), 0, fitted.cost).value();
    const double as_one = std::max(1 / wire, 1 / alone);
    const double as_two = 1 / wire + 1 / alone;
    model_.fused = std::abs(1 / measured - as_one) < std::abs(1 / measured - as_two);
    if (!model_.fused) {
      const double rest = 1 / measured - 1 / wire;
      model_.reduce_rate = BytesPerSecond{rest > 0 ? 1 / rest : alone};
    } else {
      // A receive that is no slower for combining tells nothing of its rate.
      model_.reduce_rate = BytesPerSecond{measured < hindered_below * wire ? measured : alone};
    }
  }

  void add_core_count() {
    const int most = *std::ranges::max_element(model_.processes);
    if (calibration_.cores > 0 && most > calibration_.cores) {
      remark(
          "{} ranks on {} cores: the ranks of a node took turns, and the rates are those of such "
          "a run",
          most, calibration_.cores);
    }
  }

  const Calibration& calibration_;
  MachineModel model_;
};

}  // namespace

MachineModel machine_model(const Calibration& calibration) {
  return Modeller{calibration}.model();
}

}  // namespace ringcast
