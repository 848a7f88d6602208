#include "app/config/scenario/published_set.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

bool is_judged(const PublishedRow& row) {
  return !row.fitted && !row.not_judged && row.transport.empty();
}

bool is_of_other_transport(const PublishedRow& row) {
  return !row.fitted && !row.not_judged && !row.transport.empty();
}

std::string to_text(const PublishedRow& row) {
  return fmt::format("{}, {}{}{}", counted(row.ranks, "rank"), to_text(row.size),
                     row.transport.empty() ? "" : ", " + row.transport,
                     row.gpus.empty() ? "" : fmt::format(", GPUs {}", fmt::join(row.gpus, ", ")));
}

bool is_of_transport(const std::string& number) {
  return number.starts_with("transport ");
}

std::filesystem::path file_of(const std::string& number, const PublishedSet& set) {
  const std::filesystem::path& file =
      is_of_transport(number) ? set.transport_file : set.cluster_file;
  std::error_code failure;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(file, failure);
  return failure ? file : canonical;
}

std::vector<int> gpus_of(const PublishedSet& set, const PublishedRow& row) {
  const auto of_set = set.gpus.find(row.ranks);
  std::vector<int> gpus = row.gpus.empty() && of_set != set.gpus.end() ? of_set->second : row.gpus;
  const bool are_first = !gpus.empty() && std::ranges::is_sorted(gpus) &&
                         gpus.back() == static_cast<int>(gpus.size()) - 1;
  if (are_first) gpus.clear();
  return gpus;
}

Scenario scenario_of(const PublishedSet& set, const PublishedRow& row) {
  Scenario scenario = set.scenario;
  scenario.ranks = {row.ranks};
  scenario.cluster.job_gpus = gpus_of(set, row);
  scenario.sizes = {row.size};
  scenario.algorithms = {row.algorithm};
  if (!row.algorithm_position.empty()) {
    scenario.positions["algorithm " + row.algorithm] = row.algorithm_position;
  }
  if (!row.transport.empty()) {
    const auto named = std::ranges::find(set.transports, row.transport, &AliasedTransport::alias);
    expect(named != set.transports.end(), "no transport named {} in {}", row.transport,
           scenario.name);
    scenario.transport = named->profile;
    scenario.ring_orders = {named->ring_order};
  }
  return scenario;
}

}  // namespace ringcast
