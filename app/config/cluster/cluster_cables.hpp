#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"
#include "topology/import/hardware_links.hpp"

namespace ringcast {

/// The cables that the cluster's file describes, in its order; valid as long as `cluster`.
[[nodiscard]] std::vector<CableSpec*> cables_of(ClusterSpec& cluster);

/// Names of link classes; the empty name stands for cables without a class.
using LinkClassNames = std::set<std::string, std::less<>>;
/// The classes of all cables that the cluster's file describes.
[[nodiscard]] LinkClassNames link_classes_of(const ClusterSpec& cluster);
/// Whether one of the names begins with `prefix`: `efa-`.
[[nodiscard]] bool has_class(const LinkClassNames& classes, std::string_view prefix);

/// The cable of a choice, without a name unless it has a class.
[[nodiscard]] CableSpec cable_of(const LinkChoice& choice);

}  // namespace ringcast
