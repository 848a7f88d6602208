#include "app/config/scenario/model_reader.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "tests/fuzz/fuzz_reader.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  const TrainingModel model = read_model(yaml_of("fuzzed.yaml", text));
  static_cast<void>(timed_layers(model, std::nullopt, Seconds{0}));
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
