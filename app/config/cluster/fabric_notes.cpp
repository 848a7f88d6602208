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

std::string note_on_nics_apart(const ClusterSpec& cluster, int nics) {
  const auto note = [nics](const std::string& where, const std::string& expected) {
    return fmt::format(
        "note: {} the {} NICs of each GPU do not count as one, and a ring uses one of them "
        "(expected {})",
        where, nics, expected);
  };
  if (cluster.single_switch) {
    return note(fmt::format("on {} rails", cluster.single_switch->rails),
                fmt::format("rails: a divisor or a multiple of {}", nics));
  }
  return note(cluster.fat_tree ? "in a fat tree" : "in an explicit fabric",
              fmt::format("one NIC with {} times the rate, or kind: switch", nics));
}

}  // namespace

std::vector<std::string> notes_on_fabric(const ClusterSpec& cluster) {
  if (!cluster.single_switch && !cluster.fat_tree && !cluster.explicit_fabric) return {};
  std::vector<std::string> notes;
  if (const int nics = detail::nics_apart(cluster); nics > 0)
    notes.push_back(note_on_nics_apart(cluster, nics));
  if (const auto uneven = detail::uneven_nics(cluster)) {
    const auto [nics, gpus] = *uneven;
    notes.push_back(
        fmt::format("note: {0} NICs below one PCIe switch or root complex with {1} GPUs do not "
                    "count as {1}, and a ring uses {1} of them (expected a multiple of {1})",
                    nics, gpus));
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
