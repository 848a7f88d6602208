#pragma once

#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/cluster/cluster_text.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "app/logs/log_text.hpp"
#include "tests/fuzz/fuzz_reader.hpp"
#include "topology/import/node_types.hpp"

namespace ringcast {

/// The lines of a file, as `ringcast import` gives them to a reader.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const LogLine& line : log_of("fuzzed.txt", text).lines) {
    lines.push_back(line.text);
  }
  return lines;
}

/// Writes what a reader found as a cluster file and reads that.
inline void write_and_read(const DiscoveredNodes& nodes) {
  static_cast<void>(read_cluster(yaml_of("cluster.yaml", cluster_text(nodes))));
}

}  // namespace ringcast
