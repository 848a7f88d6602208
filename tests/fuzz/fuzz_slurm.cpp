#include "app/config/cluster/slurm_yaml.hpp"
#include "tests/fuzz/fuzz_hardware.hpp"
#include "topology/import/network_nodes.hpp"
#include "topology/import/slurm_topology.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  const bool yaml = text.find("topology:") != std::string::npos;
  const IbNetwork network = yaml ? read_slurm_yaml("fuzzed.yaml", text)
                                 : read_slurm_topology("fuzzed.conf", lines_of(text));
  // A few ranges of 150 bytes name 55,000 hosts: 0.5 s, but 17 s with the sanitizers; 10,000 of
  // long names take 0.2 s, and 9 s on a busy machine.
  constexpr std::size_t quick = 3'000;
  if (network.nodes.size() > quick) return;
  write_and_read(nodes_on_network("fuzzed.conf", network, {}));
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
