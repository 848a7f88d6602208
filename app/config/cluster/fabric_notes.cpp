#include "app/config/cluster/fabric_notes.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "topology/cluster/nic_bundles.hpp"

namespace ringcast {
namespace {

/// The numbers of cables of the NICs that have several.
std::map<std::string, int> nics_with_cables(const ExplicitFabricSpec& fabric) {
  std::map<std::string, int> cables;
  for (const ExplicitFabricSpec::Cable& cable : fabric.cables) {
    ++cables[cable.from];
    ++cables[cable.to];
  }
  for (const std::string& name : fabric.switches)
    cables.erase(name);
  std::erase_if(cables, [](const auto& nic) { return nic.second < 2; });
  return cables;
}

}  // namespace

std::vector<std::string> notes_on_fabric(const ClusterSpec& cluster) {
  std::vector<std::string> notes;
  if (const int nics = detail::nics_apart_on_rails(cluster); nics > 0) {
    notes.push_back(fmt::format(
        "note: on {} rails the {} NICs of each GPU do not count as one, and a ring uses one of "
        "them (expected rails: a divisor or a multiple of {})",
        cluster.single_switch->rails, nics, nics));
  }
  if (!cluster.explicit_fabric) return notes;
  if (const auto nics = nics_with_cables(*cluster.explicit_fabric); !nics.empty()) {
    const auto& [name, cables] = *nics.begin();
    notes.push_back(
        fmt::format("note: NICs with several cables: {}, the first is {} with {}; the messages "
                    "from one rank to another use one of them",
                    nics.size(), name, cables));
  }
  return notes;
}

}  // namespace ringcast
