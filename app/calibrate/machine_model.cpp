#include "app/calibrate/machine_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "app/calibrate/reduction_fit.hpp"
#include "app/common/mapped.hpp"
#include "app/common/median.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr double alike_within = 0.1;  // relative tolerance for "same"

class Modeller {
 public:
  explicit Modeller(const Calibration& calibration) : calibration_{calibration} {}

  MachineModel model() {
    if (calibration_.node_of.size() < 2) {
      throw ScenarioError{"calibration: one rank (expected two or more, e.g. --ranks 2)"};
    }
    model_.hosts = calibration_.hosts;
    model_.processes.resize(calibration_.hosts.size());
    for (const int node : calibration_.node_of)
      ++model_.processes[static_cast<std::size_t>(node)];
    if (!of(Probe::node_ladder).empty()) add_node();
    if (!of(Probe::network_ladder).empty()) add_network();
    add_reduction();
    add_core_count();
    if (model_.node) check_fit("within a node", *model_.node);
    if (model_.network) check_fit("between nodes", *model_.network);
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
  [[nodiscard]] std::vector<PatternTimes> pair_rows(Probe ladder, Probe messages,
                                                    Probe streams) const {
    std::vector<PatternTimes> rows = of(ladder);
    std::ranges::copy(of(messages), std::back_inserter(rows));
    const Flow flow = rows.front().pattern.flows.front();
    for (const PatternTimes& sample : of(streams)) {
      if (sample.pattern.flows.front() == flow) rows.push_back(sample);
    }
    return rows;
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
    model_.node = fit_pair(
        without_caches(pair_rows(Probe::node_ladder, Probe::node_messages, Probe::node_pairs)));
    const PairCost& cost = model_.node->cost;
    const std::vector<PatternTimes> pairs = of(Probe::node_pairs);
    const std::vector<double> rates =
        mapped(pairs, [&](const PatternTimes& sample) { return rate_of(sample, 0, cost).value(); });
    const double usual = median(rates);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const double part = rates[i] / usual;
      if (std::abs(part - 1) <= alike_within) continue;
      const Flow& flow = pairs[i].pattern.flows.front();
      remark("{} to {} is {:.0f} % {} than the median of the pairs", rank_name(flow.from),
             rank_name(flow.to), 100 * std::abs(part - 1), part < 1 ? "slower" : "faster");
    }
    add_memory();
  }

  /// The mean rate of the ranks of a node, all of which receive at once.
  [[nodiscard]] double rate_of_each(const PatternTimes& sample) const {
    return sum_of_rates(sample, model_.node->cost) / static_cast<double>(sample.times.size());
  }

  /// From copies of all ranks at once: memory bandwidth by the largest buffers, caches by smaller
  /// ones.
  void add_memory() {
    const std::vector<PatternTimes> passed = of(Probe::node_passed);
    if (passed.empty()) throw ScenarioError{"calibration: no copies of all ranks at once"};
    const auto ranks = static_cast<double>(passed.back().times.size());
    const double uncached = rate_of_each(passed.back());
    // A copy reads and writes each byte.
    if (uncached < hindered_below * model_.node->cost.bandwidth.value()) {
      model_.memory = BytesPerSecond{2 * ranks * uncached};
    }
    bool matter = false;
    for (const PatternTimes& sample : passed) {
      const double rate = rate_of_each(sample);
      const auto touched = static_cast<std::uint64_t>(2 * ranks) * sample.pattern.size;
      model_.caches.push_back({touched, BytesPerSecond{rate}});
      matter = matter || std::abs(rate / uncached - 1) > alike_within;
    }
    // The last entry is that of memory, and remains: reducing and lent receives have other rates.
    if (!matter) model_.caches.clear();
  }

  void add_network() {
    model_.network =
        fit_pair(pair_rows(Probe::network_ladder, Probe::network_messages, Probe::network_pairs));
    add_nics();
    const PairCost& cost = model_.network->cost;
    const double both = std::max(both_ways_of_pair(), both_ways_part(model_.nics, node_rings()));
    if (both > 0 && both < hindered_below * 2) {
      model_.both_ways = std::max(both, 1.0) * model_.usual_nic;
    }
    for (const PatternTimes& sample : of(Probe::network_shared)) {
      const double all = sum_of_rates(sample, cost);
      const double one = rate_of_pair({sample.pattern.flows.front()});
      if (all > one * (1 + alike_within)) {
        remark(
            "{} ranks of {} reach {} together over a NIC on which one reaches {}: one stream is "
            "not limited by the cable. The model gives all together what one reaches",
            sample.times.size(), calibration_.hosts[0], to_text(BytesPerSecond{all}),
            to_text(BytesPerSecond{one}));
      }
    }
    add_fabric();
  }

  /// Two ranks that send to each other, relative to one that sends.
  [[nodiscard]] double both_ways_of_pair() const {
    double part = 0;
    for (const PatternTimes& sample : of(Probe::network_both_ways))
      part = sum_of_rates(sample, model_.network->cost) / rate_of_pair(sample.pattern.flows[0]);
    return part;
  }

  [[nodiscard]] std::vector<NodeRing> node_rings() const {
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
    return rings;
  }

