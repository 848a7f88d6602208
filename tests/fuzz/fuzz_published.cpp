#include "app/config/scenario/published_set.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "tests/fuzz/fuzz_reader.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  static_cast<void>(
      read_published_set(yaml_of(RINGCAST_SOURCE_DIR "/scenarios/published/fuzzed.yaml", text)));
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
