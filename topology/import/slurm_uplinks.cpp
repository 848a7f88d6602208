#include "topology/import/slurm_uplinks.hpp"

#include <map>
#include <set>
#include <string>
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
    for (DiscoveredFabric::Cable& cable : fabric_.cables) {
      if (!is_uplink(cable)) continue;
      const double cables = nics_of_uplink(cable.to);
      if (cables <= 1) continue;
      const bool has_rate = cable.link.bandwidth > BytesPerSecond{0};
      const BytesPerSecond one =
          has_rate ? cable.link.bandwidth : link_class_named(cable.link.link_class).achievable;
      cable.link = {cable.link.link_class, cables * one,
                    fmt::format("{} cables, as many as NICs below; Slurm does not say", cables),
                    true};
    }
  }

 private:
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
