#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/cluster/cluster_writer.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "tests/fuzz/fuzz_reader.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  const ClusterSpec spec = read_cluster(yaml_of("fuzzed.yaml", text));
  const ClusterSpec again = read_cluster(yaml_of("again.yaml", to_yaml(spec)));
  expect(again.nodes.size() == spec.nodes.size(), "the cluster changes when it is written");
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
