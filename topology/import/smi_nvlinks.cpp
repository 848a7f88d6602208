#include "topology/import/smi_nvlinks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "topology/import/import_hints.hpp"

namespace ringcast::detail {

namespace {

/// Two GPUs, by column, and the number of NVLinks between them.
struct Bundle {
  std::size_t a;
  std::size_t b;
  int links;
};

std::vector<Bundle> bundles_of(const TopoMatrix& matrix) {
  std::vector<Bundle> bundles;
  for (std::size_t a = 0; a < matrix.devices.size(); ++a) {
    for (std::size_t b = a + 1; b < matrix.devices.size(); ++b) {
      if (matrix.devices[a].is_gpu && matrix.devices[b].is_gpu) {
        bundles.push_back({a, b, matrix.between(a, b).links});
      }
    }
  }
  return bundles;
}

/// The number of links in all bundles of each device, by column.
std::vector<int> links_of_gpus(const TopoMatrix& matrix, const std::vector<Bundle>& bundles) {
  std::vector<int> links_of(matrix.devices.size(), 0);
  for (const Bundle& bundle : bundles) {
    links_of[bundle.a] += bundle.links;
    links_of[bundle.b] += bundle.links;
  }
  return links_of;
}

void add_nvlink(const TopoMatrix& matrix, const Bundle& bundle, BytesPerSecond rate,
                const std::map<std::string, int>& numbers, HostHardware& host) {
  const auto [low, high] = std::minmax(numbers.at(matrix.devices[bundle.a].label),
                                       numbers.at(matrix.devices[bundle.b].label));
  host.nvlinks.push_back({low, high, rate});
}

/// The links of each device to NVSwitches, by column: as many as its widest bundle has. GPUs may
/// have lost some, and some may have none.
std::vector<int> links_to_switches(const TopoMatrix& matrix, const std::vector<Bundle>& bundles) {
  std::vector<int> links_of(matrix.devices.size(), 0);
  for (const Bundle& bundle : bundles) {
    for (const std::size_t end : {bundle.a, bundle.b}) {
      links_of[end] = std::max(links_of[end], bundle.links);
    }
  }
  return links_of;
}

}  // namespace

int largest_bundle(const TopoMatrix& matrix) {
  int largest = 0;
  for (const Bundle& bundle : bundles_of(matrix)) {
    largest = std::max(largest, bundle.links);
  }
  return largest;
}

int most_nvlinks(const TopoMatrix& matrix) {
  return std::ranges::max(links_of_gpus(matrix, bundles_of(matrix)));
}

void add_nvlinks(const std::string& name, const TopoMatrix& matrix, const GpuModel& model,
                 const std::map<std::string, int>& numbers, HostHardware& host) {
  const std::vector<Bundle> bundles = bundles_of(matrix);
  const std::vector<int> links_of = links_of_gpus(matrix, bundles);
  const int largest = largest_bundle(matrix);
  const auto most = std::ranges::max_element(links_of);
  const BytesPerSecond link = reported_rate(model.nvlink_class);
  if (*most > model.nvlinks) {
    const std::vector<int> own = links_to_switches(matrix, bundles);
    const auto other = std::ranges::find_if(bundles, [&](const Bundle& bundle) {
      return bundle.links != std::min(own[bundle.a], own[bundle.b]);
    });
    if (other != bundles.end()) {
      throw ScenarioError{fmt::format(
          "{}: {} has {} NVLinks in all, and the {} has {}; NVSwitches would join all GPUs "
          "equally, but {} and {} have {} between them (expected NV{} between all of them, or "
          "another --gpu)",
          name, matrix.devices[static_cast<std::size_t>(most - links_of.begin())].label, *most,
          model.product, model.nvlinks, matrix.devices[other->a].label,
          matrix.devices[other->b].label,
          other->links == 0 ? "none" : fmt::format("NV{}", other->links), largest)};
    }
    NvlinkRates rates;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i] > 0) rates.to_switches[numbers.at(matrix.devices[i].label)] = own[i] * link;
    }
    ringcast::add_nvlinks(rates, host);
    return;
  }
  for (const Bundle& bundle : bundles) {
    if (bundle.links > 0) {
      add_nvlink(matrix, bundle, static_cast<double>(bundle.links) * link, numbers, host);
    }
  }
}

}  // namespace ringcast::detail
