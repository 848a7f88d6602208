#include "app/config/cluster/fabric_notes.hpp"

#include <fmt/format.h>

#include "topology/cluster/nic_bundles.hpp"

namespace ringcast {

std::vector<std::string> notes_on_fabric(const ClusterSpec& cluster) {
  std::vector<std::string> notes;
  if (const int nics = detail::nics_apart_on_rails(cluster); nics > 0) {
    notes.push_back(fmt::format(
        "note: on {} rails the {} NICs of each GPU do not count as one, and a ring uses one of "
        "them (expected rails: a divisor or a multiple of {})",
        cluster.single_switch->rails, nics, nics));
  }
  return notes;
}

}  // namespace ringcast
