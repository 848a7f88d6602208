#pragma once

#include <string>

#include "app/report/ring_comparison.hpp"
#include "app/report/ring_export.hpp"

namespace ringcast {

/// The options of an export, as texts.
struct RingFileOptions {
  std::string format;    // one of ring_export_formats(); empty: no export
  std::string hostfile;  // names the hosts
};

/// Writes the best rings in the format: to `output`, or to standard output where that is empty.
/// Where the hosts need different files, FILE.xml becomes FILE.HOST.xml. Throws ScenarioError.
void write_ring_files(const RingComparison& comparison, const RingFileOptions& options,
                      const std::string& output);

}  // namespace ringcast
