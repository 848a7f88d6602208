#include "topology/import/slurm_uplinks.hpp"

#include <map>
#include <set>

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
        below_.emplace(cable.from, cable.to);
        ++uplinks_[cable.to];
      } else {
        ++nics_[cable.to];
      }
    }
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

  /// The NICs below a switch for each of its uplinks.
  double nics_of_uplink(const std::string& name) {
    const auto known = shares_.find(name);
    if (known != shares_.end()) return known->second;
    double nics = nics_[name];
    const auto [first, last] = below_.equal_range(name);
    for (auto below = first; below != last; ++below)
      nics += nics_of_uplink(below->second);
    return shares_[name] = nics / uplinks_[name];
  }

  DiscoveredFabric& fabric_;
  std::set<std::string> switches_;
  std::multimap<std::string, std::string> below_;
  std::map<std::string, int> uplinks_;  // of each switch
  std::map<std::string, int> nics_;     // directly below each switch
  std::map<std::string, double> shares_;
};

}  // namespace

void widen_uplinks(DiscoveredFabric& fabric) {
  Uplinks{fabric}.widen();
}

}  // namespace ringcast
