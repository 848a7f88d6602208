#include "app/config/cluster_reader.hpp"
#include "app/config/cluster_text.hpp"
#include "app/config/yaml_reader.hpp"
#include "tests/fuzz/fuzz_reader.hpp"
#include "topology/import/hwloc_reader.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  const HostHardware host = host_of_xml("fuzzed.xml", text);
  static_cast<void>(
      read_checked_cluster(yaml_of("cluster.yaml", cluster_text(merge_hosts({host})))));
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
