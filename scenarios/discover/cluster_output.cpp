#include "scenarios/discover/cluster_output.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "engine/error.hpp"
#include "scenarios/console.hpp"
#include "scenarios/discover/cluster_text.hpp"
#include "scenarios/file_output.hpp"

namespace ringcast {

void check_cluster_output(const std::string& output) {
  if (output.empty()) {
    return;
  }
  const std::filesystem::path suffix = std::filesystem::path{output}.extension();
  if (suffix != ".yaml" && suffix != ".yml") {
    throw ScenarioError{fmt::format("--output: {} ends in \"{}\" (expected .yaml or .yml)", output,
                                    suffix.string())};
  }
  check_writable(output);
}

void write_cluster(const DiscoveredNodes& nodes, const std::string& output) {
  const std::string text = cluster_text(nodes);
  for (const std::string& doubt : doubts_of(text, output.empty() ? "standard output" : output)) {
    print_message(doubt + "\n");
  }
  if (output.empty()) {
    print_output(text);
  } else {
    write_file(output, text);
  }
}

}  // namespace ringcast
