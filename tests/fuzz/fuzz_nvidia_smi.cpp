#include "tests/fuzz/fuzz_hardware.hpp"
#include "topology/import/nvidia_smi_reader.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  write_and_read(merge_hosts({host_of_nvidia_smi("fuzzed.txt", lines_of(text), {})}));
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
