#include "app/config/scenario/model_reader.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "tests/fuzz/fuzz_reader.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  static_cast<void>(read_gpu_compute(yaml_of("fuzzed.yaml", text)));
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
