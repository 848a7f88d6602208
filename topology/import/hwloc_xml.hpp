#pragma once

#include <string>

namespace ringcast::detail {

/// Converts the XML of hwloc 3 to that of hwloc 2; XML of older versions is returned unchanged.
/// Throws ScenarioError "NAME:LINE: PROBLEM (expected ...)" if it is not a topology of hwloc 1 to
/// 3.
[[nodiscard]] std::string hwloc2_xml(const std::string& name, const std::string& xml);

/// Loads the topology and exports it again, in a child process: hwloc's reader trusts its input,
/// and crashes for instance on a PU without complete_cpuset (hwloc 2.9). Throws ScenarioError
/// "NAME: PROBLEM (expected ...)" if the child cannot load it, or crashes.
[[nodiscard]] std::string checked_hwloc_xml(const std::string& name, const std::string& xml);

}  // namespace ringcast::detail
