#pragma once

#include <string>

namespace ringcast::detail {

/// The topology in `xml` as hwloc 2 reads it: unchanged, or, if hwloc 3 wrote it, rewritten. Throws
/// ScenarioError "NAME:LINE: PROBLEM (expected ...)" for what is no topology of hwloc 1 to 3.
[[nodiscard]] std::string hwloc2_xml(const std::string& name, const std::string& xml);

/// The topology in `xml` as hwloc exports it, by a child process that has loaded both: hwloc's
/// reader trusts its input, and crashes for instance on a PU without complete_cpuset (hwloc 2.9).
/// Throws ScenarioError "NAME: PROBLEM (expected ...)" where the child could not load it, or
/// crashed.
[[nodiscard]] std::string checked_hwloc_xml(const std::string& name, const std::string& xml);

}  // namespace ringcast::detail
