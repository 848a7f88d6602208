#include "topology/import/smi_nvlinks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "topology/import/import_hints.hpp"

namespace ringcast::detail {

namespace {

/// Two GPUs by their columns, and their NVLinks.
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

}  // namespace

int largest_bundle(const TopoMatrix& matrix) {
  int largest = 0;
  for (const Bundle& bundle : bundles_of(matrix)) {
    largest = std::max(largest, bundle.links);
  }
  return largest;
}

void add_nvlinks(const std::string& name, const TopoMatrix& matrix, const GpuModel& model,
                 const std::map<std::string, int>& numbers, HostHardware& host) {
  const std::vector<Bundle> bundles = bundles_of(matrix);
  std::vector<int> links_of(matrix.devices.size(), 0);
  for (const Bundle& bundle : bundles) {
    links_of[bundle.a] += bundle.links;
    links_of[bundle.b] += bundle.links;
  }
  const int largest = largest_bundle(matrix);
  const auto most = std::ranges::max_element(links_of);
  const BytesPerSecond link = reported_rate(model.nvlink_class);
  if (*most > model.nvlinks) {
    const bool all_equal =
        std::ranges::all_of(bundles, [&](const Bundle& bundle) { return bundle.links == largest; });
    if (!all_equal) {
      throw ScenarioError{fmt::format(
          "{}: {} has {} NVLinks in all, and the {} has {}; NVSwitches would join all GPUs equally "
          "(expected NV{} between all of them, or another --gpu)",
          name, matrix.devices[static_cast<std::size_t>(most - links_of.begin())].label, *most,
          model.chip, model.nvlinks, largest)};
    }
    host.nvswitch = static_cast<double>(largest) * link;
    return;
  }
  for (const Bundle& bundle : bundles) {
    if (bundle.links > 0) {
      const auto [low, high] = std::minmax(numbers.at(matrix.devices[bundle.a].label),
                                           numbers.at(matrix.devices[bundle.b].label));
      host.nvlinks.push_back({low, high, static_cast<double>(bundle.links) * link});
    }
  }
}

}  // namespace ringcast::detail
