// Bands of trainings. A slower link may be hidden by the computation or not, so a band is predicted
// with slower and faster machines instead of being estimated from the row.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/config/cluster/cluster_cables.hpp"
#include "app/config/scenario/input_numbers.hpp"
#include "app/predict/bands.hpp"
#include "app/predict/predict_training.hpp"
#include "app/predict/spreads.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

/// One end of the spreads, as factors of times: above 1 for the slow end.
struct End {
  double computation;
  double overheads;
  double link_spread;  // 1: by the spread of the class longer; -1: shorter
};
constexpr End fast{1, 1 - overheads_shorter, -1};
constexpr End slow{1 + computation_longer, 1 + overheads_longer, 1};

/// The factor of times for a link.
double slowness(const CableSpec& cable, const End& end, double LinkClass::*spread) {
  const LinkClass like_most{};
  const LinkClass* const known = find_link_class(cable.base_class);
  return 1 + end.link_spread * (known != nullptr ? *known : like_most).*spread;
}

void change_links(ClusterSpec& cluster, const End& end) {
  for (CableSpec* const cable : cables_of(cluster)) {
    const double factor = slowness(*cable, end, &LinkClass::spread);
    cable->bandwidth = (1 / factor) * cable->bandwidth;
    cable->peer_bandwidth = (1 / factor) * cable->peer_bandwidth;
    cable->both_ways = (1 / factor) * cable->both_ways;
    cable->kernel_bandwidth =
        (1 / slowness(*cable, end, &LinkClass::kernel_spread)) * cable->kernel_bandwidth;
  }
}

Scenario at(const End& end, Scenario scenario) {
  change_links(scenario.cluster, end);
  scale_input_numbers(scenario, [&end](const InputNumber& number) {
    if (number.unit != Unit::time) return 1.0;
    return number.name.starts_with("training ") ? end.computation : end.overheads;
  });
  return scenario;
}

std::string what_widens(const Row& row, Seconds longest) {
  const Seconds computation = computation_longer * row.iteration->compute;
  return computation > (longest - row.time) / 2
             ? fmt::format(
                   "the computation of several GPUs takes up to {:.0f} % longer than that "
                   "of one",
                   100 * computation_longer)
             : "the communication that is not hidden";
}

}  // namespace

void add_training_bands(Result& result, const Scenario& scenario, const PredictOptions& options) {
  PredictOptions once = options;
  once.check = false;
  once.timeline.reset();
  once.kept = nullptr;  // its cells are those of `scenario`
  const Result shorter = predict_training(at(fast, scenario), once);
  const Result longer = predict_training(at(slow, scenario), once);
  for (const Result* const end : {&shorter, &longer}) {
    if (end->rows.size() == result.rows.size()) continue;
    FailedCell failure = end->failures.front();
    failure.error = fmt::format("--band: {}", failure.error);
    result.failures.push_back(std::move(failure));
    return;
  }
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    Row& row = result.rows[i];
    if (row.cell.ranks == 1) continue;
    const Seconds high = std::max(row.time, longer.rows[i].time);
    row.band = {{std::min(row.time, shorter.rows[i].time), high, what_widens(row, high)}};
  }
}

}  // namespace ringcast
