#include "topology/import/slurm_uplinks.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

class Uplinks {
 public:
  explicit Uplinks(DiscoveredFabric& fabric)
      : fabric_{fabric}, switches_{fabric.switches.begin(), fabric.switches.end()} {
    for (const DiscoveredFabric::Cable& cable : fabric.cables) {
      if (is_uplink(cable)) {
        above_.emplace(cable.to, cable.from);
        ++links_below_[cable.from];
      } else {
        ++nics_[cable.to];
      }
    }
    add_nics_of_switches_below();
  }

  void widen() {
    std::vector<DiscoveredFabric::Cable> cables;
    for (const DiscoveredFabric::Cable& cable : fabric_.cables) {
      const double links = is_uplink(cable) ? nics_of_uplink(cable.to) : 1;
      if (links > 1) {
        add_trunks(cable, links, cables);
      } else {
        cables.push_back(cable);
      }
    }
    fabric_.cables = std::move(cables);
  }

 private:
  /// As few as the greatest bandwidth of a link in a cluster file allows.
  static void add_trunks(DiscoveredFabric::Cable cable, double links,
                         std::vector<DiscoveredFabric::Cable>& cables) {
    constexpr BytesPerSecond most = 100'000_GBps;
    const bool has_rate = cable.link.bandwidth > BytesPerSecond{0};
    const BytesPerSecond one =
        has_rate ? cable.link.bandwidth : link_class_named(cable.link.link_class).achievable;
    const double trunks = std::ceil(links * one.value() / most.value());
    cable.link.bandwidth = links / trunks * one;
    cable.link.why =
        fmt::format("{:.4g} cables, as many as NICs below; Slurm does not say", links / trunks);
    cable.link.assumed = true;
    cable.link.is_trunk = true;
    cables.insert(cables.end(), static_cast<std::size_t>(trunks), cable);
  }

  [[nodiscard]] bool is_uplink(const DiscoveredFabric::Cable& cable) const {
    return switches_.contains(cable.from);
  }

  /// From the leaves up: each switch after those below it.
  void add_nics_of_switches_below() {
    std::vector<std::string> complete;
    for (const std::string& name : fabric_.switches) {
      if (!links_below_.contains(name)) complete.push_back(name);
    }
    while (!complete.empty()) {
      const std::string name = complete.back();
      complete.pop_back();
      const auto [first, last] = above_.equal_range(name);
      for (auto above = first; above != last; ++above) {
        nics_[above->second] += nics_of_uplink(name);
        if (--links_below_[above->second] == 0) complete.push_back(above->second);
      }
    }
  }

  double nics_of_uplink(const std::string& name) {
    return nics_[name] / static_cast<double>(above_.count(name));
  }

  DiscoveredFabric& fabric_;
  std::set<std::string> switches_;
  std::multimap<std::string, std::string> above_;
  std::map<std::string, int> links_below_;  // of each switch
  std::map<std::string, double> nics_;      // below each switch
};

}  // namespace

void widen_uplinks(DiscoveredFabric& fabric) {
  Uplinks{fabric}.widen();
}

}  // namespace ringcast
