#include "app/cli/cluster_output.hpp"

#include "app/common/console.hpp"
#include "app/common/file_output.hpp"
#include "app/config/cluster/cluster_doubts.hpp"
#include "app/config/cluster/cluster_text.hpp"

namespace ringcast {

void add_cluster_output(Command& command, std::string& output) {
  command.option("--output", output, "the cluster file, .yaml (default: standard output)")
      .file_name();
}

void check_cluster_output(const std::string& output) {
  if (!output.empty()) {
    expect_yaml_name("--output", output);
    check_writable(output);
  }
}

void write_cluster(const DiscoveredNodes& nodes, const std::string& output) {
  const std::string text = cluster_text(nodes);
  for (const std::string& message :
       messages_of(text, output.empty() ? "standard output" : output)) {
    print_message(message + "\n");
  }
  if (output.empty()) {
    print_output(text);
  } else {
    write_file(output, text);
  }
}

}  // namespace ringcast
