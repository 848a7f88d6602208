#pragma once

#include <string>

namespace ringcast::detail {

/// The topology in `xml` as hwloc 2 reads it: unchanged, or, if hwloc 3 wrote it, rewritten. Throws
/// ScenarioError "NAME:LINE: PROBLEM (expected ...)" for what is no topology of hwloc 1 to 3.
[[nodiscard]] std::string hwloc2_xml(const std::string& name, const std::string& xml);

}  // namespace ringcast::detail
