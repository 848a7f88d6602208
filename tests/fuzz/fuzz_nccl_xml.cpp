#include "tests/fuzz/fuzz_hardware.hpp"
#include "topology/import/nccl_xml_reader.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  write_and_read(merge_hosts(hosts_of_nccl_xml("fuzzed.xml", text, {})));
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