  [[nodiscard]] double rate_of_pair(const Flow& flow) const {
    for (const PatternTimes& sample : of(Probe::network_pairs)) {
      if (sample.pattern.flows.front() == flow) {
        return rate_of(sample, 0, model_.network->cost).value();
      }
    }
    return model_.network->cost.bandwidth.value();
  }

  /// A stream is as fast as the slower of two NICs, so a NIC is as fast as its faster stream.
  void add_nics() {
    model_.nics.resize(calibration_.hosts.size());
    for (const PatternTimes& sample : of(Probe::network_pairs)) {
      const BytesPerSecond rate = rate_of(sample, 0, model_.network->cost);
      for (const Rank end : {sample.pattern.flows.front().from, sample.pattern.flows.front().to}) {
        BytesPerSecond& nic = model_.nics[static_cast<std::size_t>(node_of(end))];
        nic = std::max(nic, rate);
      }
    }
    const std::vector<double> rates = mapped(model_.nics, &BytesPerSecond::value);
    const double usual = median(rates);
    std::vector<double> alike;
    std::ranges::copy_if(rates, std::back_inserter(alike),
                         [&](double rate) { return std::abs(rate / usual - 1) <= alike_within; });
    model_.usual_nic = BytesPerSecond{median(alike.empty() ? rates : alike)};
    for (std::size_t node = 0; node < rates.size(); ++node) {
      const double part = rates[node] / model_.usual_nic.value();
      if (std::abs(part - 1) <= alike_within) continue;
      remark("node{} nic0 ({}) is {:.0f} % {} than its peers", node, calibration_.hosts[node],
             100 * std::abs(part - 1), part < 1 ? "slower" : "faster");
    }
    if (rates.size() == 2) {
      remark("of two NICs the slower one sets the pace: the other may be faster");
    }
  }

  void add_fabric() {
    std::vector<BytesPerSecond> nics = model_.nics;
    if (model_.both_ways > BytesPerSecond{0}) {
      const double part = model_.both_ways.value() / model_.usual_nic.value() / 2;
      for (BytesPerSecond& nic : nics)
        nic = part * nic;
    }
    model_.fabric = find_groups(nics, node_rings());
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

  /// Those over the network if there is one; else those of two ranks and of all ranks of a node.
  [[nodiscard]] std::vector<CombiningReceive> combining_receives() const {
    std::vector<CombiningReceive> rows;
    if (model_.network) {
      for (const PatternTimes& sample : of(Probe::network_reduced)) {
        rows.push_back({rate_of_pair(sample.pattern.flows.front()),
                        rate_of(sample, 0, model_.network->cost).value()});
      }
      return rows;
    }
    if (!model_.node) return rows;
    const PairCost& cost = model_.node->cost;
    for (const PatternTimes& sample : of(Probe::node_reduced)) {
      rows.push_back({cost.bandwidth.value(), rate_of(sample, 0, cost).value()});
    }
    const std::vector<PatternTimes> passed = of(Probe::node_passed);
    const std::vector<PatternTimes> reduced = of(Probe::node_passed_reduced);
    for (std::size_t i = 0; i < std::min(passed.size(), reduced.size()); ++i) {
      rows.push_back({rate_of_each(passed[i]), rate_of_each(reduced[i])});
    }
    return rows;
  }

  void add_reduction() {
    const std::vector<PatternTimes> here = of(Probe::combined_here);
    const std::vector<CombiningReceive> rows = combining_receives();
    if (here.empty() || rows.empty()) throw ScenarioError{"calibration: no reduction measured"};
    const PatternTimes& alone = here.front();
    const auto combined = static_cast<std::uint64_t>(alone.pattern.messages) * alone.pattern.size;
    const ReductionFit found = fit_reduction(rows, combined / alone.times.front());
    model_.fused = found.fused;
    model_.reduce_rate = found.rate;
    add_cached_reductions();
  }

  /// A receive that reduces reads more memory than one that copies. Of lent buffers and their
  /// answers, only the former are reduced: half of the reduction time per byte, which the model
  /// adds separately, is subtracted from the mean time per byte.
  void add_cached_reductions() {
    const std::vector<PatternTimes> reduced = of(Probe::node_passed_reduced);
    const std::vector<PatternTimes> lent = of(Probe::node_lent);
    const double added = model_.fused ? 0 : 1 / model_.reduce_rate.value() / 2;
    for (std::size_t i = 0; i < std::min(model_.caches.size(), reduced.size()); ++i) {
      CachedRate& cache = model_.caches[i];
      const BytesPerSecond rate{rate_of_each(reduced[i])};
      if (model_.fused && rate < cache.bandwidth) cache.reduce_rate = rate;
      if (i >= lent.size()) continue;
      const double each = 1 / rate_of_each(lent[i]);
      cache.lent_rate = BytesPerSecond{1 / (each > added ? each - added : each)};
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

  void check_fit(std::string_view where, const PairFit& fit) {
    if (fit.is_close()) return;
    remark(
        "{}: a residual of {:.0f} % is too large for predictions: calibrate again while nothing "
        "else runs",
        where, 100 * fit.residual);
  }

  const Calibration& calibration_;
  MachineModel model_;
};

}  // namespace

MachineModel machine_model(const Calibration& calibration) {
  return Modeller{calibration}.model();
}

}  // namespace ringcast
