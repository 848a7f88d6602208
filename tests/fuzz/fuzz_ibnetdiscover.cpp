#include "tests/fuzz/fuzz_hardware.hpp"
#include "topology/import/network_nodes.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  const IbNetwork network = read_ib_network("fuzzed.txt", lines_of(text));
  write_and_read(nodes_on_network("fuzzed.txt", network, {}));
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
